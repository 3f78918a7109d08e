r"""Random nodes without selection: the baseline that PI-SCM's growth has to beat.

All hidden nodes are drawn at once, from PI-SCM's first range, and only the output weights
:math:`\beta` and the unknowns :math:`\lambda` are fitted, by Gauss–Newton: each step solves the
linearized system for the new iterate,

.. math:: M \beta + J_\lambda \Delta\lambda \approx M \beta_{old} - \tilde e,

with all columns scaled to unit length and small singular values dropped, and a line search on the
true residual gives the step length.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System
from piscm.baselines.base import Baseline, Given, Trained
from piscm.budget.budget import STOPS
from piscm.construct.checks import check_count, check_positive
from piscm.construct.direction import Direction
from piscm.construct.line_search import correction_step
from piscm.construct.listed import listed
from piscm.linalg.truncated import LeastSquares, solve_least_squares
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.network import Network
from piscm.problem.problem import Problem
from piscm.result.history import History, Report, history_of
from piscm.result.status import Status

Floats = NDArray[np.float64]

_STEPS = (*(0.5**k for k in range(13)), 0.0)
# A step that lowers the squared residual by less than this fraction ends the run: such gains recur
# where the Jacobian is nearly singular, and change no digit of the solution.
_SETTLED = 1e-6


@dataclass(frozen=True, kw_only=True)
class RandomNodes(Baseline):
    """What `RandomFeatures` and `PIELM` have in common; use one of them.

    Parameters
    ----------
    nodes : int
    scale : float, sequence of float, or None
        Hidden weights are drawn from ``[-scale, scale]`` in the units of the coordinates (one scale
        for all of them, or one for each), biases from the widest of these ranges. None draws
        relative to the box.
    activation : {"sin", "tanh", "sigmoid", "gaussian"}
    truncation : float
        Singular values below this fraction of the largest are dropped, after the columns have been
        scaled to unit length.
    """

    nodes: int
    scale: float | Sequence[float] | None
    activation: str
    truncation: float = 1e-13

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_count(self.nodes, f"{name}(nodes=...)")
        check_positive(self.truncation, f"{name}(truncation=...)")
        activation_named(self.activation)
        scale = listed(self.scale)
        object.__setattr__(self, "scale", scale)
        for number in scale if isinstance(scale, tuple) and scale else [scale]:
            if number is not None:
                check_positive(number, f"{name}(scale=...)")

    @property
    @abstractmethod
    def iterations(self) -> int: ...

    def check(self, problem: Problem) -> None:
        super().check(problem)
        Draw(problem.domain, self.scale)  # raises on a wrong number of scales

    def fit(self, given: Given) -> Trained:
        """Draw the nodes and fit their weights."""
        problem, start = given.problem, given.assembly.start
        nodes = Draw(problem.domain, self.scale)(self.nodes, 1.0, given.rng)
        system = given.assembly.system(self.activation)
        found = gauss_newton(
            system, system.evaluate(nodes), self.truncation, self.iterations, given.report
        )
        state = found.state
        return Trained(
            Network(problem, start, self.activation, nodes, state.weights, state.unknowns),
            found.status,
            state.norm,
            found.history,
        )


@dataclass(frozen=True, kw_only=True)
class RandomFeatures(RandomNodes):
    """Random nodes, with weights fitted by Gauss–Newton until the residual no longer falls.

    At most `max_iterations` steps are taken; other options as in `RandomNodes`.
    """

    nodes: int = 300
    scale: float | Sequence[float] | None = 15.0
    activation: str = "sin"
    max_iterations: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count(self.max_iterations, "RandomFeatures(max_iterations=...)")

    @property
    def iterations(self) -> int:
        return self.max_iterations


class Minimum(NamedTuple):
    """The result of Gauss–Newton, how it ended, and its residuals along the way."""

    state: State
    status: Status
    history: History


def gauss_newton(
    system: System, columns: Columns, truncation: float, max_iterations: int, report: Report
) -> Minimum:
    """Fit the weights of given nodes, starting from zero, and the unknowns."""
    everything, find = slice(0, len(columns)), partial(_direction, system, truncation)
    state = replace(system.start(), weights=np.zeros((len(columns), system.fields)))
    residuals: list[float] = []
    seconds: list[float] = []
    status = Status.ITERATION_LIMIT
    # The first step solves a linear problem, unless an unknown was held at its bound.
    once = system.is_linear and not len(state.unknowns)
    try:
        for iteration in range(max_iterations):
            began = time.perf_counter()
            step = correction_step(system, columns, everything, state, _STEPS, find)
            if step is None:
                status = Status.NOT_FINITE
                break
            moved = step.state
            if step.length > 0.0:
                # Large intermediate weights leave round-off that a fresh evaluation removes.
                moved = system.state_with(columns, moved.weights, moved.unknowns)
            before = state.energy
            if moved.energy < before:
                state = moved
                residuals.append(state.norm)
                seconds.append(time.perf_counter() - began)
                report(iteration + 1, residuals[-1])
            if once or not state.energy < (1.0 - _SETTLED) * before:
                status = Status.SETTLED
                break
    except STOPS as stop:
        status = Status.after(stop)
    return Minimum(state, status, history_of(residuals, seconds))


def _direction(
    system: System,
    truncation: float,
    columns: Columns,
    active: slice,
    linearization: Linearization,
    state: State,
) -> Direction:
    """The full Gauss–Newton step; unknowns stay within their bounds."""
    nodes = columns.at(linearization, active).reshape(-1, system.rows)
    both = np.concatenate([nodes, linearization.unknowns])
    lengths = np.sqrt(np.einsum("kn,kn->k", both, both))
    lengths[lengths == 0.0] = 1.0
    both /= lengths[:, None]
    old, count = state.weights, len(nodes)
    target = old.ravel() * lengths[:count] @ both[:count] - state.residual

    def solve(free: NDArray[np.bool_], target: Floats) -> tuple[Floats, LeastSquares]:
        used = np.concatenate([np.ones(count, dtype=bool), free])
        some = both if free.all() else both[used]
        part, rank = solve_least_squares(some, target, truncation)
        part = part / lengths[used]
        return part[count:], LeastSquares(part[:count], rank)

    steps, new = system.bounds.least_squares(state.unknowns, linearization.unknowns, target, solve)
    return Direction(new.solution.reshape(old.shape) - old, steps, new.rank)
