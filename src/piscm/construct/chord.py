"""A linearization that is kept while it predicts the residual well.

Gauss–Newton with the Jacobian of an earlier state, a chord instead of a tangent, converges almost
as fast where the state hardly moves, and the factored columns stay what they are. What it predicts
is compared with what comes: where the two part, the next step gets a tangent.
"""

import numpy as np

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System

# Prediction and residual part if they differ by more than this fraction of the residual.
_PARTED = 0.3


class Chord:
    """The linearization of a sequence of states.

    Parameters
    ----------
    system : System
    renews : bool
        Whether every state gets its own.
    kept : Linearization, optional
        The one to begin with.
    """

    def __init__(
        self, system: System, renews: bool = False, kept: Linearization | None = None
    ) -> None:
        self._system, self._renews, self._kept = system, renews, kept
        self._own = False  # made at the current state

    def at(self, state: State) -> Linearization:
        """The linearization to be used at a state."""
        self._own = self._kept is None or self._renews
        if self._kept is None or self._renews:
            self._kept = self._system.linearize(state)
        return self._kept

    def moved(self, columns: Columns, before: State, after: State) -> None:
        """A step was taken from one state to another, which has the weights of all columns."""
        if self._kept is None or self._renews or self._system.is_linear:
            return
        count = len(after.weights)
        step = after.weights.copy()
        step[: len(before.weights)] -= before.weights
        design = columns.at(self._kept, slice(0, count)).reshape(step.size, -1)
        change = step.ravel() @ design + (after.unknowns - before.unknowns) @ self._kept.unknowns
        missed = float(np.linalg.norm(after.residual - before.residual - change))
        if not missed <= _PARTED * after.norm:
            self._kept = None

    def renew(self) -> bool:
        """Give the current state a linearization of its own; whether it had none."""
        old = not self._own and not self._system.is_linear
        self._kept = None
        return old
