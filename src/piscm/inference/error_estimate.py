r"""Error estimate: the linearized error equation, solved in a richer space.

With u the solution found and R its residual, the error :math:`\delta` satisfies
:math:`R'(u)\,\delta \approx -R(u)`, and likewise for the conditions. It is solved by least squares
at fresh points, with the nodes of the solution and fewer new ones that are variations of
them, window by window: each passes its error on to the next, so errors grow or decay along the way
as they do in the solution.

The estimate is honest about what it cannot see. A residual that even the richer space does not
lower counts as an error of its own size; where the linearization does not lead to a smaller
residual, or where the problem leaves the fields free (`piscm.inference.freedom`), the estimate is
infinite. The noise of observations adds its share.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.assemble.grading import NEAREST, measuring
from piscm.assemble.windows import Part
from piscm.inference.correction import checked_correction
from piscm.inference.freedom import Freedom, freedom
from piscm.inference.fresh_points import FittedPoints
from piscm.inference.in_windows import marched_backward, own_windows, window_of, without_data
from piscm.inference.richer import RicherSpace, richer_space
from piscm.inference.uncertainty import Uncertainty
from piscm.network.network import Network
from piscm.problem.box import Box
from piscm.problem.mosaic import Mosaic
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_NOISE_POINTS = 200  # in each window, at which the noise's share is taken


@dataclass(frozen=True)
class ErrorEstimate:
    """The error of a solution, as far as it can be estimated without the exact one.

    Attributes
    ----------
    relative : float
        The root mean square error of all fields relative to the root mean square of the fields;
        infinite where it is not known.
    by_field : dict of str to float
        The root mean square error of each field, in its own units.
    from_noise : float
        The part of `relative` that is due to the noise of observations.
    free : tuple of str
        The fields that the problem does not determine.
    """

    relative: float
    by_field: dict[str, float]
    from_noise: float = 0.0
    free: tuple[str, ...] = ()


def unknown_error(problem: Problem) -> ErrorEstimate:
    """Nothing is known of the error."""
    return ErrorEstimate(np.inf, {str(item.func): np.inf for item in problem.written_fields})


def estimate_error(
    network: Network,
    seed: int = 0,
    fitted: Sequence[FittedPoints] = (),
    uncertainty: Uncertainty | None = None,
) -> ErrorEstimate:
    """The estimated error of a network, over all windows.

    Parameters
    ----------
    fitted : the fitted points of each window, if known
    uncertainty : that of the weights due to noise, if there are data
    """
    problem = network.problem
    names = [str(item.func) for item in problem.written_fields]
    if not network.solved_everywhere:
        return unknown_error(problem)
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    squares, sizes, volume = np.zeros(len(names)), np.zeros(len(names)), 0.0
    noise = np.zeros(len(names))
    whole, left = without_data(problem), Freedom(())
    panels = network.panels
    along = None if panels is None else problem.domain.coordinates[panels.axis]
    before: Network | None = None
    windows = list(enumerate(own_windows(network)))
    if marched_backward(network):
        windows.reverse()
    for turn, (number, (low, high, own)) in enumerate(windows):
        known = fitted[number] if number < len(fitted) else {}
        part = window_of(whole, network, low, high, before)
        space = richer_space(part, own, known, rng, whole=problem, along=along)
        if turn == 0:  # what is free is so in every window, or in the first alone
            left = freedom(space, known)
            if left.fields and problem.observations and not whole.problem.observations:
                whole = Part.whole(problem)  # the data are needed
                part = window_of(whole, network, low, high, before)
                space = richer_space(part, own, known, rng)
                left = freedom(space, known)
            if len(_as_written(problem, left.fields)) == len(names):
                return replace(unknown_error(problem), free=tuple(names))
        corrected, unseen, space = checked_correction(space, known, rng, problem, along)
        share = float(np.prod(part.problem.domain.bounding_box.width))
        volume += share
        everywhere = list(_everywhere(space, share, rng))
        for index, item in enumerate(problem.written_fields):
            squares[index] += share * unseen**2
            for points, weights, part_of in everywhere:
                found = own.values(item, points)
                moved = corrected.values(item, points) - found
                squares[index] += part_of * np.mean(weights * moved**2)
                sizes[index] += part_of * np.mean(weights * found**2)
                if uncertainty is not None:
                    some = points[:_NOISE_POINTS]
                    noise[index] += part_of * _noise(network, item, some, uncertainty)
        before = corrected
    squares += noise + left.round_off**2 * sizes
    return _together(problem, squares, noise, sizes, volume, _as_written(problem, left.fields))


def _together(
    problem: Problem,
    squares: Floats,
    noise: Floats,
    sizes: Floats,
    volume: float,
    free: tuple[int, ...],
) -> ErrorEstimate:
    """The estimate from integrals over the domain, an entry for each field."""
    names = [str(item.func) for item in problem.written_fields]
    squares = np.where(np.isfinite(squares), squares, np.inf)
    squares[list(free)] = np.inf
    errors = dict(zip(names, map(float, np.sqrt(squares / volume)), strict=True))
    size, open_fields = float(sizes.sum()), tuple(names[index] for index in free)
    return ErrorEstimate(_share(squares, size), errors, _share(noise, size), open_fields)


def _everywhere(
    space: RicherSpace, volume: float, rng: np.random.Generator
) -> Iterator[tuple[Floats, Floats, float]]:
    """Points of each region, their weights in a mean, and its share of the volume.

    Steep nodes may make layers at the faces, which even points do not see.
    """
    domain = space.part.problem.domain
    if isinstance(domain, Box) and space.system.activation.localized:
        yield *measuring(space.points, domain, NEAREST, rng), volume
        return
    if not isinstance(domain, Mosaic):
        yield space.points, np.ones(len(space.points)), volume
        return
    shares = domain.shares
    for number, share in enumerate(shares):
        points = space.inside[space.part.problem.in_regions.index(number)]
        yield points, np.ones(len(points)), volume * float(share)


def _noise(network: Network, item: AppliedUndef, points: Floats, known: Uncertainty) -> float:
    """The mean square deviation of a field; zero if the data do not tell how noisy they are."""
    total = 0.0
    for here, compiled in network.readings(item, points):
        deviation = network.deviation(compiled, points[here], known.factor)
        total += float(np.sum(deviation**2))
    return total / len(points) if np.isfinite(total) else 0.0


def _as_written(problem: Problem, free: tuple[int, ...]) -> tuple[int, ...]:
    """Fields that are free in a region, as fields of the user."""
    if not problem.homes or not free:
        return free
    names = [str(item.func) for item in problem.written_fields]
    inner = [str(problem.fields[index].func) for index in free]
    found = {names.index(own) for own in names for name in inner if name.startswith(f"{own}_")}
    return tuple(sorted(found))


def _share(squares: Floats, size: float) -> float:
    """The root of squares relative to a size; infinite if that is zero and they are not."""
    total = float(squares.sum())
    if total == 0:
        return 0.0
    return float(np.sqrt(total / size)) if size > 0 else float("inf")
