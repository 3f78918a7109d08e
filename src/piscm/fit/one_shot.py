"""One-shot fits: the weights of given nodes, all at once, by Gauss–Newton."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System
from piscm.construct.direction import Direction
from piscm.construct.line_search import correction_step
from piscm.linalg.damped import solve_damped

Floats = NDArray[np.float64]

_STEPS = (*(0.5**k for k in range(8)), 0.0)
# A step that leaves more of the squared residual than this is the last one.
_STILL_FALLING = 0.5


@dataclass(frozen=True)
class Guide:
    """A solution to start from, at the points of the system, whatever its nodes.

    Attributes
    ----------
    state : State
    pull : ndarray, shape (rows,)
        Its own columns times its weights and unknowns, at its own linearization.
    """

    state: State
    pull: Floats

    @classmethod
    def of(cls, system: System, columns: Columns, state: State) -> "Guide":
        linearization = system.linearize(state)
        design = _design(system, columns, slice(0, len(columns)), linearization)
        return cls(state, np.asarray(_parameters(state) @ design))


def _design(
    system: System, columns: Columns, active: slice, linearization: Linearization
) -> Floats:
    """The columns of nodes and of unknowns (factors of singular functions), as rows."""
    design = columns.at(linearization, active).reshape(-1, system.rows)
    unknowns = linearization.unknowns
    return np.concatenate([design, unknowns]) if len(unknowns) else design


def _parameters(state: State) -> Floats:
    return np.concatenate([state.weights.ravel(), state.unknowns])


def fit_weights(
    system: System, columns: Columns, guide: Guide | None, iterations: int
) -> tuple[State, int]:
    """The weights that minimize the residual, and how many systems were solved.

    The first step of a nonlinear problem linearizes at the guide, which may have other nodes: a
    network of new nodes then needs one or two steps more, not a dozen from zero.
    """
    everything = slice(0, len(columns))
    state = system.state_with(
        columns, np.zeros((len(columns), system.fields)), system.start().unknowns
    )
    solved = 0
    if guide is not None and not system.is_linear:
        linearization = system.linearize(guide.state)
        if linearization.finite:
            design = _design(system, columns, everything, linearization)
            found = solve_damped(design, guide.pull - guide.state.residual)
            count = state.weights.size
            weights = found[:count].reshape(state.weights.shape)
            near = system.state_with(columns, weights, found[count:])
            state = near if near.energy < state.energy else state
            solved += 1
    while solved < (1 if system.is_linear else iterations):
        step = correction_step(system, columns, everything, state, _STEPS, _direction(system))
        solved += 1
        if step is None or step.length == 0.0:
            break
        # Large intermediate weights leave round-off that a fresh evaluation removes.
        moved = system.state_with(columns, step.state.weights, step.state.unknowns)
        before, state = state.energy, moved if moved.energy < state.energy else state
        if not state.energy < _STILL_FALLING * before:
            break
    return state, solved


def _direction(
    system: System,
) -> Callable[[Columns, slice, Linearization, State], Direction]:
    def find(
        columns: Columns, active: slice, linearization: Linearization, state: State
    ) -> Direction:
        design = _design(system, columns, active, linearization)
        before = _parameters(state)
        step = solve_damped(design, before @ design - state.residual) - before
        count = state.weights.size
        return Direction(step[:count].reshape(state.weights.shape), step[count:], np.nan)

    return find
