r"""Correction: new weights for the newest nodes (all of them, or a window) and the unknowns.

The linearized system is solved for the *new iterate*: with the columns M of the active nodes,

.. math:: M \beta + J_\lambda \Delta\lambda \approx M \beta_{loc} - \tilde e_{loc},

so the truncation bounds the weights themselves and not their increments. An unknown that would
leave its bounds is held at the bound, and the rest is solved for again.

Growth solves such a system at every step, so it takes the cheapest way that keeps the digits: a
basis that is extended where the columns stay (`piscm.linalg.basis`), normal equations with refinement
where they move and a few digits are enough, and singular values now and then and at the end.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import Linearization, NodeRows, State
from piscm.assemble.system import System
from piscm.construct.methods import Method
from piscm.linalg.basis import Basis
from piscm.linalg.bounded import Bounds
from piscm.linalg.normal_equations import NormalEquations
from piscm.linalg.truncated import LeastSquares, balance, solve_least_squares

Floats = NDArray[np.float64]

# Normal equations may let weights drift where the columns are nearly dependent; after so many
# nodes singular values set them right.
_SAFE_EVERY = 500
# A basis that grew column by column is used as it is up to this condition.
_NEARLY_SINGULAR = 1e-14


class Direction(NamedTuple):
    """A full correction step, and the rank of the system it came from."""

    weights: Floats  # (active nodes, fields)
    unknowns: Floats
    rank: int


class Corrector:
    """The least squares of one run; keeps what can be used again at the next step."""

    def __init__(self, system: System, method: Method) -> None:
        self._system, self._method = system, method
        self._bounds = Bounds(system.problem)
        self._basis = Basis(system.rows)
        self._first = 0  # the node that the basis begins with
        self._at: Linearization | None = None  # where its columns were taken
        self._linear = system.linear_rows == system.rows
        self._normal = NormalEquations(still=system.linear_rows)

    def basis(self, rows: NodeRows, active: slice, linearization: Linearization) -> Basis:
        """A basis of the columns of the unknowns and, after them, of the active nodes."""
        nodes = rows.design[active].reshape(-1, self._system.rows)
        unknowns = linearization.unknowns
        columns = np.concatenate([unknowns, nodes]) if len(unknowns) else nodes
        if self._first != active.start:
            self._basis, self._first = Basis(self._system.rows), active.start
        self._basis.keep(len(columns))
        known = len(self._basis)
        if known and not self._linear and self._at is not linearization:
            self._basis.set_columns(columns[:known])
        if known < len(columns):
            self._basis.append(columns[known:])
        self._at = linearization
        return self._basis

    def direction(
        self,
        rows: NodeRows,
        active: slice,
        linearization: Linearization,
        state: State,
        safe: bool = False,
    ) -> Direction:
        """The step from the current weights of the active nodes to the corrected ones."""
        everything = active.start == 0
        if self._method.selection == "orthogonal" or (self._linear and everything and not safe):
            return self._by_basis(rows, active, linearization, state)
        count = len(state.weights)
        safe = safe or count % _SAFE_EVERY == 0 or count == self._method.max_nodes
        return self._by_columns(rows, active, linearization, state, safe)

    def _by_basis(
        self, rows: NodeRows, active: slice, linearization: Linearization, state: State
    ) -> Direction:
        basis = self.basis(rows, active, linearization)
        old, target = _old_and_target(rows, active, state)
        first = len(linearization.unknowns)
        steps, (solved, rank) = np.zeros(0), basis.solve(target, _NEARLY_SINGULAR)
        if first:

            def free_steps(fixed: Floats) -> Floats:
                nonlocal solved, rank
                free = np.isnan(fixed)
                if free.all():
                    return solved[:first]
                some = np.concatenate([np.flatnonzero(free), np.arange(first, len(basis))])
                held = fixed[~free] @ linearization.unknowns[~free]
                part, rank = basis.solve_some(target - held, some, _NEARLY_SINGULAR)
                steps = fixed.copy()
                steps[free] = part[: free.sum()]
                solved = np.concatenate([steps, part[free.sum() :]])
                return steps

            steps = self._bounds.solve(state.unknowns, free_steps)
        return Direction(solved[first:].reshape(old.shape) - old, steps, rank)

    def _by_columns(
        self,
        rows: NodeRows,
        active: slice,
        linearization: Linearization,
        state: State,
        safe: bool,
    ) -> Direction:
        columns = rows.design[active].reshape(-1, self._system.rows)
        old, unknowns = state.weights[active], linearization.unknowns
        if self._first != active.start or len(unknowns):
            self._normal.forget()  # other columns than the last ones, or in another order
        self._first = active.start
        if not len(unknowns):
            move, rank = self._solve(columns, -state.residual, old.ravel(), safe)
            return Direction(move.reshape(old.shape), np.zeros(0), rank)

        factors = balance(unknowns, columns)
        solved = np.zeros(0)
        rank = 0

        def free_steps(fixed: Floats) -> Floats:
            nonlocal solved, rank
            free = np.isnan(fixed)
            scaled = unknowns[free] * factors[free, None]
            held = fixed[~free] @ unknowns[~free]
            both = np.concatenate([columns, scaled])
            now = np.concatenate([old.ravel(), np.zeros(len(scaled))])
            solved, rank = self._solve(both, -state.residual - held, now, safe)
            steps = fixed.copy()
            steps[free] = solved[old.size :] * factors[free]
            return steps

        steps = self._bounds.solve(state.unknowns, free_steps)
        return Direction(solved[: old.size].reshape(old.shape), steps, rank)

    def _solve(self, columns: Floats, missing: Floats, now: Floats, safe: bool) -> LeastSquares:
        """The step away from the weights as they are now."""
        if not safe:
            step = self._normal.step(columns, missing)
            if step is not None:
                return LeastSquares(step, len(columns))
        new, rank = solve_least_squares(columns, now @ columns + missing, self._method.truncation)
        return LeastSquares(new - now, rank)


def _old_and_target(rows: NodeRows, active: slice, state: State) -> tuple[Floats, Floats]:
    old = state.weights[active]
    columns = rows.design[active].reshape(old.size, -1)
    return old, np.asarray(old.ravel() @ columns - state.residual)
