"""What to evaluate and where, as given by the user: coordinates by name or in order, or points."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray
from sympy.core.function import AppliedUndef

from piscm.problem.complex_fields import is_complex, split
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.expressions import as_expression
from piscm.problem.numeric import float_array
from piscm.problem.problem import Problem
from piscm.problem.symbols import ComplexField
from piscm.problem.written import Expression
from piscm.text.parse import parse_expression

Floats = NDArray[np.float64]


def taken_apart(
    problem: Problem, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """The expression (None if there is none) and the coordinates by name.

    Positional arguments are an expression or its text, if the first one is one, and then
    coordinates in the domain's order.
    """
    names = [symbol.name for symbol in problem.domain.coordinates]
    expression, values = None, list(given)
    too_many = len(values) + len(named) > len(names) and not _is_number(given[:1])
    if values and (_is_expression(values[0]) or too_many):
        expression = as_written(problem, values.pop(0))
    if len(values) > len(names):
        raise ProblemError(f"{len(values)} coordinates are given; they are {', '.join(names)}.")
    coordinates = dict(zip(names, values, strict=False))
    for name in named:
        if name in coordinates:
            raise ProblemError(f"The coordinate {name!r} is given twice, by position and by name.")
    return expression, {**coordinates, **named}


def located(
    problem: Problem, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[Any, Floats, tuple[int, ...]]:
    """The expression, by default the only field; the points; the shape that coordinates have."""
    expression, at = taken_apart(problem, given, named)
    expression = only_field(problem) if expression is None else expression
    arrays = broadcast(problem, at)
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    return expression, points, arrays[0].shape


def _is_number(given: Sequence[Any]) -> bool:
    return bool(given) and isinstance(given[0], int | float) and not isinstance(given[0], bool)


def _is_expression(given: Any) -> bool:
    """Whether it is meant as an expression; a SymPy number may be a coordinate."""
    return isinstance(given, str) or (isinstance(given, sympy.Basic) and not given.is_number)


def as_written(problem: Problem, expression: Any) -> Any:
    """An expression; a text such as "u_x" or "u*v" is parsed, everything else left as it is."""
    if not isinstance(expression, str):
        return expression
    symbols = {s.name: s for s in (*problem.domain.coordinates, *problem.unknowns)}
    symbols |= problem.samples
    fields = {str(item.func): item for item in (*problem.shown_fields, *problem.written_fields)}
    if any(isinstance(item, ComplexField) for item in problem.shown_fields):
        symbols.setdefault("I", sympy.I)
    return parse_expression(expression, symbols, fields, "The expression")


def only_field(problem: Problem) -> AppliedUndef:
    """The field of a problem that has only one."""
    if len(problem.shown_fields) > 1:
        names = ", ".join(str(item) for item in problem.shown_fields)
        raise ProblemError(f"The problem has several fields ({names}): say which one first.")
    return problem.shown_fields[0]


def drawn_as(expression: Any) -> list[Any]:
    """What a picture shows of an expression: of a complex one its modulus and its real part."""
    if in_parts(expression)[1] is None:
        return [expression]
    return [sympy.Abs(expression), sympy.re(expression)]


def in_parts(expression: Any) -> tuple[Any, Any]:
    """The real and the imaginary part of what is to be evaluated; None if that is zero."""
    given = as_expression(expression, "The expression", complex_too=True)
    if not is_complex(given):
        return expression, None
    real, imaginary = split(given, "The expression")
    return real, None if imaginary == 0 else imaginary


def by_name(given: Mapping[Any, Any] | None) -> dict[str, Any]:
    """Values of coordinates by their names, whether given by names or by symbols."""
    pairs = (given or {}).items()
    return {own.name if isinstance(own, sympy.Symbol) else own: value for own, value in pairs}


def broadcast(problem: Problem, given: Mapping[str, ArrayLike]) -> list[Floats]:
    """Coordinates given by name, in the domain's order, as arrays of one shape."""
    names = [symbol.name for symbol in problem.domain.coordinates]
    for name in given:
        if name not in names:
            raise ProblemError(f"{name!r} is not a coordinate; they are {', '.join(names)}.")
    for name in names:
        if name not in given:
            raise ProblemError(f"The coordinate {name!r} is missing; give {', '.join(names)}.")
    arrays = [float_array(given[name], f"The values of {name}") for name in names]
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(
            f"{name} {array.shape}" for name, array in zip(names, arrays, strict=True)
        )
        raise ProblemError(f"The coordinates do not broadcast together: {shapes}.") from None


def values_inside(
    solution: Callable[..., Floats],
    problem: Problem,
    expression: Expression | None,
    coordinates: Mapping[str, ArrayLike],
) -> Floats:
    """What a solution gives on a grid over the domain; NaN where the bounding box has more."""
    arrays = broadcast(problem, coordinates)
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    _checked_inside(problem, points, problem.domain.bounding_box)
    inside = problem.domain.contains(points)
    values = np.full(len(points), np.nan)
    if inside.any():
        names = [symbol.name for symbol in problem.domain.coordinates]
        known = solution(expression, **dict(zip(names, points[inside].T, strict=True)))
        values = values.astype(known.dtype)
        values[inside] = known
    return values.reshape(arrays[0].shape)


def checked_points(problem: Problem, points: ArrayLike) -> Floats:
    """Points of shape (N, n), all finite and in the domain."""
    domain = problem.domain
    array = float_array(points, "The points")
    if array.ndim == 1 and domain.dimension == 1:
        array = array[:, None]
    if array.ndim != 2 or array.shape[1] != domain.dimension:
        raise ProblemError(
            f"The points have the shape {array.shape}; give (N, {domain.dimension}), "
            f"in the order of {domain}."
        )
    if not len(array):
        raise ProblemError("There are no points to evaluate at.")
    _checked_inside(problem, array, domain)
    return array


def _checked_inside(problem: Problem, points: Floats, where: Domain) -> None:
    """Raise `ProblemError` for points that are not finite or lie outside some domain."""
    if not np.isfinite(points).all():
        raise ProblemError("The points hold NaN or infinite numbers.")
    outside = ~where.contains(points)
    if outside.any():
        first = ", ".join(f"{value:g}" for value in points[outside][0])
        raise ProblemError(
            f"{np.count_nonzero(outside)} of {len(points)} points lie outside the domain "
            f"{problem.domain}, where the solution means nothing; the first is ({first})."
        )
