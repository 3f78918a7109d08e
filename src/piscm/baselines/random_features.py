r"""Random nodes without selection: what the growth of PI-SCM has to be worth more than.

All hidden nodes are drawn at once, from the range that PI-SCM draws from first, and only the
output weights :math:`\beta` and the unknowns :math:`\lambda` are fitted, by Gauss–Newton: each step
solves the linearized system for the new iterate,

.. math:: M \beta + J_\lambda \Delta\lambda \approx M \beta_{old} - \tilde e,

with all columns scaled to length one and small singular values dropped, and a line search on the
true residual gives the length of the step.
"""

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import Linearization, NodeRows, State
from piscm.assemble.system import System
from piscm.baselines.base import Baseline, Given, Trained, history_of
from piscm.construct.correct import Direction
from piscm.construct.line_search import line_search
from piscm.construct.machine import Report
from piscm.construct.methods import check_count, check_positive
from piscm.linalg.bounded import Bounds
from piscm.linalg.truncated import solve_least_squares
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.model import Network
from piscm.problem.problem import Problem
from piscm.result.status import Status

Floats = NDArray[np.float64]

_STEPS = (*(0.5**k for k in range(13)), 0.0)
# A step that lowers the squared residual by less than this share ends the run: so little is gained
# over and over where the Jacobian is nearly singular, and changes no digit of the solution.
_SETTLED = 1e-6


@dataclass(frozen=True, kw_only=True)
class RandomNodes(Baseline):
    """What `RandomFeatures` and `PIELM` have in common; use one of them.

    Parameters
    ----------
    nodes : int
    scale : float, sequence of float, or None
        Hidden weights are drawn from ``[-scale, scale]`` in the units of the coordinates (one
        number for all of them, or one for each), biases from the widest of these ranges. None
        draws relative to the box.
    activation : {"sin", "tanh", "sigmoid", "gaussian"}
    truncation : float
        Singular values below this share of the largest are dropped, the columns having been
        brought to one length.
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
        scale = self.scale
        if isinstance(scale, list | np.ndarray):
            scale = np.asarray(scale).tolist()  # a number, where the array has no axis
            scale = tuple(scale) if isinstance(scale, list) else scale
            object.__setattr__(self, "scale", scale)
        for number in scale if isinstance(scale, tuple) and scale else [scale]:
            if number is not None:
                check_positive(number, f"{name}(scale=...)")

    @property
    @abstractmethod
    def iterations(self) -> int: ...

    def check(self, problem: Problem) -> None:
        super().check(problem)
        Draw(problem.domain, self.scale)  # tells of a wrong number of scales

    def fit(self, given: Given) -> Trained:
        """Draw the nodes and fit their weights."""
        problem = given.problem
        nodes = Draw(problem.domain, self.scale)(self.nodes, 1.0, given.rng)
        system = System(
            problem,
            given.blocks,
            given.points,
            given.weights,
            activation_named(self.activation),
            given.start,
        )
        found = gauss_newton(
            system, system.evaluate(nodes), self.truncation, self.iterations, given.report
        )
        state = found.state
        return Trained(
            Network(problem, given.start, self.activation, nodes, state.weights, state.unknowns),
            found.status,
            float(np.sqrt(state.energy)),
            found.history,
        )


@dataclass(frozen=True, kw_only=True)
class RandomFeatures(RandomNodes):
    """Random nodes, their weights fitted by Gauss–Newton until the residual no longer falls.

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
    """Where Gauss–Newton came to, how it ended, and its residuals on the way."""

    state: State
    status: Status
    history: np.recarray[Any, Any]


def gauss_newton(
    system: System, rows: NodeRows, truncation: float, max_iterations: int, report: Report
) -> Minimum:
    """Fit the weights of given nodes, all of them zero at first, and the unknowns."""
    everything, bounds = slice(0, len(rows.design)), Bounds(system.problem)
    state = replace(system.start(), weights=np.zeros(rows.design.shape[:2]))
    residuals: list[float] = []
    seconds: list[float] = []
    status = Status.ITERATION_LIMIT
    # A linear problem is solved by its first step, unless an unknown was held at its bound.
    once = system.linear_rows == system.rows and not len(state.unknowns)
    try:
        for iteration in range(max_iterations):
            began = time.perf_counter()
            linearization = system.linearize(state)
            if not linearization.finite:
                status = Status.NOT_FINITE
                break
            system.write_nonlinear(rows, everything, linearization)
            direction = _direction(rows, linearization, state, bounds, truncation)
            moved, step = line_search(system, rows, everything, state, direction, _STEPS)
            if step > 0.0:
                # Large weights on the way leave round-off that a fresh evaluation takes out again.
                moved = system.state_with(rows, moved.weights, moved.unknowns)
            before = state.energy
            if moved.energy < before:
                state = moved
                residuals.append(float(np.sqrt(state.energy)))
                seconds.append(time.perf_counter() - began)
                report(iteration + 1, residuals[-1])
            if once or not state.energy < (1.0 - _SETTLED) * before:
                status = Status.SETTLED
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return Minimum(state, status, history_of(residuals, seconds))


def _direction(
    rows: NodeRows,
    linearization: Linearization,
    state: State,
    bounds: Bounds,
    truncation: float,
) -> Direction:
    """The full Gauss–Newton step; unknowns stay within their bounds."""
    nodes = rows.design.reshape(-1, rows.design.shape[-1])
    columns = np.concatenate([nodes, linearization.unknowns])
    lengths = np.sqrt(np.einsum("kn,kn->k", columns, columns))
    lengths[lengths == 0.0] = 1.0
    columns /= lengths[:, None]
    old, count = state.weights, len(nodes)
    target = old.ravel() * lengths[:count] @ columns[:count] - state.residual
    solved, rank = np.zeros(0), 0

    def free_steps(fixed: Floats) -> Floats:
        nonlocal solved, rank
        free = np.concatenate([np.ones(count, dtype=bool), np.isnan(fixed)])
        held = np.where(np.isnan(fixed), 0.0, fixed) @ linearization.unknowns
        some = columns if free.all() else columns[free]
        part, rank = solve_least_squares(some, target - held, truncation)
        solved = np.concatenate([np.zeros(count), fixed])
        solved[free] = part / lengths[free]
        return solved[count:]

    steps = bounds.solve(state.unknowns, free_steps)
    return Direction(solved[:count].reshape(old.shape) - old, steps, rank)
