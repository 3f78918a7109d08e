"""Correction on more points than fit in memory: rows are processed in slabs.

Growth needs all columns at once and uses only some of the points. The weights are then corrected on
all of them. Each slab of rows is reduced to a triangle by QR and discarded; the triangular factor
of the stacked triangles is that of the whole matrix, so nothing is lost. Slabs are independent, so
others may work on them: points go to them, and triangles come back.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.system import System
from piscm.assemble.unknowns import bounds_of
from piscm.budget.budget import current
from piscm.budget.clock import check_time
from piscm.construct.construction import Construction
from piscm.linalg.threads import one_thread
from piscm.linalg.truncated import solve_triangle
from piscm.linalg.tsqr import Triangles, triangle_of
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# Entries in the columns used by growth, which holds some ten arrays of this size, and the number of
# points of the equations that it may have however many columns there are.
_COLUMNS = 10_000_000
_ENOUGH_POINTS = 10_000
# Arrays of that size that may be alive at a time, and the least that is asked for.
_ALIVE, _LEAST_POINTS = 12, 1000
# Entries in the columns of one slab; some ten arrays of this size are alive at a time.
_SLAB = 4_000_000
_ROUNDS = 3
_STILL_GAINING = 0.99


@dataclass(frozen=True)
class Corrected:
    """Output weights and unknowns after the correction, and the residual on all points."""

    weights: Floats
    unknowns: Floats
    residual: float


def most_points(method: Construction, fields: int) -> int:
    """How many points of the equations growth can handle, with its nodes and its candidates."""
    columns = max(method.max_nodes, method.selector.candidates) * fields
    enough = max(_ENOUGH_POINTS, _COLUMNS // columns)
    memory = current().memory / (8.0 * _ALIVE * columns)
    return int(min(enough, max(_LEAST_POINTS, memory)))


def correct_on_all(
    assembly: Assembly,
    nodes: Nodes,
    weights: Floats,
    unknowns: Floats,
    method: Construction,
    executor: Executor | None = None,
) -> Corrected:
    """Gauss–Newton on all points, a few iterations from a good start.

    Parameters
    ----------
    executor : who works on slabs at the same time; the bits are the same whoever does
    """
    energy, bounds = np.inf, bounds_of(assembly.part.problem)
    for _ in range(_ROUNDS):
        triangle, energy = _triangle(assembly, nodes, weights, unknowns, method, executor)
        if not np.isfinite(triangle).all():
            break
        solution = solve_triangle(triangle, method.threshold).solution
        new, steps = solution[: weights.size], solution[weights.size :]
        steps = bounds.clip(unknowns, steps) if len(unknowns) else steps
        move = new.reshape(weights.shape) - weights
        length, reached = _length(
            assembly, nodes, (weights, unknowns), (move, steps), method, executor
        )
        if not reached < energy:
            break
        gained = reached < _STILL_GAINING * energy
        weights, unknowns, energy = weights + length * move, unknowns + length * steps, reached
        if not gained:
            break
    return Corrected(weights, unknowns, float(np.sqrt(energy)))


def _triangle(
    assembly: Assembly,
    nodes: Nodes,
    weights: Floats,
    unknowns: Floats,
    method: Construction,
    executor: Executor | None,
) -> tuple[Floats, float]:
    """R of all columns, unknowns and target; the squared residual."""
    triangles, energy = Triangles(), 0.0
    work = partial(reduced, nodes=nodes, weights=weights, unknowns=unknowns)
    for triangle, own in _worked(executor, work, assembly, weights.size, method):
        check_time()
        triangles.add(triangle)
        energy += own
    return triangles.merged(), energy


def reduced(
    system: System, nodes: Nodes, weights: Floats, unknowns: Floats
) -> tuple[Floats, float]:
    """The triangle of one slab and its squared residual; runs in any process."""
    with one_thread():
        columns = system.evaluate(nodes)
        state = system.state_with(columns, weights, unknowns)
        linearization = system.linearize(state)
        design = columns.at(linearization).reshape(-1, system.rows)
        target = weights.ravel() @ design - state.residual
        rows = np.concatenate([design, linearization.unknowns, target[None]]).T
        return triangle_of(rows), state.energy


def _length(
    assembly: Assembly,
    nodes: Nodes,
    at: tuple[Floats, Floats],
    step: tuple[Floats, Floats],
    method: Construction,
    executor: Executor | None,
) -> tuple[float, float]:
    """The best step length, and the squared residual after it."""
    lengths = np.array(sorted(method.search_steps, reverse=True))
    energies = np.zeros(len(lengths))
    work = partial(searched, nodes=nodes, at=at, step=step, lengths=lengths)
    for own in _worked(executor, work, assembly, at[0].size, method):
        energies += own
    energies[~np.isfinite(energies)] = np.inf
    best = int(np.argmin(energies))
    return float(lengths[best]), float(energies[best])


def searched(
    system: System,
    nodes: Nodes,
    at: tuple[Floats, Floats],
    step: tuple[Floats, Floats],
    lengths: Floats,
) -> Floats:
    """The squared residual of one slab after steps of some lengths; runs in any process."""
    with one_thread():
        columns = system.evaluate(nodes)
        state = system.state_with(columns, *at)
        full = system.together(columns, slice(0, len(at[0])), *step)
        energies = np.zeros(len(lengths))
        for number, length in enumerate(lengths):
            residual = system.residuals(state, full.times(np.array([length])))[0]
            energies[number] = float(residual @ residual)
        return energies


def _worked(
    executor: Executor | None,
    work: Callable[[System], Any],
    assembly: Assembly,
    columns: int,
    method: Construction,
) -> Iterator[Any]:
    """What is found on each slab, in their order."""
    slabs = _slabs(assembly, columns, method.activation)
    yield from map(work, slabs) if executor is None else executor.map(work, slabs)


def _slabs(assembly: Assembly, columns: int, activation: str) -> Iterator[System]:
    """Systems of some of the points each, weighted as parts of the whole."""
    size = max(1000, _SLAB // max(1, columns))
    for first in range(0, max(assembly.points.rows), size):
        yield assembly.slab(slice(first, first + size), activation)
