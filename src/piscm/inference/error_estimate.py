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
import scipy.linalg
from numpy.typing import NDArray

from piscm.assemble.row_scaling import equalizing, loudness
from piscm.assemble.sampling import Sampling, block_points
from piscm.assemble.system import System
from piscm.assemble.windows import (
    marching_coordinate,
    observed_inside,
    window_blocks,
    window_box,
    with_values_of,
)
from piscm.compile.blocks import Block, compile_blocks
from piscm.linalg.truncated import solve_triangle
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.model import Network
from piscm.network.nodes import Nodes, concatenate
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]
FittedPoints = Mapping[str, tuple[Floats, ...]]
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
    blocks = compile_blocks(problem)
    if marching_coordinate(problem) is not None and len(problem.fields) <= len(problem.equations):
        # Initial conditions determine the state, and noise of data is no error of it.
        blocks = [block for block in blocks if block.kind != "observations"]
    names = [str(item.func) for item in problem.fields]
    compiled = [network.compile(item) for item in problem.fields]
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    squares, sizes, volume = np.zeros(len(names)), np.zeros(len(names)), 0.0
    before: Network | None = None
    for number, (inside, part) in enumerate(_parts(network)):
        known = fitted[number] if number < len(fitted) else {}
        corrected, points = _corrected(problem, blocks, inside, part, before, known, rng)
        share = float(np.prod(inside.domain.width))
        volume += share
        for index, item in enumerate(compiled):
            found = part.value(item, points)
            squares[index] += share * np.mean((corrected.value(item, points) - found) ** 2)
            sizes[index] += share * np.mean(found**2)
        before = corrected
    size = float(sizes.sum())
    wrong = float(squares.sum())
    relative = float(np.sqrt(wrong / size)) if size > 0 else (0.0 if wrong == 0 else float("inf"))
    errors = np.sqrt(squares / volume)
    return ErrorEstimate(relative, dict(zip(names, map(float, errors), strict=True)))


def _parts(network: Network) -> Iterator[tuple[Problem, Network]]:
    """Each window of a network as one of its own."""
    problem, panels = network.problem, network.panels
    if panels is None:
        yield problem, network
        return
    coordinate = problem.domain.coordinates[panels.axis]
    low, high = problem.domain.lower[panels.axis], problem.domain.upper[panels.axis]
    ends = [float(low), *panels.edges, float(high)]
    first = 0
    for number, count in enumerate(panels.counts):
        own = slice(first, first + count)
        first += count
        box = window_box(problem, coordinate, ends[number], ends[number + 1])
        inside = problem.within(box)
        nodes = Nodes(network.nodes.weights[own], network.nodes.biases[own])
        yield (
            inside,
            Network(
                inside,
                network.start,
                panels.activations[number],
                nodes,
                network.weights[own],
                network.unknowns,
            ),
        )


def _corrected(
    problem: Problem,
    blocks: Sequence[Block],
    inside: Problem,
    part: Network,
    before: Network | None,
    fitted: FittedPoints,
    rng: np.random.Generator,
) -> tuple[Network, Floats]:
    """One step of Gauss–Newton in the richer space, and points to compare at."""
    more = max(_AT_LEAST, int(_RICHER * len(part.nodes)))
    count = len(part.nodes) + more
    flat = inside.domain.dimension <= 2
    each = _POINTS_BESIDE if fitted else _POINTS_PER_NODE
    interior = int(each * count * max(1, len(problem.fields) // len(problem.equations)))
    sampling = Sampling(interior, interior // 4 if flat else interior // 2)
    cut, handed = list(blocks), list[int]()
    whole, own = problem.domain, inside.domain
    changed = np.flatnonzero((own.lower != whole.lower) | (own.upper != whole.upper))
    if len(changed):
        axis = int(changed[0])
        low, high = float(own.lower[axis]), float(own.upper[axis])
        coordinate = problem.domain.coordinates[axis]
        cut, handed = window_blocks(problem, blocks, coordinate, low, high)
    points = block_points(inside, cut, sampling, rng)
    if len(changed):
        cut, handed, points = observed_inside(cut, handed, points, whole, axis, low, high)
    compared = points[0][0]
    points = [
        new if block.kind == "observations" else _joined(fitted.get(block.name, ()), new)
        for block, new in zip(cut, points, strict=True)
    ]
    tied = with_values_of(cut, handed, points, before)
    activation = activation_named(part.activation)
    weights = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
    waves = System(inside, tied, points, weights, activation_named("sin"), part.start)
    emphasis = equalizing(loudness(waves, tied, rng), tied, points)
    system = System(inside, tied, points, weights, activation, part.start, emphasis)
    centers = None
    if part.activation != "sin":
        index = next(i for i, block in enumerate(tied) if block.kind == "equations")
        square = part.residual(tied[index], points[index]) ** 2
        chance = square / square.sum() if square.sum() > 0 else None
        places = rng.choice(len(square), more, p=chance)
        centers = points[index][0][places]
    fresh = Draw(inside.domain, None).free(more, 1.0, rng, part.nodes, centers)
    nodes = concatenate([part.nodes, fresh])
    rows = system.evaluate(nodes)
    old = np.concatenate([part.weights, np.zeros((more, len(problem.fields)))])
    state = system.state_with(rows, old, part.unknowns)
    system.write_nonlinear(rows, slice(None), system.linearize(state))
    columns = rows.design.reshape(-1, system.rows)
    columns[~np.isfinite(columns).all(axis=1)] = 0.0  # nodes beyond the arithmetic
    both = np.concatenate([columns, -state.residual[None]]).T
    triangle = scipy.linalg.qr(both, mode="r", check_finite=False, overwrite_a=True)[0]
    step = solve_triangle(triangle[: both.shape[1]], _TRUNCATION).solution.reshape(old.shape)
    corrected = Network(inside, part.start, part.activation, nodes, old + step, part.unknowns)
    return corrected, compared


def _joined(some: tuple[Floats, ...], others: tuple[Floats, ...]) -> tuple[Floats, ...]:
    if len(some) != len(others):
        return others
    return tuple(np.concatenate(pair) for pair in zip(some, others, strict=True))
