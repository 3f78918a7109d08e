"""Eigenvalues and modes of linear eigenproblems."""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from piscm.asking import budget_of, check_sampling, generator
from piscm.assemble.sampling import Sampling
from piscm.budget.budget import STOPS, OutOfTimeError, spending
from piscm.construct.checks import check_count
from piscm.fit.eigenmode import Eigenmode, eigen_outcomes
from piscm.fit.eigenproblem import eigenvalue_of
from piscm.linalg.threads import one_thread
from piscm.march.enriched import MISSED, functions_of, has_corners
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.method import Outcome, Request
from piscm.result.solution import Solution
from piscm.result.verdict import judged
from piscm.solver import solution_of


def eigenpairs(
    problem: Problem,
    count: int = 1,
    *,
    tol: float = 1e-6,
    sampling: Sampling | None = None,
    seed: int = 0,
    progress: bool | Callable[[int, float], None] | None = None,
    max_seconds: float | None = None,
    max_memory: float | None = None,
) -> list[Solution]:
    """The eigenvalues nearest to a first guess, with their modes, in ascending order.

    The problem is linear in the fields and in one unknown, the eigenvalue, and every term of its
    equations and conditions holds a field. The modes are sought in the span of random nodes as a
    rectangular eigenproblem (`piscm.linalg.pencil`), for more and more nodes.

    Parameters
    ----------
    problem : Problem
        With ``unknowns={lam: guess}``; bounds of the unknown bound the eigenvalues.
    count : int
        How many; fewer are returned if there are not as many, or if the time limit comes first.
    tol : float
        On the estimated relative error of eigenvalues and modes.
    sampling, seed, progress, max_seconds, max_memory
        As for `solve`.

    Returns
    -------
    list of Solution
        Each is callable, and has its eigenvalue in ``unknowns``. The integral of the square of a
        mode is 1. Modes of a multiple eigenvalue are not unique: any combination is one.

    Examples
    --------
    >>> from piscm import Box, Condition, Problem, coordinates, eigenpairs, field, unknown
    >>> x, lam = coordinates("x"), unknown("lam")
    >>> u = field("u", x)
    >>> string = Problem(
    ...     Box({x: (0, 1)}),
    ...     [u.diff(x, 2) + lam * u],
    ...     [Condition(u, on="boundary")],
    ...     unknowns={lam: 0.0},
    ... )
    >>> [round(mode.unknowns["lam"].value, 4) for mode in eigenpairs(string, 3)]
    [9.8696, 39.4784, 88.8264]
    """
    began = time.perf_counter()
    check_count(count, "eigenpairs(count=...)")
    if not isinstance(problem, Problem):
        raise ProblemError(f"eigenpairs needs a Problem, not a {type(problem).__name__}.")
    methods = [
        Eigenmode(number=number, count=count, tolerance=tol) for number in range(1, count + 1)
    ]
    eigenvalue_of(problem)
    check_sampling(sampling)
    weights = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
    request = Request(problem, sampling, weights, Start(problem), generator(seed), progress)
    with spending(budget_of(methods[0], max_seconds, max_memory)), one_thread():
        try:
            found = _judged(request, count, tol, seed)
        except OutOfTimeError:
            return []
    seconds = time.perf_counter() - began
    return [
        solution_of(method, own, seed, seconds) for method, own in zip(methods, found, strict=False)
    ]


def _judged(request: Request, count: int, tol: float, seed: int) -> list[Outcome]:
    """The modes with their final status.

    Hardly any mode of a shape with re-entrant corners is smooth there: singular functions come
    first, and plain nodes where these do not do.
    """
    problem = request.problem
    found: list[Outcome] = []
    each = functions_of(problem)
    problems = [problem, problem.with_singular(each)] if any(each) else [problem]
    for own in reversed(problems) if has_corners(problem) else problems:
        again = replace(request, problem=own, start=Start(own), rng=generator(seed))
        try:
            other = [judged(mode, tol, seed) for mode in eigen_outcomes(again, count, tol)]
        except STOPS:
            if not found:
                raise
            return found
        if len(other) > len(found) or _error(other) < _error(found):
            found = other
        if len(found) == count and all(mode.status not in MISSED for mode in found):
            return found
    return found


def _error(outcomes: list[Outcome]) -> float:
    return max(np.inf if own.error is None else own.error.relative for own in outcomes)
