r"""Orthogonal selection: candidates are judged by what they add to all nodes together.

After a global correction, a candidate's own gain says little: its column lies almost in the span of
the others, which could have done the same. Only the part outside the span helps. With Q an
orthonormal basis of the active columns (including those of the unknowns) and residual e,

.. math:: m_\perp = m - QQ^T m, \qquad \text{gain} = \langle m_\perp, e\rangle^2 / \|m_\perp\|^2 .

Several nodes are taken from one batch: each pick is projected out of the rest, on the small Gram
matrix of the batch (a Cholesky factorization pivoted by the gains).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.placement import PlacedLeg
from piscm.assemble.sampling import half_by
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System
from piscm.budget.budget import check_memory
from piscm.budget.clock import check_time, check_work
from piscm.construct.checks import check_count
from piscm.construct.selection import Proposal, Run, Selection
from piscm.linalg.basis import Basis
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# A column with less than this fraction outside the span is round-off, not a direction.
_OUTSIDE = 1e-13
# Directions of a node with several fields that count as empty, relative to its largest.
_EMPTY = 1e-10
# A block has at least this fraction of the current number of nodes, chosen from at most `_CHOICE`
# times as many candidates (fewer if the method's own ratio is smaller).
_SHARE = 0.1
_CHOICE = 6
# A step or bump varies where its argument is at most this, and must do so at this many points.
_VARIES, _SEEN_AT = 2.5, 8


@dataclass(frozen=True, kw_only=True)
class Orthogonal(Selection):
    """Judge a candidate by what it adds to all nodes together; take several at a time.

    Parameters
    ----------
    ranges : sequence of float
        Factors that widen the range of scales, one after another, while nothing helps.
    candidates : int
        Number of nodes drawn for each block.
    block : int
        Number of nodes taken from one batch of candidates.
    """

    block: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.block, "Orthogonal(block=...)")

    def begin(self, run: Run) -> "OrthogonalSelector":
        return OrthogonalSelector(self, run)


class OrthogonalSelector:
    """Orthogonal selection in one run."""

    def __init__(self, options: Orthogonal, run: Run) -> None:
        self._options, self._run = options, run
        self._failures = 0

    def accepted(self) -> None:
        self._failures = 0

    def rejected(self) -> bool:
        self._failures += 1  # the next block draws from a wider range
        return self._failures == len(self._options.ranges)

    def propose(
        self, state: State, linearization: Linearization, columns: Columns, nodes: Nodes
    ) -> Proposal | None:
        """A block of nodes, with zero weights so far."""
        options, run, system = self._options, self._run, self._run.system
        count = len(state.weights)
        factor = options.ranges[self._failures]
        # The more nodes there are, the more can safely be taken at a time.
        size = max(options.block, int(_SHARE * count))
        choice = min(_CHOICE, options.candidates / options.block)
        drawn = max(options.candidates, int(choice * size))
        centers = None
        if system.activation.localized:
            centers = _residual_weighted_points(system, state, drawn, run.rng)
        batch = run.draw.free(drawn, factor, run.rng, nodes, centers)
        if centers is not None:
            batch = batch.some(_seen(system, batch))
        candidates = system.evaluate(batch)
        room = min(size, run.max_nodes - count)
        # The new nodes take up part of the window of nodes; the rest is corrected together with
        # them.
        active = run.correction.beside(room, count)
        basis = run.corrector.basis(columns, active, linearization)
        chosen = best_block(candidates.at(linearization), basis, state.residual, room)
        if not chosen:
            return None
        weights = np.concatenate([state.weights, np.zeros((len(chosen), system.fields))])
        return Proposal(
            nodes=batch.some(chosen),
            columns=candidates.take(chosen),
            state=replace(state, weights=weights),
            range=float(factor),
            damping=1.0,
        )


def _residual_weighted_points(
    system: System, state: State, count: int, rng: np.random.Generator
) -> Floats:
    """Points of the equations, half of them drawn in proportion to the squared residual."""
    placed = [item for item in system.placed if item.block.kind == "equations"]
    squares: dict[int, Floats] = {}  # by the points, which differ from region to region
    points: dict[int, Floats] = {}
    for item in placed:
        own, leg = state.residual[item.rows] ** 2, item.legs[0]
        key = id(leg.leg.points)
        squares[key] = squares[key] + own if key in squares else own
        points.setdefault(key, _as_seen(leg))
    every, shares = np.concatenate(list(points.values())), np.concatenate(list(squares.values()))
    return np.asarray(every[rng.choice(len(every), count, p=half_by(shares))])


def _as_seen(leg: PlacedLeg) -> Floats:
    """Points as nodes see them: those of a region fill the whole domain."""
    shifts = [own for own in leg.jet_features if own.shift]
    if not shifts:
        return leg.leg.points
    return np.asarray(leg.leg.points * np.array(shifts[0].sees) + np.array(shifts[0].shift))


def _seen(system: System, batch: Nodes) -> NDArray[np.intp]:
    """Those of the steps and bumps that vary at enough points of the equations.

    One that fits between the points is a lie: it lowers the residual at a few of them, and nobody
    sees what it does elsewhere.
    """
    placed = next(item for item in system.placed if item.block.kind == "equations")
    arguments = batch.weights @ _as_seen(placed.legs[0]).T + batch.biases[:, None]
    return np.flatnonzero(np.count_nonzero(np.abs(arguments) < _VARIES, axis=1) >= _SEEN_AT)


def best_block(design: Floats, basis: Basis, residual: Floats, count: int) -> list[int]:
    """The candidates to keep, best first.

    Parameters
    ----------
    design : ndarray, shape (candidates, fields, rows)
    basis : a basis of the columns that are corrected together with the new nodes
    residual : ndarray, shape (rows,)
    count : int
        Maximum number to keep.
    """
    candidates, fields, size = design.shape
    count = min(count, candidates)
    pairs = (candidates * fields) ** 2
    check_memory(8.0 * 3 * pairs, f"The products of {candidates} candidates", "take fewer")
    check_work(2.0 * pairs * size)
    columns = design.reshape(-1, size)
    lengths = np.linalg.norm(columns, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        columns = np.where(usable[:, None], columns, 0.0)
    columns = basis.outside(columns / np.where(usable, lengths, 1.0)[:, None])
    return _greedy(columns @ columns.T, columns @ residual, fields, count)


def _greedy(gram: Floats, products: Floats, fields: int, count: int) -> list[int]:
    """Pick nodes by gain, each time projecting out the nodes already picked.

    What is left of the Gram matrix is needed of each node with itself and with those picked: it is
    the given one less the products of the columns of its pivoted Cholesky factor.
    """
    nodes = len(gram) // fields
    index = np.arange(nodes * fields).reshape(nodes, fields)
    own_products = gram[index[:, :, None], index[:, None, :]]
    products, factor = products.copy(), np.zeros((len(gram), count * fields))
    chosen: list[int] = []
    for turn in range(count):
        check_time()
        gains = _gains(own_products, products.reshape(nodes, fields))
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        if not gains[best] > 0:
            break
        chosen.append(best)
        own, known = index[best], factor[:, : turn * fields]
        root = _inverse_root(own_products[best])
        more = (gram[:, own] - known @ known[own].T) @ root
        factor[:, turn * fields : (turn + 1) * fields] = more
        products -= more @ (root.T @ products[own])
        each = more.reshape(nodes, fields, fields)
        own_products = own_products - each @ each.transpose(0, 2, 1)
    return chosen


def _gains(own_products: Floats, products: Floats) -> Floats:
    """The decrease of the squared residual due to each node.

    Parameters
    ----------
    own_products : ndarray, shape (nodes, fields, fields)
    products : ndarray, shape (nodes, fields)
        With the residual.
    """
    explained = np.einsum("kij,ki->kj", _inverse_root(own_products), products)
    return np.where(
        np.einsum("kii->k", own_products) > _OUTSIDE**2,
        np.einsum("kj,kj->k", explained, explained),
        0.0,
    )


def _inverse_root(gram: Floats) -> Floats:
    """F of the inverses ``F @ F.T`` of Gram matrices, without numerically empty directions."""
    if gram.shape[-1] == 1:
        return np.asarray(np.where(gram > 0, 1.0 / np.sqrt(np.where(gram > 0, gram, 1.0)), 0.0))
    values, vectors = np.linalg.eigh(gram)
    kept = values > np.maximum(_EMPTY * values[..., -1:], 0.0)
    return np.asarray(
        vectors * np.where(kept, 1.0 / np.sqrt(np.where(kept, values, 1.0)), 0.0)[..., None, :]
    )
