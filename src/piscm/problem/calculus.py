"""Gradient, divergence, Laplacian and curl, in Cartesian and curvilinear coordinates.

Vectors are SymPy matrices of one column; in curvilinear coordinates their components are along the
unit vectors of the coordinates. With scale factors h and their product J,

    grad f = (f_i / h_i),   div v = 1/J (J v_i / h_i)_i,   laplacian f = div grad f.

In all these systems h_i does not depend on its own coordinate.
"""

from collections.abc import Sequence
from typing import Any

import sympy

from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import as_sympy
from piscm.problem.systems import CoordinateSystem, chosen_system


def grad(expression: Any, *over: Any) -> sympy.Matrix:
    """The gradient of a scalar.

    Parameters
    ----------
    expression : sympy.Expr
    over : coordinates, or `polar`, `cylindrical`, `spherical`
        If omitted, all coordinates of the fields.

    Examples
    --------
    >>> from piscm import coordinates, field
    >>> x, y = coordinates("x y")
    >>> grad(field("u", x, y) ** 2)[1]
    2*u(x, y)*Derivative(u(x, y), y)
    """
    scalar = _scalar(expression, "grad")
    system = chosen_system(over, [scalar], "grad")
    parts = [
        _diff(scalar, own) / factor
        for own, factor in zip(system.coordinates, system.factors, strict=True)
    ]
    return sympy.ImmutableMatrix([_known(part, system, "grad") for part in parts])


def div(vector: Any, *over: Any) -> sympy.Expr:
    """The divergence of a vector, with as many components as there are coordinates.

    >>> from piscm import coordinates, field
    >>> x, y, k = coordinates("x y k")
    >>> div(k * grad(field("u", x, y)))
    k*Derivative(u(x, y), (x, 2)) + k*Derivative(u(x, y), (y, 2))
    """
    parts = _components(vector, "div")
    system = chosen_system(over, parts, "div")
    _check_count(parts, system, "div")
    volume = sympy.Mul(*system.factors)
    total = sympy.S.Zero
    for part, own, factor in zip(parts, system.coordinates, system.factors, strict=True):
        spread = sympy.cancel((volume / factor).diff(own) / volume)
        total += _diff(part, own) / factor + spread * part
    return _known(total, system, "div")


def laplacian(expression: Any, *over: Any) -> Any:
    """The Laplacian of a scalar; of a vector, component by component, in Cartesian coordinates.

    >>> from piscm import coordinates, field, spherical
    >>> r = coordinates("r")
    >>> laplacian(field("u", r), spherical(r))
    Derivative(u(r), (r, 2)) + 2*Derivative(u(r), r)/r
    """
    if isinstance(expression, sympy.MatrixBase | list | tuple):
        parts = _components(expression, "laplacian")
        system = chosen_system(over, parts, "laplacian")
        if any(factor != 1 for factor in system.factors):
            raise ProblemError(
                f"laplacian of a vector in {system}: write grad(div(v, s), s) - "
                "curl(curl(v, s), s), the unit vectors turn from point to point."
            )
        return sympy.ImmutableMatrix([laplacian(part, system) for part in parts])
    scalar = _scalar(expression, "laplacian")
    system = chosen_system(over, [scalar], "laplacian")
    volume, total = sympy.Mul(*system.factors), sympy.S.Zero
    for own, factor in zip(system.coordinates, system.factors, strict=True):
        spread = sympy.cancel((volume / factor**2).diff(own) / volume)
        slope = _diff(scalar, own)
        total += _diff(slope, own) / factor**2 + spread * slope
    return _known(total, system, "laplacian")


def curl(vector: Any, *over: Any) -> Any:
    """The curl of a vector: in three coordinates a vector, in two the component across the plane.

    >>> from piscm import coordinates, field
    >>> x, y = coordinates("x y")
    >>> curl([field("u", x, y), field("v", x, y)])
    -Derivative(u(x, y), y) + Derivative(v(x, y), x)
    """
    parts = _components(vector, "curl")
    system = chosen_system(over, parts, "curl")
    _check_count(parts, system, "curl")
    if len(parts) not in (2, 3):
        raise ProblemError(f"curl: {len(parts)} components; it is defined for two and for three.")
    pairs = [(0, 1)] if len(parts) == 2 else [(1, 2), (2, 0), (0, 1)]
    made = [_known(_turning(parts, system, *pair), system, "curl") for pair in pairs]
    return made[0] if len(made) == 1 else sympy.ImmutableMatrix(made)


def _turning(parts: Sequence[sympy.Expr], system: CoordinateSystem, i: int, j: int) -> sympy.Expr:
    """((h_j v_j)_i - (h_i v_i)_j) / (h_i h_j), expanded so that no factor is divided by itself."""
    axes, h = system.coordinates, system.factors
    total = _diff(parts[j], axes[i]) / h[i] - _diff(parts[i], axes[j]) / h[j]
    total += sympy.cancel(h[j].diff(axes[i]) / (h[i] * h[j])) * parts[j]
    return total - sympy.cancel(h[i].diff(axes[j]) / (h[i] * h[j])) * parts[i]


def dot(a: Any, b: Any) -> sympy.Expr:
    """The scalar product of two vectors."""
    left, right = _components(a, "dot"), _components(b, "dot")
    if len(left) != len(right):
        raise ProblemError(f"dot: one vector has {len(left)} components, the other {len(right)}.")
    return sympy.Add(*(one * two for one, two in zip(left, right, strict=True)))


def _diff(expression: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """The derivative; zero where nothing depends on the symbol, which here is no mistake."""
    return expression.diff(symbol) if expression.has(symbol) else sympy.S.Zero


def _known(expression: sympy.Expr, system: CoordinateSystem, name: str) -> sympy.Expr:
    """The expression, if it holds no coordinate that was left out of the system."""
    missing = sorted({own.name for own in expression.atoms(sympy.Dummy)} & _names(system))
    if missing:
        raise ProblemError(
            f"{name} in {system} depends on {', '.join(missing)} here: name all coordinates, as "
            "spherical(r, theta, phi)."
        )
    return expression


def _names(system: CoordinateSystem) -> set[str]:
    return {own.name for own in system.coordinates if isinstance(own, sympy.Dummy)}


def _scalar(expression: Any, name: str) -> sympy.Expr:
    made = as_sympy(expression)
    if not isinstance(made, sympy.Expr) or isinstance(made, sympy.MatrixBase):
        raise ProblemError(f"{name}({brief(expression)}): give a scalar expression.")
    return made


def _components(vector: Any, name: str) -> list[sympy.Expr]:
    if isinstance(vector, sympy.MatrixBase):
        if 1 not in vector.shape:
            raise ProblemError(f"{name}: give a vector; this matrix is {vector.shape}.")
        vector = list(vector)
    if not isinstance(vector, list | tuple) or not vector:
        raise ProblemError(f"{name}({brief(vector)}): give a vector, as {name}([u, v]).")
    return [_scalar(part, name) for part in vector]


def _check_count(parts: Sequence[Any], system: CoordinateSystem, name: str) -> None:
    if len(parts) != len(system.coordinates):
        raise ProblemError(
            f"{name}: the vector has {len(parts)} components and {system} has "
            f"{len(system.coordinates)} coordinates."
        )
