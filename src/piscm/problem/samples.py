"""Sampled functions from what users have: arrays on a grid, scattered samples, Python functions."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.problem.errors import ProblemError, brief
from piscm.problem.numeric import finite_array, finite_number
from piscm.problem.sampled import Sampled, Samples, check_rough, placed
from piscm.problem.spline import Doubt, increasing
from piscm.problem.symbols import checked_field_name

Floats = NDArray[np.float64]

_DEGREE, _HIGHEST = 5, 7
# A Python function is sampled ever more densely until a spline reproduces it this well, relative to
# its range; what it must reach at least; and the most points along a coordinate and altogether.
_WELL, _ENOUGH = 1e-10, 1e-5
_FIRST, _MOST_ALONG, _MOST = 9, 2**11 + 1, 2**17
# Scattered samples become values on a grid with so many times as many points along each axis.
_FINER, _MOST_SCATTERED = 3, 4000
# Samples that agree to so many digits of the width of all are at one place to radial functions; to
# a spline along one coordinate they are not.
_DIGITS = 12
# Differences of samples below this fraction of them are the interpolation's round-off.
_ROUND_OFF = 1e-6
# The most coordinates that scattered samples may have.
_MOST_AXES = 3


def sampled(
    name: str,
    on: Mapping[sympy.Symbol, Any],
    values: Any,
    *,
    degree: int = _DEGREE,
) -> sympy.Expr:
    """A function that is known by numbers, for use in equations, conditions and starting values.

    It is a SymPy expression: derivatives are those of a spline through the samples. Samples that
    jump or are noisy are refused, and so is a derivative for which they are too rough.

    Parameters
    ----------
    name : str
        How it is printed, and called in problem files.
    on : mapping of coordinates to arrays, or to (low, high)
        The points along each coordinate; for scattered samples the coordinates of each sample.
    values : array_like or callable
        On a grid an array with one axis for each coordinate; one value for each scattered sample;
        or a function of the coordinates, in the order of `on`.
    degree : int
        Of the spline, from 1 to 7. It must exceed the order of any derivative of the function.

    Returns
    -------
    sympy.Expr

    Examples
    --------
    >>> import numpy as np
    >>> from piscm import Box, Condition, Problem, coordinates, field, solve
    >>> x = coordinates("x")
    >>> u = field("u", x)
    >>> depth = np.linspace(0, 1, 41)
    >>> k = sampled("k", {x: depth}, np.exp(depth))
    >>> problem = Problem(
    ...     Box({x: (0, 1)}), [(k * u.diff(x)).diff(x)], [Condition(u - x, on="boundary")]
    ... )
    >>> round(float(solve(problem)(x=0.5)), 6)  # (1 - exp(-0.5)) / (1 - exp(-1))
    0.622459
    """
    name = checked_field_name(name)
    if not isinstance(on, Mapping) or not on or not all(isinstance(s, sympy.Symbol) for s in on):
        raise ProblemError(
            f"sampled({name!r}, on={brief(on, 40)}): map coordinates to points, as {{x: xs}}."
        )
    if isinstance(degree, bool) or not isinstance(degree, int) or not 1 <= degree <= _HIGHEST:
        raise ProblemError(f"degree={brief(degree)}: give a whole number from 1 to {_HIGHEST}.")
    symbols = tuple(on)
    if callable(values):
        samples = _of_function(name, on, values, degree)
    else:
        array = finite_array(values, f"The values of {name}")
        axes = [_points(name, symbol, given) for symbol, given in on.items()]
        if array.ndim == 1 and all(len(points) == len(array) for points in axes):
            samples = _of_scattered(name, symbols, axes, array, degree)
        else:
            samples = _of_grid(name, symbols, axes, array, degree)
    check_rough(samples)
    return Sampled(samples, *symbols, *[0] * len(symbols))


def _points(name: str, symbol: sympy.Symbol, given: Any) -> Floats:
    points = finite_array(given, f"The points of {name} along {symbol}")
    if points.ndim != 1 or len(points) < 2:
        raise ProblemError(
            f"The points of {name} along {symbol} have the shape {points.shape}: give two or more "
            "in a row."
        )
    return points


def _of_grid(
    name: str, symbols: tuple[sympy.Symbol, ...], axes: list[Floats], values: Floats, degree: int
) -> Samples:
    shape = tuple(len(points) for points in axes)
    if values.shape != shape:
        listed = ", ".join(f"{s}: {count}" for s, count in zip(symbols, shape, strict=True))
        raise ProblemError(
            f"The values of {name} have the shape {values.shape}; its points ask for {shape} "
            f"({listed})" + (", or for as many points as values." if values.ndim == 1 else ".")
        )
    for axis, (symbol, points) in enumerate(zip(symbols, axes, strict=True)):
        if increasing(points[::-1]):
            axes[axis], values = points[::-1], np.flip(values, axis)
        elif not increasing(points):
            at = int(np.argmax(np.diff(points) <= 0))
            raise ProblemError(
                f"The points of {name} along {symbol} must increase; {points[at]:g} is followed by "
                f"{points[at + 1]:g}."
            )
    return Samples(name, symbols, axes, values, degree)


# --- scattered samples --------------------------------------------------------------------------


def _of_scattered(
    name: str, symbols: tuple[sympy.Symbol, ...], axes: list[Floats], values: Floats, degree: int
) -> Samples:
    """Radial functions through all samples, then a spline through their values on a grid."""
    points = np.stack(axes, axis=1)
    low, width = points.min(axis=0), np.ptp(points, axis=0)
    unit = (points - low) / np.where(width > 0, width, 1.0)
    places = points if len(symbols) == 1 else np.round(unit, _DIGITS)
    same = np.unique(places, axis=0, return_index=True)[1]
    if len(same) < len(points):
        twice = points[np.setdiff1d(np.arange(len(points)), same)[0]]
        raise ProblemError(f"{name} has two samples at {placed(symbols, twice)}; keep one of them.")
    if len(symbols) == 1:
        order = np.argsort(axes[0])
        return Samples(name, symbols, [axes[0][order]], values[order], degree)
    if len(symbols) > _MOST_AXES or len(points) > _MOST_SCATTERED:
        raise ProblemError(
            f"{name} has {len(points)} scattered samples of {len(symbols)} coordinates; up to "
            f"{_MOST_SCATTERED} of up to {_MOST_AXES} can be used. Give values on a grid instead."
        )
    from scipy.interpolate import RBFInterpolator  # slow to import

    if not (width > 0).all():
        flat = symbols[int(np.argmin(width))]
        raise ProblemError(f"All samples of {name} have the same {flat}.")
    # Of a constant all differences are round-off.
    size = max(float(np.ptp(values)), _ROUND_OFF * float(np.abs(values).max()), 1e-300)
    _check_spread(name, unit)
    radial = RBFInterpolator(unit, values, kernel="quintic", degree=2)
    per_axis = len(points) ** (1 / len(symbols))
    count = int(np.ceil(_FINER * (per_axis + 2))) + 1
    grid = np.linspace(-1 / per_axis, 1 + 1 / per_axis, count)  # the domain is a little larger
    every = np.stack(np.meshgrid(*[grid] * len(symbols), indexing="ij"), axis=-1)
    made = radial(every.reshape(-1, len(symbols))).reshape([count] * len(symbols))
    own = [float(a) + float(b) * grid for a, b in zip(low, width, strict=True)]
    samples = Samples(name, symbols, own, made, degree, points)
    _check_left_out(name, symbols, points, unit, values, size)
    return samples


def _check_spread(name: str, unit: Floats) -> None:
    """Refuse samples to which no parabola can be fitted, all of them on a line or too few."""
    pairs = combinations_with_replacement(range(unit.shape[1]), 2)
    parabolas = [np.ones(len(unit)), *unit.T, *(unit[:, i] * unit[:, j] for i, j in pairs)]
    if np.linalg.matrix_rank(np.stack(parabolas)) == len(parabolas):
        return
    raise ProblemError(
        f"The {len(unit)} scattered samples of {name} are too few, or lie on one curve (a line, a "
        f"circle): give at least {len(parabolas)} that spread over the domain, or values on a grid."
    )


def _check_left_out(
    name: str,
    symbols: Sequence[sympy.Symbol],
    points: Floats,
    unit: Floats,
    values: Floats,
    size: float,
) -> None:
    """Refuse samples that the others do not suggest: on a grid a jump shows, here it is smeared."""
    from scipy.interpolate import RBFInterpolator

    if len(points) < 16:
        return
    left_out = np.random.default_rng(0).permutation(len(points))[: len(points) // 5]
    kept = np.setdiff1d(np.arange(len(points)), left_out)
    others = RBFInterpolator(unit[kept], values[kept], kernel="quintic", degree=2)
    change = np.abs(others(unit[left_out]) - values[left_out]) / size
    middle = np.all((unit[left_out] > 0.1) & (unit[left_out] < 0.9), axis=1)
    change = np.where(middle, change, 0.0)  # beyond the outermost samples nothing is suggested
    most = int(np.argmax(change))
    if change[most] > 0.3:
        raise ProblemError(
            f"The samples of {name} are too rough: near {placed(symbols, points[left_out[most]])} "
            f"one differs from what the others suggest by {change[most]:.0%} of the range. Give "
            "more samples, smooth them first, and where there is a jump give regions."
        )


# --- Python functions -----------------------------------------------------------------------------


def _of_function(
    name: str, on: Mapping[sympy.Symbol, Any], function: Callable[..., Any], degree: int
) -> Samples:
    """A spline through ever more points, until those in between no longer change it."""
    symbols, spans = tuple(on), []
    for symbol, given in on.items():
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise ProblemError(
                f"{name} is a function; give {symbol} as (low, high), not {brief(given, 40)}."
            )
        low, high = (finite_number(end, f"An end of {symbol}") for end in given)
        if not low < high:
            raise ProblemError(f"{name}: the range of {symbol} is empty, {low:g} to {high:g}.")
        spans.append((low, high))
    counts = [_FIRST] * len(symbols)
    while True:
        axes = [np.linspace(*span, count) for span, count in zip(spans, counts, strict=True)]
        every = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(symbols))
        values = _called(name, symbols, function, every).reshape(counts)
        samples = Samples(name, symbols, axes, values, degree)
        doubt = samples.doubt((0,) * len(symbols))
        finer = list(counts)
        finer[doubt.axis] = 2 * counts[doubt.axis] - 1
        if doubt.change <= _WELL or np.prod(finer) > _MOST or max(finer) > _MOST_ALONG:
            break
        counts = finer
    _check_function(name, symbols, doubt)
    return samples


def _check_function(name: str, symbols: Sequence[sympy.Symbol], doubt: Doubt) -> None:
    if doubt.change > _ENOUGH:
        raise ProblemError(
            f"The function {name} is too rough: near {placed(symbols, doubt.place)} it is not what "
            f"its neighborhood suggests, by {doubt.change:.1g} of its range, however densely it is "
            "sampled. Where there is a jump or a kink, give regions."
        )


def _called(
    name: str, symbols: Sequence[sympy.Symbol], function: Callable[..., Any], points: Floats
) -> Floats:
    """The values of a function, which may or may not take arrays."""
    try:
        with np.errstate(all="ignore"):  # what is not finite is told below
            values = np.asarray(function(*points.T), dtype=float)
        if values.shape != (len(points),):
            raise ValueError("not one value for each point")
    except Exception:  # whatever a function of one point makes of arrays
        try:
            values = np.array([float(function(*map(float, point))) for point in points])
        except Exception as error:
            raise ProblemError(f"The function {name} failed: {brief(str(error))}") from error
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise ProblemError(
            f"The function {name} is not finite at {placed(symbols, points[bad[0]])}."
        )
    return values
