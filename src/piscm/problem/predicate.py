"""Where something holds, by a condition on the coordinates: ``(x < 0.1) & (y > 0)``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.expressions import check_parts
from piscm.problem.numeric import Floats
from piscm.problem.symbols import lookalike

# Points of the boundary satisfy ``Eq(x, 0)`` up to round-off, relative to what is compared.
_ROUND_OFF = 1e-9

Where: TypeAlias = Boolean | Callable[[Floats], NDArray[np.bool_]]
"""A SymPy condition on coordinates, or a function of points of shape (points, coordinates)."""


@dataclass(frozen=True, eq=False)
class Predicate:
    """A condition on points.

    Attributes
    ----------
    written : sympy Boolean, or callable
        A callable takes points and returns booleans; it cannot be written to a file.
    coordinates : tuple of sympy.Symbol
    """

    written: Any
    coordinates: Sequence[sympy.Symbol]

    def __post_init__(self) -> None:
        if callable(self.written):
            return
        if not isinstance(self.written, Boolean) or isinstance(self.written, sympy.Expr):
            raise ProblemError(
                f"where={brief(self.written)}: give a condition on the coordinates, as "
                "where=(x < 0.1) & (y > 0), or a function of an array of points."
            )
        check_parts(sympy.Piecewise((1, self.written), (0, True)), "where")
        if self.written.atoms(AppliedUndef):
            raise ProblemError(
                f"where={self.written} holds a field; give a condition on the coordinates."
            )
        for symbol in self.written.free_symbols:
            if symbol not in self.coordinates:
                own = ", ".join(map(str, self.coordinates))
                raise ProblemError(
                    f"where={self.written} holds {symbol}, which is not a coordinate ({own})."
                    f"{lookalike(symbol, self.coordinates)}"
                )

    @property
    def symbols(self) -> set[sympy.Symbol]:
        """The coordinates it depends on; all of them for a function."""
        return set(self.coordinates) if callable(self.written) else self.written.free_symbols

    def __call__(self, points: Floats) -> NDArray[np.bool_]:
        """Which points satisfy it."""
        values = self._called(points) if callable(self.written) else self._function(*points.T)
        holds = np.asarray(values)
        if holds.dtype != np.bool_ or holds.shape not in ((), (len(points),)):
            raise ProblemError(
                f"where={brief(self.written)} gave {holds.dtype} of shape {holds.shape}, not one "
                "boolean a point."
            )
        return np.asarray(np.broadcast_to(holds, (len(points),)))

    def _called(self, points: Floats) -> Any:
        try:
            return self.written(points)
        except ProblemError:
            raise
        except Exception as error:  # whatever the user's function raises
            own = ", ".join(map(str, self.coordinates))
            raise ProblemError(
                f"where={brief(self.written)} failed: {shortened(str(error))}. It is given one "
                f"array of shape (points, {len(self.coordinates)}), with the columns {own}, as in "
                "where=lambda points: points[:, 0] < 0.5."
            ) from error

    @cached_property
    def _function(self) -> Callable[..., Any]:
        # Symbols are renamed first, so no name of the user's reaches the code.
        names = {s: sympy.Dummy(f"a{i}", real=True) for i, s in enumerate(self.coordinates)}
        loose = self.written.replace(sympy.Eq, _nearly)
        return sympy.lambdify(list(names.values()), loose.xreplace(names), modules="numpy")  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return brief(self.written) if callable(self.written) else str(self.written)


def _nearly(left: sympy.Expr, right: sympy.Expr) -> Boolean:
    return abs(left - right) <= _ROUND_OFF * (1 + abs(right))
