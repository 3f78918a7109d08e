"""The common form of baselines: settings, and a fit on the same points as piscm's own methods."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from piscm.assemble.assembly import Assembly
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.fit.residuals import block_residuals
from piscm.network.model import Model
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.history import History, Report
from piscm.result.method import Method, Outcome, Request
from piscm.result.status import Status


@dataclass(frozen=True)
class Given:
    """The input of a baseline.

    Attributes
    ----------
    assembly : Assembly
        The compiled problem, the points where it must hold, weights and starting values.
    rng : numpy.random.Generator
    report : callable
        Called with the number of the iteration and the residual.
    """

    assembly: Assembly
    rng: np.random.Generator
    report: Report

    @property
    def problem(self) -> Problem:
        return self.assembly.part.problem


@dataclass(frozen=True)
class Trained:
    """The result of a baseline.

    `residual` is the root of the weighted sum of mean squares of all blocks, as for `PISC3`;
    `history` has one record per iteration.
    """

    network: Model
    status: Status
    residual: float
    history: History


@dataclass(frozen=True, kw_only=True)
class Baseline(Method):
    """A method by other authors, with its settings."""

    @property
    @abstractmethod
    def iterations(self) -> int:
        """The maximum number of steps of a run, for the progress bar."""

    @property
    def records_iterations(self) -> bool:
        return True

    def with_tolerance(self, tolerance: float) -> Method:
        raise ProblemError(f"tol: {type(self).__name__} has no tolerance; leave it out.")

    def check(self, problem: Problem) -> None:
        if problem.priors or any(
            data.noise is not None or data.loss != "square" for data in problem.observations
        ):
            raise ProblemError(
                f"{type(self).__name__} fits observations by plain least squares: leave noise=... "
                "and loss=... out, or use PISC3()."
            )

    @abstractmethod
    def fit(self, given: Given) -> Trained:
        """Solve the problem."""

    def run(self, request: Request) -> Outcome:
        """Solve on the points that a grown network has with the same seed."""
        problem, sampling = request.problem, request.sampling or Sampling()
        fitted_rng, held_out_rng, node_rng = request.rng.spawn(3)
        part = Part.whole(problem)
        points = draw_points(problem.domain, part.blocks, sampling, fitted_rng)
        assembly = Assembly(part, points, request.weights, request.start)
        with request.reporting(self.iterations, "fitting", "steps") as report:
            trained = self.fit(Given(assembly, node_rng, report))
        fitted = [(trained.network, b, own) for b, own in zip(part.blocks, points, strict=True)]
        table, status = block_residuals(
            trained.network, part, fitted, sampling.elsewhere, held_out_rng, trained.status
        )
        return Outcome(
            model=trained.network,
            status=status,
            residual=trained.residual,
            block_residuals=table,
            history=trained.history,
            sampling=sampling,
        )
