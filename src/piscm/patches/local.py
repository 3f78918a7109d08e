"""What is computed on one patch: its factor, its weights, its residual.

Everything here is a function of plain data, so it may run in any process.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_time, check_work
from piscm.linalg.elimination import Share, Values
from piscm.linalg.upper import upper_factor
from piscm.patches.patch import UNKNOWNS, Common, Patch, Slab, slabs

Floats = NDArray[np.float64]

# Combinations of nodes that the rows see less than this, relatively, get no weight.
_TRUNCATION = 1e-13
# Columns are factored with all rows at once unless there are this many times as many rows.
_TALL = 6


@dataclass(frozen=True)
class Current:
    """The approximation on a patch, where the equations are linearized.

    Attributes
    ----------
    weights : ndarray, shape (nodes, fields), or None
    unknowns : ndarray, shape (unknowns,)
    jets : tuple of ndarray
        Without weights: the fields of another solution, by the jets of each leg of a nonlinear
        block at its points; none for the start.
    """

    weights: Floats | None
    unknowns: Floats
    jets: tuple[Floats, ...] = ()


@dataclass(frozen=True)
class DataNoise:
    """A random right-hand side: in the rows of each block, noise of a standard deviation."""

    key: int
    deviations: tuple[float, ...]


Noise = int | DataNoise
"""A random right-hand side; a key alone: noise of root mean square 1 in the rows of each block."""


def data_noise(key: int, block: int, count: int) -> Floats:
    """Standard normal noise of the data of a block, the same for whoever asks."""
    return np.random.default_rng([key, 1 << 20, block]).standard_normal(count)


@dataclass(frozen=True)
class Leaf:
    """A patch with its own weights eliminated.

    Attributes
    ----------
    share : Share
        Rows in the traces and unknowns alone.
    triangle, top, pivots, lengths
        The weights as a function of those: ``triangle @ (lengths * weights)[pivots] = top``.
    fields : int
    """

    share: Share
    triangle: Floats
    top: Floats
    pivots: NDArray[np.intp]
    lengths: Floats
    fields: int

    def weights(self, values: Values) -> Floats:
        """The weights for given traces, shape (nodes, fields, right-hand sides)."""
        groups = self.share.groups
        across = sum(len(values[group]) for group in groups)
        right = self.top[:, across:]
        if groups:
            known = np.ascontiguousarray(np.concatenate([values[g] for g in groups]))
            right = right - self.top[:, :across] @ known
        found = np.zeros((len(self.lengths), right.shape[1]))
        found[self.pivots] = scipy.linalg.solve_triangular(self.triangle, right, check_finite=False)
        return (found / self.lengths[:, None]).reshape(-1, self.fields, right.shape[1])


def leaf(
    common: Common, patch: Patch, current: Current, sizes: dict[int, int], noise: Sequence[Noise]
) -> Leaf:
    """Eliminate the weights of a patch.

    Parameters
    ----------
    noise : random right-hand sides
    """
    matrix: Floats | None = None
    for slab in slabs(common, patch, sizes):
        check_time()
        rows = _rows(common, patch, slab, current, noise)
        matrix = rows if matrix is None else _triangle(np.concatenate([matrix, rows]))
    assert matrix is not None
    columns = len(patch.nodes) * len(common.problem.fields)
    if len(matrix) > _TALL * matrix.shape[1]:
        matrix = _triangle(matrix)
    check_work(4.0 * len(matrix) * columns * matrix.shape[1])
    return _eliminated(matrix, columns, patch.groups, len(common.problem.fields))


def _eliminated(matrix: Floats, columns: int, groups: tuple[int, ...], fields: int) -> Leaf:
    own, rest = matrix[:, :columns], matrix[:, columns:]
    lengths = np.sqrt(np.einsum("nk,nk->k", own, own))
    usable = np.isfinite(lengths) & (lengths > 0)
    lengths = np.where(usable, lengths, 1.0)
    own = np.where(usable, own, 0.0) / lengths
    (factor, tau), triangle, pivots = scipy.linalg.qr(
        own, mode="raw", pivoting=True, overwrite_a=True, check_finite=False
    )
    diagonal = np.abs(np.diag(triangle))
    rank = int((diagonal > _TRUNCATION * diagonal[0]).sum()) if len(diagonal) else 0
    turned = _turned(factor[:, : len(tau)], tau, rest)
    left = turned[rank:]
    if len(left) > left.shape[1]:
        left = _triangle(left)
    # The lower part of LAPACK's array holds reflections.
    head = np.triu(triangle[:rank, :rank])
    return Leaf(Share(groups, left), head, turned[:rank].copy(), pivots[:rank], lengths, fields)


def _turned(factor: Floats, tau: Floats, rest: Floats) -> Floats:
    """The transpose of Q, given by its reflections, times a matrix."""
    if not len(tau):
        return rest
    work = max(1, 64 * rest.shape[1])
    turned, _, _ = scipy.linalg.lapack.dormqr(
        "L", "T", factor, tau, np.asfortranarray(rest), work, overwrite_c=True
    )
    return np.asarray(turned)


def _triangle(matrix: Floats) -> Floats:
    check_work(2.0 * matrix.shape[0] * matrix.shape[1] ** 2)
    return upper_factor(matrix)


def _rows(
    common: Common, patch: Patch, slab: Slab, current: Current, noise: Sequence[Noise]
) -> Floats:
    """The rows of a slab: own columns, traces, unknowns, right-hand sides."""
    system = slab.system
    columns = system.evaluate(patch.nodes)
    if current.weights is not None:
        state = system.state_with(columns, current.weights, current.unknowns)
    elif current.jets:
        state = system.state_from(current.jets, current.unknowns)
    else:
        state = system.start()
    linearization = system.linearize(state)
    design = columns.at(linearization).reshape(-1, system.rows)
    own = current.weights
    pulled = system.pull(state) if own is None else own.ravel() @ design
    by_unknowns = linearization.unknowns.T
    target = pulled + by_unknowns @ state.unknowns - state.residual
    held = by_unknowns if UNKNOWNS in patch.groups else by_unknowns[:, :0]
    sides = [target, *(_noise(common, slab, patch, own) for own in noise)]
    return np.concatenate(
        [design.T, slab.traces, held, np.stack(sides, axis=1)], axis=1, dtype=float
    )


def _noise(common: Common, slab: Slab, patch: Patch, own: Noise) -> Floats:
    if isinstance(own, DataNoise):
        return _weighted_noise(common, slab, patch, own)
    rng = np.random.default_rng([own, patch.number])
    noise = np.empty(slab.system.rows)
    for placed in slab.system.placed:
        rows = placed.rows.stop - placed.rows.start
        noise[placed.rows] = rng.standard_normal(rows) / np.sqrt(max(1, rows))
    return noise


def _weighted_noise(common: Common, slab: Slab, patch: Patch, own: DataNoise) -> Floats:
    """Noise of given deviations, weighted as the rows are; none in ties."""
    rng = np.random.default_rng([own.key, patch.number])
    noise = np.zeros(slab.system.rows)
    for placed in slab.system.placed:
        number, rows = slab.numbers[placed.number], slab.data[placed.number]
        if number >= len(own.deviations):
            continue
        data, count = common.blocks[number].data, placed.rows.stop - placed.rows.start
        if data is None or rows is None:
            drawn = rng.standard_normal(count)
        else:
            drawn = data_noise(own.key, number, len(data))[rows]
        sigma = own.deviations[number] * placed.block.spread
        noise[placed.rows] = placed.root_weight * sigma * drawn
    return noise


def energies(
    common: Common,
    patch: Patch,
    current: Current,
    step: tuple[Floats, Floats],
    traces: tuple[Floats, Floats],
    sizes: dict[int, int],
    lengths: Floats,
) -> Floats:
    """The squared residual after a step of each length, by kind: (lengths, own and ties).

    Parameters
    ----------
    step : the change of weights and of unknowns
    traces : the values of all traces of the patch, and their change
    """
    assert current.weights is not None
    total = np.zeros((len(lengths), 2))
    for slab in slabs(common, patch, sizes):
        system = slab.system
        columns = system.evaluate(patch.nodes)
        state = system.state_with(columns, current.weights, current.unknowns)
        every = slice(0, len(patch.nodes))
        change = system.together(columns, every, *step).times(lengths)
        rows = system.residuals(state, change)
        ties = traces[0] + lengths[:, None] * traces[1]
        rows = rows + ties @ slab.traces.T
        squares = rows**2
        tied = (slab.traces != 0).any(axis=1)
        total[:, 0] += squares[:, ~tied].sum(axis=1)
        total[:, 1] += squares[:, tied].sum(axis=1)
    return total
