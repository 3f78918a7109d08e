"""What all pictures share: axes, grids, labels, colors."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError
from piscm.problem.nearest import did_you_mean
from piscm.problem.problem import Problem
from piscm.result.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Reference = Callable[..., Any]
Units = Mapping[str, str]
"""The unit of each coordinate, field or unknown, by name."""

GRID = 161
VALUES, SIZES = "viridis", "magma"
"""Even color maps, which keep their order in black and white: of values, and of sizes of errors."""

# Told apart by everyone, and by their dashes in black and white.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))


def pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Pictures need matplotlib: pip install 'piscm[plot]'") from None
    return plt


def axes_or_new(ax: "Axes | None") -> "Axes":
    return pyplot().subplots(layout="constrained")[1] if ax is None else ax


def close(figure: "Figure") -> None:
    """Free a figure that has been saved."""
    pyplot().close(figure)


def names_of(solution: Solution) -> list[str]:
    return [symbol.name for symbol in solution.problem.domain.coordinates]


def checked_name(solution: Solution, name: str) -> str:
    names = names_of(solution)
    if name not in names:
        near = did_you_mean(str(name), names)
        raise ProblemError(f"{name!r} is not a coordinate{near}; they are {', '.join(names)}.")
    return name


def axis_of(solution: Solution, name: str, count: int = GRID) -> Floats:
    """Values of a coordinate from one end of the domain to the other."""
    index = names_of(solution).index(checked_name(solution, name))
    box = solution.problem.domain.bounding_box
    return np.linspace(box.lower[index], box.upper[index], count)


def free_names(solution: Solution, at: Mapping[str, float]) -> list[str]:
    """The coordinates that are not fixed."""
    for name in at:
        checked_name(solution, name)
    return [name for name in names_of(solution) if name not in at]


def window_edges(solution: Solution, name: str) -> list[float]:
    """Where one window ends and the next begins along a coordinate."""
    panels = getattr(solution.network, "panels", None)
    if panels is None or names_of(solution)[panels.axis] != name:
        return []
    return [float(edge) for edge in panels.edges]


# --- labels -----------------------------------------------------------------------------------


def math_text(problem: Problem, expression: Any) -> str:
    """An expression as matplotlib typesets it, with derivatives as subscripts."""
    if isinstance(expression, str):
        expression = sympy.Symbol(expression)
    table: dict[Any, Any] = {}
    for part in expression.atoms(sympy.Derivative):
        inner = part.expr
        by = "".join(s.name * int(n) for s, n in part.variable_count)
        if isinstance(inner, AppliedUndef):
            table[part] = sympy.Symbol(f"{{{sympy.latex(_plain(inner))}}}_{{{_latex_word(by)}}}")
    plain = expression.xreplace(table)
    plain = plain.xreplace({item: _plain(item) for item in plain.atoms(AppliedUndef)})
    text = f"${sympy.latex(plain)}$"
    return text if _typesets(text) else str(expression)


def _plain(item: AppliedUndef) -> sympy.Symbol:
    return sympy.Symbol(str(item.func))


def _latex_word(by: str) -> str:
    return by if by.isascii() else sympy.latex(sympy.Symbol(by))


def _typesets(text: str) -> bool:
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("agg").parse(text)
    except ValueError:
        return False
    return True


def label(problem: Problem, expression: Any, units: Units | None) -> str:
    """A name with its unit; only what has a name has one."""
    name = str(expression.func) if isinstance(expression, AppliedUndef) else str(expression)
    unit = (units or {}).get(name, "")
    return math_text(problem, expression) + (f" ({unit})" if unit else "")


def fixed_text(problem: Problem, at: Mapping[str, float], units: Units | None = None) -> str:
    """The coordinates that are fixed, for a title."""
    parts = []
    for name, value in at.items():
        unit = (units or {}).get(name, "")
        parts.append(f"{math_text(problem, name)} = {value:.4g}{' ' + unit if unit else ''}")
    return ", ".join(parts)
