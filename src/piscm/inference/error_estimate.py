r"""How wrong a solution is: the linearized error equation, solved in a richer space.

With u the solution found and R its residual, the error :math:`\delta` satisfies
:math:`R'(u)\,\delta \approx -R(u)`, and the same for the conditions. It is solved by least squares
at fresh points, with the nodes of the solution and half as many new ones that take after them, one
window after the other: each hands its error on to the next, so that what grows or dies out on the
way does so here too. What the richer space cannot express either is not seen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.marching import marching_coordinate
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
FittedPoints = Mapping[str, Legs]
"""The points of one window that were fitted, by the name of the block."""

# New nodes beside those of the solution, as a share of them, and at least so many.
_RICHER = 0.5
_AT_LEAST = 50
# Fresh points for each node, alone and beside those that were fitted.
_POINTS_PER_NODE, _POINTS_BESIDE = 3, 1.5
_TRUNCATION = 1e-13


@dataclass(frozen=True)
class ErrorEstimate:
    """The error of a solution, as far as it can be told without knowing the truth.

    Attributes
    ----------
    relative : float
        The root mean square of the error of all fields beside that of the fields.
    by_field : dict of str to float
        The root mean square error of each field, in its own units.
    """

    relative: float
    by_field: dict[str, float]


def estimate_error(
    network: Network, seed: int = 0, fitted: Sequence[FittedPoints] = ()
) -> ErrorEstimate:
    """The estimated error of a network, all windows together.

    Parameters
    ----------
    fitted : for each window the points that were fitted, if they are known
        They stand close where the nodes are steep; there fresh points alone would be too few.
    """
    problem = network.problem
    whole = Part.whole(problem)
    if marching_coordinate(problem) is not None and len(problem.fields) <= len(problem.equations):
        # Initial conditions determine the state, and noise of data is no error of it.
        whole = whole.without_observations()
    names = [str(item.func) for item in problem.fields]
    compiled = [network.compile(item) for item in problem.fields]
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    squares, sizes, volume = np.zeros(len(names)), np.zeros(len(names)), 0.0
    before: Network | None = None
    for number, (low, high, own) in enumerate(_windows(network)):
        part = whole
        if network.panels is not None:
            coordinate = problem.domain.coordinates[network.panels.axis]
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
    """Each window of a network: where it begins and ends, and its own network."""
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
    """One step of Gauss–Newton in the richer space, and points to compare at."""
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
    design[~np.isfinite(design).all(axis=1)] = 0.0  # nodes beyond the arithmetic
    both = np.concatenate([design, -state.residual[None]]).T
    triangle = scipy.linalg.qr(both, mode="r", check_finite=False, overwrite_a=True)[0]
    step = solve_triangle(triangle[: both.shape[1]], _TRUNCATION).solution.reshape(old.shape)
    corrected = Network(problem, own.start, own.activation, nodes, old + step, own.unknowns)
    return corrected, compared


def _beside(part: Part, fresh: Points, fitted: FittedPoints) -> Points:
    """Fresh points beside those that were fitted, which stand close where the nodes are steep."""
    names = {number: block.name for block, number in zip(part.blocks, fresh.of_block, strict=True)}

    def joined(number: int, site: Site) -> Site:
        known = fitted.get(names[number], ())
        if not site.resampled or len(known) != len(site.legs):
            return site
        return Site(join(known, site.legs))

    return fresh.changed(joined)


def _centers(
    part: Part, own: Network, points: Points, count: int, rng: np.random.Generator
) -> Floats:
    """Places for new nodes: points of the first equation, in proportion to its squared residual."""
    index = next(i for i, block in enumerate(part.blocks) if block.kind == "equations")
    square = own.residual(part.blocks[index], points[index]) ** 2
    chance = square / square.sum() if square.sum() > 0 else None
    return np.asarray(points[index][0].points[rng.choice(len(square), count, p=chance)])
