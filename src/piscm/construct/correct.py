r"""Correction: new weights for the newest nodes (all, or a window of nodes) and the unknowns.

The linearized system is solved for the *new iterate*: with the columns M of the active nodes,

.. math:: M \beta + J_\lambda \Delta\lambda \approx M \beta_{loc} - \tilde e_{loc},

so truncation bounds the weights themselves, not their increments. An unknown that would leave its
bounds is held at the bound, and the system is solved again for the rest.

Growth solves such a system at every step, by the cheapest method that is accurate enough: an
extendable basis where the columns are constant (`piscm.linalg.basis`), normal equations with
refinement where they change and a few digits suffice, and an SVD occasionally and at the end.
"""

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System
from piscm.construct.direction import Direction
from piscm.linalg.basis import Basis, Factor
from piscm.linalg.normal_equations import NormalEquations
from piscm.linalg.truncated import (
    MANY,
    LeastSquares,
    balance,
    solve_by_triangle,
    solve_least_squares,
)

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Normal equations may let weights drift where the columns are nearly dependent; every `_SAFE_EVERY`
# nodes an SVD puts them right.
_SAFE_EVERY = 500


class Corrector:
    """The least-squares solver of one run; keeps what the next step can reuse.

    Parameters
    ----------
    system : System
    truncation : float
        Singular values below this fraction of the largest are dropped: those of the columns as they
        are or, if the basis is kept, of columns of unit length.
    keeps_basis : bool
        Whether corrections are solved with a basis even where the columns change.
    max_nodes : int
        The correction at this number of nodes is solved by SVD.
    factor : Factor, optional
        That of the columns of the first nodes at other points.
    """

    def __init__(
        self,
        system: System,
        truncation: float,
        keeps_basis: bool,
        max_nodes: int,
        factor: Factor | None = None,
    ) -> None:
        self._system, self._truncation = system, truncation
        self._keeps_basis, self._max_nodes = keeps_basis, max_nodes
        self._basis = Basis(system.rows) if factor is None else Basis(system.rows, factor)
        self._first = 0  # the first node in the basis
        self._at: Linearization | None = None  # the linearization of its columns
        self._normal = NormalEquations(truncation, still=system.linear_rows)
        self._dropped = 0  # singular values, by the last truncation

    def basis(self, columns: Columns, active: slice, linearization: Linearization) -> Basis:
        """A basis of the columns of the unknowns, followed by those of the active nodes."""
        nodes = columns.at(linearization, active).reshape(-1, self._system.rows)
        unknowns = linearization.unknowns
        both = np.concatenate([unknowns, nodes]) if len(unknowns) else nodes
        if self._first != active.start:
            self._basis, self._first = Basis(self._system.rows), active.start
        self._basis.keep(len(both))
        known = len(self._basis)
        moved = self._at is None or (not self._system.is_linear and self._at is not linearization)
        if known and moved:
            self._basis.set_columns(both[:known])
        if known < len(both):
            self._basis.append(both[known:])
        self._at = linearization
        return self._basis

    def factor(self, nodes: int) -> Factor | None:
        """That of the columns of so many nodes, if it is known and no unknowns are among them.

        On a line there is little to gain: nodes are few, and depend on each other most of all.
        """
        known = self._at is not None and self._first == 0 and not len(self._system.guesses)
        if (
            not known
            or self._system.problem.domain.dimension == 1
            or len(self._basis) < nodes * self._system.fields
        ):
            return None
        self._basis.keep(nodes * self._system.fields)
        return self._basis.factor

    def forget(self, nodes: int) -> None:
        """Of columns that were tried and rejected nothing is kept; `nodes` of them remain."""
        unknowns = len(self._system.guesses)
        self._basis.keep(unknowns + max(0, nodes - self._first) * self._system.fields)
        self._normal.forget()

    def direction(
        self,
        columns: Columns,
        active: slice,
        linearization: Linearization,
        state: State,
        safe: bool = False,
    ) -> Direction:
        """The step from the current weights of the active nodes to the corrected ones."""
        everything = active.start == 0
        if self._keeps_basis or (self._system.is_linear and everything and not safe):
            return self._by_basis(columns, active, linearization, state)
        count = len(state.weights)
        safe = safe or count % _SAFE_EVERY == 0 or count == self._max_nodes
        return self._by_columns(columns, active, linearization, state, safe)

    def _by_basis(
        self, columns: Columns, active: slice, linearization: Linearization, state: State
    ) -> Direction:
        basis = self.basis(columns, active, linearization)
        old, unknowns = state.weights[active], linearization.unknowns
        first = len(unknowns)
        sizes = None if self._keeps_basis else _sizes(basis, first)
        now = np.concatenate([np.zeros(first), old.ravel()])

        def solve(free: Mask, target: Floats) -> tuple[Floats, LeastSquares]:
            if free.all():
                solved = basis.solve(target, self._truncation, sizes, now)
            else:
                some = np.concatenate([np.flatnonzero(free), np.arange(first, len(basis))])
                solved = basis.solve_some(target, some, self._truncation, sizes, now)
            count = int(free.sum())
            steps, weights = solved.solution[:count], solved.solution[count:]
            return steps, LeastSquares(weights, solved.rank)

        steps, new = self._system.bounds.least_squares(
            state.unknowns, unknowns, -state.residual, solve
        )
        return Direction(new.solution.reshape(old.shape) - old, steps, new.rank)

    def _by_columns(
        self,
        columns: Columns,
        active: slice,
        linearization: Linearization,
        state: State,
        safe: bool,
    ) -> Direction:
        design = columns.at(linearization, active).reshape(-1, self._system.rows)
        old, unknowns = state.weights[active], linearization.unknowns
        if self._first != active.start or len(unknowns):
            self._normal.forget()  # not the previous columns, or in a different order
        self._first = active.start
        factors = balance(unknowns, design)

        def solve(free: Mask, target: Floats) -> tuple[Floats, LeastSquares]:
            both, now = design, old.ravel()
            if free.any():
                both = np.concatenate([design, unknowns[free] * factors[free, None]])
                now = np.concatenate([now, np.zeros(int(free.sum()))])
            moved = self._solve(both, target, now, safe)
            steps = moved.solution[old.size :] * factors[free]
            return steps, LeastSquares(moved.solution[: old.size], moved.rank)

        steps, move = self._system.bounds.least_squares(
            state.unknowns, unknowns, -state.residual, solve
        )
        return Direction(move.solution.reshape(old.shape), steps, move.rank)

    def _solve(self, columns: Floats, missing: Floats, now: Floats, safe: bool) -> LeastSquares:
        """The step from the current weights."""
        # Where truncation has dropped some of many columns it will again, so these would fail.
        if not safe and not (self._dropped and len(columns) >= MANY):
            step = self._normal.step(columns, missing)
            if step is not None:
                return LeastSquares(step, len(columns))
        target = now @ columns + missing
        if safe:
            new, rank = solve_least_squares(columns, target, self._truncation)
            return LeastSquares(new - now, rank)
        new, rank = solve_by_triangle(columns, target, self._truncation, self._dropped)
        self._dropped = len(columns) - int(rank)
        return LeastSquares(new - now, rank)


def _sizes(basis: Basis, unknowns: int) -> Floats:
    """The column lengths; unknowns are put on a par with the nodes, whatever their units."""
    sizes = basis.lengths.copy()
    if 0 < unknowns < len(sizes):
        sizes[:unknowns] = sizes[unknowns:].max()
    return sizes
