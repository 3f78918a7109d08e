r"""Error estimate: the linearized error equation, solved in a richer space.

With u the solution found and R its residual, the error :math:`\delta` satisfies
:math:`R'(u)\,\delta \approx -R(u)`, and likewise for the conditions. It is solved by least squares
at fresh points, with the nodes of the solution and half as many new ones that are variations of
them, window by window: each passes its error on to the next, so errors grow or decay along the way
as they do in the solution.

The estimate is honest about what it cannot see. A residual that even the richer space does not lower
counts as an error of its own size; where the linearization does not lead to a smaller residual, or
where the problem leaves the fields free (`piscm.inference.freedom`), the estimate is infinite. The
noise of observations adds its share.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.assemble.marching import marching_coordinate
from piscm.assemble.state import State
from piscm.assemble.windows import Part
from piscm.inference.freedom import free_fields
from piscm.inference.richer import FittedPoints, RicherSpace, richer_space
from piscm.inference.uncertainty import Uncertainty
from piscm.linalg.truncated import solve_triangle
from piscm.network.network import Network
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_TRUNCATION = 1e-13
# The correction is repeated while the true residual of what it leads to is above this fraction of
# the one before, at most so often.
_FALLEN, _STEPS = 0.5, 4
# A residual below this fraction of the fields that does not fall is round-off.
_ROUND_OFF = 1e-9
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
    free : tuple of str
        The fields that the problem does not determine.
    """

    relative: float
    by_field: dict[str, float]
    free: tuple[str, ...] = field(default=())


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
    whole = _determining(problem)
    names = [str(item.func) for item in problem.fields]
    compiled = [network.compile(item) for item in problem.fields]
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    squares, sizes, volume = np.zeros(len(names)), np.zeros(len(names)), 0.0
    before: Network | None = None
    free: tuple[int, ...] = ()
    for number, (low, high, own) in enumerate(_windows(network)):
        part = whole
        if network.panels is not None:
            coordinate = problem.domain.coordinates[network.panels.axis]
            part = whole.window(coordinate, low, high, before)
        known = fitted[number] if number < len(fitted) else {}
        space = richer_space(part, own, known, rng)
        if number == 0:  # what is free is so in every window, or in the first alone
            free = free_fields(space, known)
        corrected, unseen = _corrected(space)
        share = float(np.prod(part.problem.domain.bounding_box.width))
        volume += share
        for index, item in enumerate(compiled):
            found = own.value(item, space.points)
            moved = corrected.value(item, space.points) - found
            squares[index] += share * (np.mean(moved**2) + unseen**2)
            sizes[index] += share * np.mean(found**2)
            if uncertainty is not None:
                some = space.points[:_NOISE_POINTS]
                deviation = network.deviation(item, some, uncertainty.factor)
                squares[index] += share * np.mean(deviation**2)
        before = corrected
    squares[list(free)] = np.inf
    squares = np.where(np.isfinite(squares), squares, np.inf)
    size, wrong = float(sizes.sum()), float(squares.sum())
    relative = float(np.sqrt(wrong / size)) if size > 0 else (0.0 if wrong == 0 else float("inf"))
    errors = dict(zip(names, map(float, np.sqrt(squares / volume)), strict=True))
    return ErrorEstimate(relative, errors, tuple(names[index] for index in free))


def _determining(problem: Problem) -> Part:
    """What determines the state: without data where initial conditions do."""
    whole = Part.whole(problem)
    if marching_coordinate(problem) is not None and len(problem.fields) <= len(problem.equations):
        return whole.without_observations()  # noise in data is not an error of the state
    return whole


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


def _corrected(space: RicherSpace) -> tuple[Network, float]:
    """The solution corrected in the richer space, and how much of its residual stays unseen.

    Gauss–Newton: one step where the linearization holds, a few more where the true residual falls
    too little; infinite if it does not fall.
    """
    weights, state = space.weights, space.state
    first = last = _norm(space, state)
    for _ in range(_STEPS):
        both = np.concatenate([space.design_at(state), -state.residual[None]]).T
        triangle = scipy.linalg.qr(both, mode="r", check_finite=False, overwrite_a=True)[0]
        step = solve_triangle(triangle[: both.shape[1]], _TRUNCATION).solution
        weights = weights + step.reshape(weights.shape)
        state = space.system.state_with(space.columns, weights, space.own.unknowns)
        left = _norm(space, state)
        if space.system.is_linear or not left > _FALLEN * last:
            break
        last = left
    unseen = max(0.0, 2.0 * left - first)
    if not left <= first and not space.system.is_linear and not left < _ROUND_OFF * _size(space):
        unseen = float("inf")
    return space.network(weights), unseen


def _norm(space: RicherSpace, state: State) -> float:
    """The residual without data, whose noise no space should follow."""
    rows = [placed.rows for placed in space.system.placed if not placed.block.observed]
    return float(np.sqrt(sum(float(np.sum(state.residual[own] ** 2)) for own in rows)))


def _size(space: RicherSpace) -> float:
    """The root mean square of all fields."""
    compiled = [space.own.compile(item) for item in space.part.problem.fields]
    values = [space.own.value(item, space.points) for item in compiled]
    return float(np.sqrt(sum(float(np.mean(own**2)) for own in values)))
