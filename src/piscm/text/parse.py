"""Text to SymPy, without ever evaluating the text.

The text is read as the syntax tree of one Python expression, and only sums, products, powers,
numbers, comparisons (inside ``Piecewise``), declared names and the functions of
`piscm.problem.functions` are built from it. Anything else is an error.

    u_tt   diff(u, t, 2)    u.diff(t, 2)    Derivative(u(t, U), (t, 2))    all mean the same
    u**2   u^2              exp(-x)         Piecewise((1, x < 0), (0, True))
    u_x(x=0)   u(0, t)      at a place, in conditions
"""

from collections.abc import Mapping
from typing import Any

import sympy

from piscm.problem.errors import FormulaError, ProblemError, printable, shortened
from piscm.text.source import sides
from piscm.text.syntax import At, Reader

_MAX_LENGTH = 100_000


def parse_expression(
    text: str,
    symbols: Mapping[str, sympy.Symbol],
    fields: Mapping[str, sympy.Expr],
    where: str = "The text",
) -> sympy.Expr:
    """Build the SymPy expression described by a text; ``a = b`` becomes ``a - b``.

    Parameters
    ----------
    text : str
    symbols, fields : mapping of str
        What the names in the text stand for.
    where : str
        What the text is, for error messages.
    """
    read, _ = _read(text, symbols, fields, where, False)
    return read


def parse_condition(
    text: str,
    symbols: Mapping[str, sympy.Symbol],
    fields: Mapping[str, sympy.Expr],
    where: str = "A condition",
) -> tuple[sympy.Expr, list[At], list[sympy.Expr]]:
    """A condition: what must vanish, the places named in it, and its sides.

    ``u_x(x=0) = 1`` is ``u_x - 1`` at ``x = 0``; there is a place for each side of the equation
    that names one, and no side may name two.
    """
    (expression, parts), places = _read(text, symbols, fields, where, True)
    return expression, places, parts


def _read(text: Any, symbols: Any, fields: Any, where: str, placed: bool) -> Any:
    if not isinstance(text, str):
        raise ProblemError(f"{where} is a {type(text).__name__}, not text.")
    if len(text) > _MAX_LENGTH:
        raise ProblemError(f"{where} is longer than {_MAX_LENGTH} characters.")
    reader = Reader(symbols, fields, f"{where} ({shortened(printable(text), 60)})", placed)
    sources = sides(text)
    if len(sources) > 2:
        begin = sources[2].origin[0]
        raise FormulaError(f"{reader.where} has more than one '='.", (begin, begin + 1))
    try:
        parts, places = [], []
        for source in sources:
            parts.append(reader.read(source))
            places += reader.places
        expression = parts[0] if len(parts) == 1 else reader.difference(*parts)
    except RecursionError:
        raise ProblemError(f"{reader.where} is nested too deeply.") from None
    return ((expression, parts) if placed else expression), places
