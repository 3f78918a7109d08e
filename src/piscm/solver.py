"""From a problem to a solution."""

import time
from collections.abc import Callable, Mapping

import numpy as np
import sympy

from piscm.assemble.sampling import Sampling
from piscm.compile.blocks import KINDS
from piscm.linalg.threads import one_thread
from piscm.march.methods import Auto
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.problem.requirement import checked_weight
from piscm.result.method import Method, Request
from piscm.result.solution import Solution


class NotConverged(RuntimeError):  # noqa: N818  (what happened, not an error of the program)
    """Raised with ``throw=True`` if the run did not end well; carries the solution."""

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
        Domain, equations, conditions, and any unknowns and observations.
    method : PISC1, PISC2, PISC3, Windows, Auto or one of `piscm.baselines`, optional
        The default is `Auto`, which chooses nodes, points, row weights and windows itself.
    tol : float, optional
        Replaces the method's `tolerance`. For `Auto` it is relative to the size of the solution and
        defaults to 1e-6.
    sampling : Sampling, optional
        The points. `Windows` and `Auto` start each window with them; if omitted, `Auto` chooses.
    weights : mapping of str to float, optional
        The weights of all "equations", "conditions" or "observations"; 1 by default.
    initial : mapping of fields to expressions, optional
        Starting values, to which the network is added; zero by default.
    seed : int
        The same seed gives bit-identical results.
    progress : bool or callable, optional
        True shows a progress bar, None only on a terminal; a function is called as
        ``f(nodes, residual)``.
    throw : bool
        Raise `NotConverged`, which carries the solution, unless ``solution.status.ok``.

    Returns
    -------
    Solution
        Call it with coordinates to evaluate it; print it for a summary of its quality. A run that
        does not converge is returned as well, and its `status` says so in a sentence. Ctrl-C
        returns the solution so far.

    Raises
    ------
    ProblemError
        Before any computation, if the input does not make sense.
    NotConverged
        With ``throw=True``.

    Examples
    --------
    >>> from piscm import Box, Condition, Problem, coordinates, field, solve
    >>> t = coordinates("t")
    >>> u = field("u", t)
    >>> decay = Problem(Box({t: (0, 2)}), [u.diff(t) + u], [Condition(u - 1, on={t: 0})])
    >>> solution = solve(decay, tol=1e-8)
    >>> solution.status.ok
    True
    >>> round(float(solution(t=1.0)), 6)
    0.367879
    """
    began = time.perf_counter()
    method = _checked_method(method, tol)
    if sampling is not None and not isinstance(sampling, Sampling):
        raise ProblemError("sampling must be a Sampling, as Sampling(interior=1000, boundary=100).")
    if not isinstance(problem, Problem):
        raise ProblemError(f"solve needs a Problem, not a {type(problem).__name__}.")
    kind_weights = _checked_weights(weights)
    start, rng = Start(problem, initial), _generator(seed)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ProblemError(f"progress={progress!r}: give True, False, None or a function.")
    method.check(problem)
    # One BLAS thread: faster at these sizes, and bit-identical on machines of the same kind.
    with one_thread():
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
        tried=found.tried,
    )
    if throw and not solution.status.ok:
        raise NotConverged(solution)
    return solution


def _checked_method(method: Method | None, tol: float | None) -> Method:
    if method is None:
        method = Auto()
    if not isinstance(method, Method):
        kind = method.__name__ if isinstance(method, type) else type(method).__name__
        raise ProblemError(
            f"The method is {kind}; give PISC1(), PISC2(), PISC3(), Auto(), Windows(t) or one of "
            "piscm.baselines."
        )
    return method if tol is None else method.with_tolerance(tol)


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
