"""Correction on more points than fit in memory: rows are processed in slabs.

Growth needs all columns at once and uses only some of the points. The weights are then corrected on
all of them. Each slab of rows is reduced to a triangle by QR and discarded; the triangular factor
of the stacked triangles is that of the whole matrix, so nothing is lost.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.system import System
from piscm.budget.clock import check_work
from piscm.construct.construction import Construction
from piscm.linalg.bounded import Bounds
from piscm.linalg.truncated import solve_triangle
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# Entries in the columns used by growth, which holds some ten arrays of this size, and the number of
# points of the equations that it may have however many columns there are.
_COLUMNS = 10_000_000
_ENOUGH_POINTS = 10_000
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
    nodes = max(method.max_nodes, method.selector.candidates)
    return max(_ENOUGH_POINTS, _COLUMNS // (nodes * fields))


def correct_on_all(
    assembly: Assembly, nodes: Nodes, weights: Floats, unknowns: Floats, method: Construction
) -> Corrected:
    """Gauss–Newton on all points, a few iterations from a good start."""
    energy = np.inf
    for _ in range(_ROUNDS):
        triangle, energy, bounds = _triangle(assembly, nodes, weights, unknowns, method)
        if not np.isfinite(triangle).all():
            break
        solution = solve_triangle(triangle, method.threshold).solution
        new, steps = solution[: weights.size], solution[weights.size :]
        steps = bounds.clip(unknowns, steps) if len(unknowns) else steps
        move = new.reshape(weights.shape) - weights
        length, reached = _length(assembly, nodes, weights, unknowns, move, steps, method)
        if not reached < energy:
            break
        gained = reached < _STILL_GAINING * energy
        weights, unknowns, energy = weights + length * move, unknowns + length * steps, reached
        if not gained:
            break
    return Corrected(weights, unknowns, float(np.sqrt(energy)))


def _triangle(
    assembly: Assembly, nodes: Nodes, weights: Floats, unknowns: Floats, method: Construction
) -> tuple[Floats, float, Bounds]:
    """R of all columns, unknowns and target; the squared residual; bounds of the unknowns."""
    triangle, energy = np.zeros((0, weights.size + len(unknowns) + 1)), 0.0
    for system in _slabs(assembly, weights.size, method.activation):
        check_work(2.0 * weights.size**2 * system.rows)
        columns = system.evaluate(nodes)
        state = system.state_with(columns, weights, unknowns)
        energy += state.energy
        linearization = system.linearize(state)
        design = columns.at(linearization).reshape(-1, system.rows)
        target = weights.ravel() @ design - state.residual
        stacked = np.concatenate([design, linearization.unknowns, target[None]]).T
        stacked = np.concatenate([triangle, stacked]) if len(triangle) else stacked
        reduced = scipy.linalg.qr(stacked, mode="r", check_finite=False, overwrite_a=True)[0]
        triangle = reduced[: stacked.shape[1]]
    return triangle, energy, system.bounds


def _length(
    assembly: Assembly,
    nodes: Nodes,
    weights: Floats,
    unknowns: Floats,
    move: Floats,
    steps: Floats,
    method: Construction,
) -> tuple[float, float]:
    """The best step length, and the squared residual after it."""
    lengths = np.array(sorted(method.search_steps, reverse=True))
    energies = np.zeros(len(lengths))
    for system in _slabs(assembly, weights.size, method.activation):
        columns = system.evaluate(nodes)
        state = system.state_with(columns, weights, unknowns)
        full = system.together(columns, slice(0, len(weights)), move, steps)
        for number, length in enumerate(lengths):
            residual = system.residuals(state, full.times(np.array([length])))[0]
            energies[number] += float(residual @ residual)
    energies[~np.isfinite(energies)] = np.inf
    best = int(np.argmin(energies))
    return float(lengths[best]), float(energies[best])


def _slabs(assembly: Assembly, columns: int, activation: str) -> Iterator[System]:
    """Systems of some of the points each, weighted as parts of the whole."""
    size = max(1000, _SLAB // max(1, columns))
    for first in range(0, max(assembly.points.rows), size):
        yield assembly.slab(slice(first, first + size), activation)
