"""From a problem to a solution."""

import time
from collections.abc import Callable, Mapping

import numpy as np
import sympy
from threadpoolctl import threadpool_limits

from piscm.assemble.sampling import Sampling
from piscm.compile.blocks import KINDS
from piscm.march.methods import Auto
from piscm.network.start import Start
from piscm.problem.conditions import checked_weight
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.method import Method, Request
from piscm.result.solution import Solution


class NotConverged(RuntimeError):  # noqa: N818  (what happened, not an error of the program)
    """Raised with ``throw=True`` where the run did not end well; carries the solution."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.status.value)
        self.solution = solution


def solve(
    problem: Problem,
    method: Method | None = None,
    *,
    tol: float | None = None,
    sampling: Sampling | None = None,
    weights: Mapping[str, float] | None = None,
    initial: Mapping[sympy.Expr, sympy.Expr | float] | None = None,
    seed: int = 0,
    progress: bool | Callable[[int, float], None] | None = None,
    throw: bool = False,
) -> Solution:
    """Solve a problem.

    Parameters
    ----------
    problem : Problem
    method : PISC1, PISC2, PISC3, Windows, Auto or one of `piscm.baselines`, optional
        Left out, it is `Auto`, which finds everything out itself.
    tol : float, optional
        How accurate: stands in for the method's `tolerance`.
    sampling : Sampling, optional
        The points; for `Windows` and `Auto` those that each window begins with.
    weights : mapping, optional
        The weight of all "equations", "conditions" or "observations"; 1 where it is not given.
    initial : mapping of fields to expressions, optional
        Starting values, to which the network is added; zero where they are not given.
    seed : int
        The same seed gives the same bits.
    progress : bool or function, optional
        None shows a bar on a terminal only; a function is called as ``f(nodes, residual)``.
    throw : bool
        Raise `NotConverged` where the run does not end as asked.
    """
    began = time.perf_counter()
    if method is None:
        method = Auto()
    if not isinstance(method, Method):
        kind = method.__name__ if isinstance(method, type) else type(method).__name__
        raise ProblemError(
            f"The method is {kind}; give PISC1(), PISC2(), PISC3(), Auto(), Windows(t) or one of "
            "piscm.baselines."
        )
    if tol is not None:
        method = method.with_tolerance(tol)
    if sampling is not None and not isinstance(sampling, Sampling):
        raise ProblemError("sampling must be a Sampling, as Sampling(interior=1000, boundary=100).")
    if not isinstance(problem, Problem):
        raise ProblemError(f"solve needs a Problem, not a {type(problem).__name__}.")
    kind_weights = _checked_weights(weights)
    start, rng = Start(problem, initial), _generator(seed)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ProblemError(f"progress={progress!r}: give True, False, None or a function.")
    method.check(problem)
    # One BLAS thread: faster at these sizes, and the same bits on every machine of a kind.
    with threadpool_limits(1), np.errstate(all="ignore"):
        found = method.run(Request(problem, sampling, kind_weights, start, rng, progress))
    solution = Solution(
        problem=problem,
        network=found.model,
        method=method,
        sampling=found.sampling,
        seed=seed,
        status=found.status,
        fitted_residual=found.residual,
        block_residuals=found.block_residuals,
        history=found.history,
        seconds=time.perf_counter() - began,
        uncertainty=found.uncertainty,
        known_error=found.error,
    )
    if throw and not solution.status.ok:
        raise NotConverged(solution)
    return solution


def _checked_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    weights = {} if weights is None else weights
    if not isinstance(weights, Mapping):
        raise ProblemError("weights must be a mapping, as weights={'conditions': 10}.")
    for kind in weights:
        if kind not in KINDS:
            raise ProblemError(f"weights names {kind!r}; the kinds are {', '.join(KINDS)}.")
    return {kind: checked_weight(weights.get(kind, 1.0), kind) for kind in KINDS}


def _generator(seed: int) -> np.random.Generator:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise ProblemError(f"seed={seed!r}: give a whole number from 0 up.")
    return np.random.default_rng(int(seed))
