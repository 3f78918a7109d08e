"""Modes of an eigenproblem as the results of a method."""

import time
from dataclasses import dataclass

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.budget.budget import finishing
from piscm.budget.interrupts import interrupts_at_checks
from piscm.construct.checks import check_count, check_positive
from piscm.fit.eigenproblem import eigenvalue_of, everywhere
from piscm.fit.mode_search import ModeSearch, Trial
from piscm.fit.piece import Task, task_for
from piscm.fit.residuals import block_residuals, fitted_points
from piscm.inference.error_estimate import ErrorEstimate
from piscm.network.network import Network
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.history import HISTORY, as_history
from piscm.result.integrals import integrate
from piscm.result.method import Method, Outcome, Request
from piscm.result.status import Status


@dataclass(frozen=True, kw_only=True)
class Eigenmode(Method):
    """One mode of an eigenproblem; `piscm.eigenpairs` finds several at once.

    The problem is linear in the fields and in one unknown, the eigenvalue, and has no source.

    Parameters
    ----------
    number : int
        Which of the modes, counted from 1 in ascending order of those that are nearest to the first
        guess of the eigenvalue.
    count : int
        How many of the nearest are looked for.
    tolerance : float
        On the estimated relative error of mode and eigenvalue.
    max_seconds : float, optional
    """

    number: int = 1
    count: int = 1
    tolerance: float = 1e-6
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        check_count(self.number, "Eigenmode(number=...)")
        check_count(self.count, "Eigenmode(count=...)")
        check_positive(self.tolerance, "Eigenmode(tolerance=...)")
        if self.number > self.count:
            raise ProblemError(f"Eigenmode(number={self.number}) of only {self.count} modes.")
        if self.max_seconds is not None:
            check_positive(self.max_seconds, "Eigenmode(max_seconds=...)")

    @property
    def measure(self) -> str:
        return "relative to the mode, at fresh points"

    def check(self, problem: Problem) -> None:
        eigenvalue_of(problem)

    def run(self, request: Request) -> Outcome:
        found = eigen_outcomes(request, self.count, self.tolerance)
        if len(found) < self.number:
            raise ProblemError(
                f"Only {len(found)} of {self.count} modes were found near the first guess of the "
                "eigenvalue and within its bounds."
            )
        return found[self.number - 1]


def eigen_outcomes(request: Request, count: int, tolerance: float) -> list[Outcome]:
    """The modes nearest to the first guess, in ascending order, each as an outcome."""
    problem, began = request.problem, time.perf_counter()
    scaling_rng, search_rng, held_out_rng = request.rng.spawn(3)
    with interrupts_at_checks():
        task = task_for(problem, None, request.start, request.weights, scaling_rng)
        with request.reporting(0, "searching modes") as report:
            search = ModeSearch(task, count, tolerance, search_rng, report, request.sampling)
            trial, status, tried = search.run()
        seconds = time.perf_counter() - began
        with finishing():
            return [
                _outcome(task, trial, number, status, tolerance, tried, seconds, held_out_rng)
                for number in range(trial.count)
            ]


def _outcome(
    task: Task,
    trial: Trial,
    number: int,
    status: Status,
    tolerance: float,
    tried: tuple[str, ...],
    seconds: float,
    rng: np.random.Generator,
) -> Outcome:
    network = normalized(trial.network(task, number))
    error = _error(network, trial, number)
    if not status.stopped:
        status = Status.CONVERGED if error.relative <= tolerance else Status.HOPELESS
    blocks = task.whole.blocks
    fitted = [(network, block, own) for block, own in zip(blocks, trial.points, strict=True)]
    inside = len(trial.points[0][0].points)
    sampling = Sampling(inside, max(len(legs[0].points) for legs in trial.points))
    table, status = block_residuals(network, task.whole, fitted, sampling, rng, status)
    history = np.zeros(len(trial.nodes), dtype=HISTORY)
    history["residual"], history["rank"] = trial.modes.residuals[number], np.nan
    history["seconds"] = seconds / len(trial.nodes)
    return Outcome(
        model=network,
        status=status,
        residual=float(trial.modes.residuals[number]),
        block_residuals=table,
        history=as_history(history),
        sampling=sampling,
        error=error,
        tried=tried,
        determined=True,
        points=fitted_points(fitted),
    )


def _error(network: Network, trial: Trial, number: int) -> ErrorEstimate:
    relative = trial.error(number)
    problem = network.problem
    points = everywhere(problem, trial.fresh)
    sizes = {
        str(item.func): float(np.sqrt(np.mean(network.values(item, points) ** 2)))
        for item in problem.written_fields
    }
    return ErrorEstimate(relative, {name: relative * size for name, size in sizes.items()})


def normalized(network: Network) -> Network:
    """The mode whose square has the integral 1, positive where it is largest."""
    problem = network.problem
    squares = sum(item**2 for item in problem.written_fields)
    try:
        size = float(np.sqrt(integrate(network, squares, None, {})))
    except ProblemError:  # no quadrature there: its root mean square is 1 already
        size = 1.0
    rng = np.random.default_rng(0)
    points = problem.domain.sample_inside(1000, lambda count, d: rng.random((count, d)))
    values = network.values(problem.written_fields[0], points)
    factor = np.copysign(1.0 / size, values[np.argmax(np.abs(values))])
    return Network(
        problem,
        network.start,
        network.activation,
        network.nodes,
        network.weights * factor,
        np.where(problem.asked, network.unknowns, network.unknowns * factor),
    )
