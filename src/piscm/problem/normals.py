"""The outward normal of the boundary in conditions: fluxes, Robin conditions, slip."""

from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import Named


class normal(Named):  # noqa: N801  (SymPy's style)
    """``normal(x)`` is the x component of the outward unit normal, in conditions on the boundary.

    >>> from piscm import coordinates, field
    >>> x, y = coordinates("x y")
    >>> u, v = field("u", x, y), field("v", x, y)
    >>> no_flow_through_the_wall = u * normal(x) + v * normal(y)
    """

    nargs = 1

    @classmethod
    def eval(cls, coordinate: Any) -> None:
        if not isinstance(coordinate, sympy.Symbol):
            raise ProblemError(
                f"normal({brief(coordinate)}): give a coordinate, as normal(x), the component of "
                "the outward normal along x."
            )

    def _eval_is_real(self) -> bool:
        return True

    def _eval_derivative(self, symbol: sympy.Symbol) -> sympy.Expr:
        raise ProblemError(f"{self} has no derivative: it is known on the boundary only.")


def normal_derivative(expression: Any) -> sympy.Expr:
    """The derivative along the outward normal, ``u.diff(x)*normal(x) + ...``.

    For use in conditions on the boundary of a domain or on a part of it.

    >>> from piscm import coordinates, field
    >>> x, y = coordinates("x y")
    >>> normal_derivative(field("u", x, y))
    normal(x)*Derivative(u(x, y), x) + normal(y)*Derivative(u(x, y), y)
    """
    fields = expression.atoms(AppliedUndef) if isinstance(expression, sympy.Expr) else set()
    along = {symbol for item in fields for symbol in item.args if isinstance(symbol, sympy.Symbol)}
    if not along:
        raise ProblemError(
            f"normal_derivative({brief(expression)}): give an expression that holds a field. Of a "
            "known function write its derivative along the normal: of x*y in the plane "
            "normal(x)*y + normal(y)*x."
        )
    ordered = sorted(along, key=str)
    return sympy.Add(*(normal(symbol) * expression.diff(symbol) for symbol in ordered))


def normals_in(expression: sympy.Expr) -> set[sympy.Symbol]:
    """The coordinates whose component of the normal an expression holds."""
    return {part.args[0] for part in expression.atoms(normal)}
