r"""Error estimate: the linearized error equation, solved in a richer space.

With u the solution found and R its residual, the error :math:`\delta` satisfies
:math:`R'(u)\,\delta \approx -R(u)`, and likewise for the conditions. It is solved by least squares
at fresh points, with the nodes of the solution and half as many new ones that are variations of
them, window by window: each passes its error on to the next, so errors grow or decay along the way
as they do in the solution. What even the richer space cannot express is not seen.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.marching import marching_coordinate, runs_backward
from piscm.assemble.row_scaling import row_scaling
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points, Site, draw_points, join
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part
from piscm.linalg.truncated import solve_triangle
from piscm.network.draw import Draw
from piscm.network.network import Network
from piscm.network.nodes import concatenate
from piscm.problem.place import Legs

Floats = NDArray[np.float64]
FittedPoints = Mapping[tuple[str, Hashable], Legs]
"""The fitted points of one window, by the name and the place of the block."""

# New nodes in addition to those of the solution: this fraction of them, and at least this many.
_RICHER = 0.5
_AT_LEAST = 50
# Fresh points per node, alone and in addition to fitted ones.
_POINTS_PER_NODE, _POINTS_BESIDE = 3, 1.5
_TRUNCATION = 1e-13


@dataclass(frozen=True)
class ErrorEstimate:
    """The error of a solution, as far as it can be estimated without the exact one.

    Attributes
    ----------
    relative : float
        The root mean square error of all fields relative to the root mean square of the fields.
    by_field : dict of str to float
        The root mean square error of each field, in its own units.
    """

    relative: float
    by_field: dict[str, float]


def estimate_error(
    network: Network, seed: int = 0, fitted: Sequence[FittedPoints] = ()
) -> ErrorEstimate:
    """The estimated error of a network, over all windows.

    Parameters
    ----------
    fitted : the fitted points of each window, if known
        They are dense where the nodes are steep; fresh points alone would be too sparse there.
    """
    problem = network.problem
    whole = Part.whole(problem)
    if marching_coordinate(problem) is not None and len(problem.fields) <= len(problem.equations):
        # Initial conditions determine the state; noise in data is not an error of it.
        whole = whole.without_observations()
    names = [str(item.func) for item in problem.fields]
    compiled = [network.compile(item) for item in problem.fields]
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    squares, sizes, volume = np.zeros(len(names)), np.zeros(len(names)), 0.0
    before: Network | None = None
    windows = list(enumerate(_windows(network)))
    if network.panels is not None:
        coordinate = problem.domain.coordinates[network.panels.axis]
        if runs_backward(problem, coordinate):
            windows.reverse()
    for number, (low, high, own) in windows:
        part = whole
        if network.panels is not None:
            part = whole.window(coordinate, low, high, before)
        known = fitted[number] if number < len(fitted) else {}
        corrected, points = _corrected(part, own, known, rng)
        share = float(np.prod(part.problem.domain.bounding_box.width))
        volume += share
        for index, item in enumerate(compiled):
            found = own.value(item, points)
            squares[index] += share * np.mean((corrected.value(item, points) - found) ** 2)
            sizes[index] += share * np.mean(found**2)
        before = corrected
    size = float(sizes.sum())
    wrong = float(squares.sum())
    relative = float(np.sqrt(wrong / size)) if size > 0 else (0.0 if wrong == 0 else float("inf"))
    errors = np.sqrt(squares / volume)
    return ErrorEstimate(relative, dict(zip(names, map(float, errors), strict=True)))


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


def _corrected(
    part: Part, own: Network, fitted: FittedPoints, rng: np.random.Generator
) -> tuple[Network, Floats]:
    """One Gauss–Newton step in the richer space, and points for the comparison."""
    problem = part.problem
    more = max(_AT_LEAST, int(_RICHER * len(own.nodes)))
    count = len(own.nodes) + more
    flat = problem.domain.dimension <= 2
    each = _POINTS_BESIDE if fitted else _POINTS_PER_NODE
    interior = int(each * count * max(1, len(problem.fields) // len(problem.equations)))
    sampling = Sampling(interior, interior // 4 if flat else interior // 2)
    fresh = draw_points(problem.domain, part.blocks, sampling, rng)
    compared = fresh[0][0].points
    points = _beside(part, fresh, fitted)
    scaling = row_scaling(problem, part.blocks, points, own.start, rng)
    system = Assembly(part, points, EVEN, own.start, scaling).system(own.activation)
    centers = _centers(part, own, points, more, rng) if system.activation.localized else None
    added = Draw(problem.domain, None).free(more, 1.0, rng, own.nodes, centers)
    nodes = concatenate([own.nodes, added])
    columns = system.evaluate(nodes)
    old = np.concatenate([own.weights, np.zeros((more, len(problem.fields)))])
    state = system.state_with(columns, old, own.unknowns)
    design = columns.at(system.linearize(state)).reshape(-1, system.rows)
    design[~np.isfinite(design).all(axis=1)] = 0.0  # nodes that overflow
    both = np.concatenate([design, -state.residual[None]]).T
    triangle = scipy.linalg.qr(both, mode="r", check_finite=False, overwrite_a=True)[0]
    step = solve_triangle(triangle[: both.shape[1]], _TRUNCATION).solution.reshape(old.shape)
    corrected = Network(problem, own.start, own.activation, nodes, old + step, own.unknowns)
    return corrected, compared


def _beside(part: Part, fresh: Points, fitted: FittedPoints) -> Points:
    """Fresh points added to the fitted ones, which are dense where the nodes are steep."""
    keys = {n: block.key for block, n in zip(part.blocks, fresh.of_block, strict=True)}

    def joined(number: int, site: Site) -> Site:
        known = fitted.get(keys[number], ())
        if not site.resampled or len(known) != len(site.legs):
            return site
        return Site(join(known, site.legs))

    return fresh.changed(joined)


def _centers(
    part: Part, own: Network, points: Points, count: int, rng: np.random.Generator
) -> Floats:
    """Centers of new nodes: points of the first equation, drawn by its squared residual."""
    index = next(i for i, block in enumerate(part.blocks) if block.kind == "equations")
    square = own.residual(part.blocks[index], points[index]) ** 2
    chance = square / square.sum() if square.sum() > 0 else None
    return np.asarray(points[index][0].points[rng.choice(len(square), count, p=chance)])
