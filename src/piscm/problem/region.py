"""A part of the domain with its own coefficients."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression
from piscm.problem.frozen import Frozen, ReadOnly
from piscm.problem.given import checked_mapping
from piscm.problem.symbols import checked_name
from piscm.problem.written import Number


class Region(Frozen):
    """A part of the domain with its own coefficients, for ``Problem(regions=[...])``.

    Parameters
    ----------
    domain : Domain
        Regions lie side by side; where two of them meet is an interface.
    values : mapping
        What the coefficients are here: ``{k: 2.5}`` for a symbol k of the equations. A coefficient
        that varies inside a region and stands under a derivative is written as a field of the
        coordinates, ``k = field("k", x, y)``, so that its derivatives are kept. Values may hold
        coordinates, fields and unknowns.
    singular : mapping of fields to lists of expressions, optional
        Functions that are added to a field here with unknown factors, as in `Problem`.
    name : str, optional
        For messages and tables; regions are numbered otherwise.

    Examples
    --------
    >>> from piscm import Box, coordinates, unknown
    >>> x, k = coordinates("x k")
    >>> Region(Box({x: (0, 1)}), {k: 2}, name="steel")
    Region(Box(x: [0, 1]), k = 2, name='steel')
    """

    domain: Domain
    values: Mapping[sympy.Expr, sympy.Expr]
    singular: Mapping[Any, Sequence[Any]] | None
    name: str | None

    def __init__(
        self,
        domain: Domain,
        values: Mapping[Any, sympy.Expr | Number] | None = None,
        *,
        singular: Mapping[Any, Sequence[Any]] | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(domain, Domain):
            raise ProblemError(
                f"Region({brief(domain)}): give a domain first, as Region(Disk(...), {{k: 2}})."
            )
        values = {} if values is None else values
        if not isinstance(values, Mapping):
            raise ProblemError(f"Region(..., {brief(values)}): give its coefficients, as {{k: 2}}.")
        table: dict[sympy.Expr, sympy.Expr] = {}
        for symbol, value in values.items():
            if not isinstance(symbol, sympy.Symbol | AppliedUndef):
                raise ProblemError(
                    f"A region has a value for {brief(symbol)}; give it for a symbol of the "
                    "equations, as {k: 2}."
                )
            if symbol in domain.coordinates:
                raise ProblemError(f"A region has a value for its coordinate {symbol}.")
            table[symbol] = as_expression(value, f"The value of {symbol} in a region")
        if name is not None:
            name = checked_name(name)
        if singular is not None:
            singular = checked_mapping(singular, "Region(singular=...)", "{u: [...]}")
        given = None if singular is None else ReadOnly(singular)
        self._set(domain=domain, values=ReadOnly(table), singular=given, name=name)

    def __repr__(self) -> str:
        values = "".join(f", {symbol} = {brief(value)}" for symbol, value in self.values.items())
        shown = f", name={self.name!r}" if self.name else ""
        return f"Region({self.domain}{values}{shown})"
