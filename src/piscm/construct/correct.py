r"""Correction: new weights for the newest nodes (all of them, or a window) and the unknowns.

The linearized system is solved for the *new iterate*: with the columns M of the active nodes,

.. math:: M \beta + J_\lambda \Delta\lambda \approx M \beta_{loc} - \tilde e_{loc},

so the truncation bounds the weights themselves and not their increments.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.design import Linearization, NodeRows, State
from piscm.least_squares import balance, solve_least_squares

Floats = NDArray[np.float64]


class Direction(NamedTuple):
    """A full correction step, and the rank of the system it came from."""

    weights: Floats  # (active nodes, fields)
    unknowns: Floats
    rank: int


def correction(
    rows: NodeRows, active: slice, linearization: Linearization, state: State, truncation: float
) -> Direction:
    """The step from the current weights of the active nodes to the corrected ones."""
    design = rows.design[active]
    columns = design.reshape(-1, design.shape[-1])
    old = state.weights[active]
    target = old.ravel() @ columns - state.residual
    unknowns = linearization.unknowns
    factors = balance(unknowns, columns)
    if len(unknowns):
        columns = np.concatenate([columns, unknowns * factors[:, None]])
    solution, rank = solve_least_squares(columns, target, truncation)
    weights = solution[: old.size].reshape(old.shape) - old
    return Direction(weights, solution[old.size :] * factors, rank)
