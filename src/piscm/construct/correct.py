r"""Correction: new weights for the newest nodes (all of them, or a window) and the unknowns.

The linearized system is solved for the *new iterate*: with the columns M of the active nodes,

.. math:: M \beta + J_\lambda \Delta\lambda \approx M \beta_{loc} - \tilde e_{loc},

so the truncation bounds the weights themselves and not their increments. An unknown that would
leave its bounds is held at the bound, and the rest is solved for again.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.construct.bounds import Bounds
from piscm.construct.methods import Method
from piscm.least_squares import balance, solve_least_squares
from piscm.state import Linearization, NodeRows, State

Floats = NDArray[np.float64]


class Direction(NamedTuple):
    """A full correction step, and the rank of the system it came from."""

    weights: Floats  # (active nodes, fields)
    unknowns: Floats
    rank: int


def correction(
    rows: NodeRows,
    active: slice,
    linearization: Linearization,
    state: State,
    bounds: Bounds,
    method: Method,
) -> Direction:
    """The step from the current weights of the active nodes to the corrected ones."""
    design = rows.design[active]
    columns = design.reshape(-1, design.shape[-1])
    old = state.weights[active]
    target = old.ravel() @ columns - state.residual
    unknowns = linearization.unknowns
    if not len(unknowns):
        new, rank = solve_least_squares(columns, target, method.threshold, method.scaled)
        return Direction(new.reshape(old.shape) - old, np.zeros(0), rank)

    factors = balance(unknowns, columns)
    solved = np.zeros(0)
    rank = 0

    def free_steps(fixed: Floats) -> Floats:
        nonlocal solved, rank
        free = np.isnan(fixed)
        scaled = unknowns[free] * factors[free, None]
        held = fixed[~free] @ unknowns[~free]
        both = np.concatenate([columns, scaled])
        solved, rank = solve_least_squares(both, target - held, method.threshold, method.scaled)
        steps = fixed.copy()
        steps[free] = solved[old.size :] * factors[free]
        return steps

    steps = bounds.solve(state.unknowns, free_steps)
    return Direction(solved[: old.size].reshape(old.shape) - old, steps, rank)
