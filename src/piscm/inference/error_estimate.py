r"""Error estimate: the linearized error equation, solved in a richer space.

With u the solution found and R its residual, the error :math:`\delta` satisfies
:math:`R'(u)\,\delta \approx -R(u)`, and likewise for the conditions. It is solved by least squares
at fresh points, with the nodes of the solution and half as many new ones that are variations of
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
from sympy import Symbol
from sympy.core.function import AppliedUndef

from piscm.assemble.grading import NEAREST, measuring
from piscm.assemble.marching import runs_backward
from piscm.assemble.windows import Part
from piscm.inference.freedom import Freedom, freedom
from piscm.inference.fresh_points import FittedPoints, beside, by_block
from piscm.inference.richer import RicherSpace, richer_space, triangle_of
from piscm.inference.uncertainty import Uncertainty
from piscm.linalg.damped import solve_damped_triangle
from piscm.network.network import Network
from piscm.problem.box import Box
from piscm.problem.mosaic import Mosaic
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# The correction is repeated while the true residual of what it leads to is above this fraction of
# the one before, at most so often.
_FALLEN, _STEPS = 0.5, 4
# A residual below this fraction of the fields that does not fall is round-off.
_ROUND_OFF = 1e-9
# The corrected residual is looked at elsewhere at most so often: while it is so many times larger
# there, and no small fraction of the residual of the solution.
_LOOKS, _PARTED, _ENOUGH = 3, 2.0, 0.3
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
    whole, left = _without_data(problem), Freedom(())
    panels = network.panels
    along = None if panels is None else problem.domain.coordinates[panels.axis]
    before: Network | None = None
    windows = list(enumerate(_windows(network)))
    if _runs_backward(network):
        windows.reverse()
    for turn, (number, (low, high, own)) in enumerate(windows):
        known = fitted[number] if number < len(fitted) else {}
        part = _window(whole, network, low, high, before)
        space = richer_space(part, own, known, rng, whole=problem, along=along)
        if turn == 0:  # what is free is so in every window, or in the first alone
            left = freedom(space, known)
            if left.fields and problem.observations and not whole.problem.observations:
                whole = Part.whole(problem)  # the data are needed
                part = _window(whole, network, low, high, before)
                space = richer_space(part, own, known, rng)
                left = freedom(space, known)
            if len(_as_written(problem, left.fields)) == len(names):
                return replace(unknown_error(problem), free=tuple(names))
        corrected, unseen, space = _checked(space, known, rng, problem, along)
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


def _without_data(problem: Problem) -> Part:
    """What may determine the state alone: noise in data is no error of the equations."""
    whole = Part.whole(problem)
    several = len(problem.fields) > len(problem.equations)
    return whole if several or not problem.conditions else whole.without_observations()


def _runs_backward(network: Network) -> bool:
    if network.panels is None:
        return False
    problem = network.problem
    return runs_backward(problem, problem.domain.coordinates[network.panels.axis])


def _window(whole: Part, network: Network, low: float, high: float, before: Network | None) -> Part:
    if network.panels is None:
        return whole
    return whole.window(network.problem.domain.coordinates[network.panels.axis], low, high, before)


def _windows(network: Network) -> Iterator[tuple[float, float, Network]]:
    """The ends of each window of a network, and its own network."""
    panels, domain = network.panels, network.problem.domain
    if panels is None:
        yield 0.0, 0.0, network
        return
    start, end = domain.span(domain.coordinates[panels.axis])
    ends = [start, *panels.edges, end]
    first = 0
    for number, count in enumerate(panels.counts):
        own = slice(first, first + count)
        first += count
        yield (
            ends[number],
            ends[number + 1],
            Network(
                network.problem,
                network.start,
                panels.activations[number],
                network.nodes.some(own),
                network.weights[own],
                network.unknowns,
            ),
        )


def _checked(
    space: RicherSpace,
    known: FittedPoints,
    rng: np.random.Generator,
    problem: Problem,
    along: Symbol | None,
) -> tuple[Network, float, RicherSpace]:
    """The correction, how much of the residual it leaves, and the space in which both hold.

    A richer space needs more points than the fit had. So the corrected residual is looked at
    elsewhere, and where it is much larger there, these points come in addition.
    """
    for turn in range(_LOOKS):
        corrected, left = _corrected(space)
        seen = space.elsewhere(corrected, rng)
        if turn == _LOOKS - 1 or not seen.after > max(_PARTED * left, _ENOUGH * seen.before):
            break
        known = by_block(space.part, beside(space.part, seen.points, known))
        space = richer_space(space.part, space.own, known, rng, whole=problem, along=along)
    # Data that are needed to determine the fields may be noisy: no space should follow the noise.
    unseen = 0.0 if space.part.problem.observations else max(0.0, 2.0 * seen.after - seen.before)
    return corrected, unseen if np.isfinite(left) else float("inf"), space


def _corrected(space: RicherSpace) -> tuple[Network, float]:
    """The solution corrected in the richer space, and its residual.

    Gauss–Newton: one step where the linearization holds, a few more where the true residual falls
    too little; infinite if it does not fall.
    """
    weights, state = space.weights, space.state
    unknowns, amplitudes = space.own.unknowns, _amplitudes(space)
    first = last = float(state.norm)
    triangle = space.triangle if not len(amplitudes) else None
    for turn in range(_STEPS):
        if turn > 0 or triangle is None:
            moves = space.system.linearize(state).unknowns[amplitudes]
            triangle = triangle_of(np.concatenate([space.design_at(state), moves]), state)
        step = solve_damped_triangle(triangle)
        weights = weights + step[: weights.size].reshape(weights.shape)
        unknowns = unknowns.copy()
        unknowns[amplitudes] += step[weights.size :]
        state = space.system.state_with(space.columns, weights, unknowns)
        left = float(state.norm)
        if space.system.is_linear or not left > _FALLEN * last:
            break
        last = left
    if not left <= first and not space.system.is_linear and not left < _ROUND_OFF * space.size:
        left = float("inf")
    return space.network(weights, unknowns), left


def _amplitudes(space: RicherSpace) -> NDArray[np.intp]:
    """The unknowns that are factors of singular functions: a part of the fields."""
    problem = space.part.problem
    return np.flatnonzero([symbol in problem.amplitudes for symbol in problem.unknowns])
