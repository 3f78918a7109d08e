"""Whether an answer kept the promise of its status."""

import warnings
from dataclasses import dataclass

import numpy as np
import sympy

from edge.problems import Case
from piscm import ProblemError, Solution, solve
from piscm.problem.errors import IllPosedWarning

POINTS = 2000
TIMES = 10.0  # an ok answer may be wrong by this many times its estimate
ROUND_OFF = 1e-12


@dataclass(frozen=True)
class Finding:
    """What came out of a case."""

    outcome: str
    kept: bool
    error: float = np.nan
    estimate: float = np.nan


def judge(case: Case, seed: int) -> Finding:
    """Solve a case and compare with what is known about it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IllPosedWarning)
            made = case.make()
            if case.kind == "refused":
                return Finding("taken", kept=False)
            solution = solve(made, seed=seed, **(case.options or {}))
    except ProblemError:
        return Finding("refused", kept=case.kind == "refused")
    estimate = solution.error_estimate.relative
    outcome = solution.status.name.lower()
    if case.kind == "never":
        return Finding(outcome, not solution.status.ok, estimate=estimate)
    error = relative_error(solution, case)
    right = error <= TIMES * estimate + ROUND_OFF
    return Finding(outcome, not solution.status.ok or right, error, estimate)


def relative_error(solution: Solution, case: Case) -> float:
    """The root mean square error of all fields relative to the fields, at random points."""
    domain, fields = solution.problem.domain, solution.problem.fields
    rng = np.random.default_rng(1)
    points = domain.bounding_box.lower + rng.random((POINTS, domain.dimension)) * (
        domain.bounding_box.width
    )
    at = {symbol.name: points[:, i] for i, symbol in enumerate(domain.coordinates)}
    wrong = size = 0.0
    truths = case.truth if isinstance(case.truth, dict) else {fields[0]: case.truth}
    for item, truth in truths.items():
        function = sympy.lambdify(domain.coordinates, truth, "numpy")
        exact = np.broadcast_to(function(*points.T), POINTS)
        wrong += float(np.mean((solution(item, **at) - exact) ** 2))
        size += float(np.mean(exact**2))
    return float(np.sqrt(wrong / size)) if size > 0 else float(np.sqrt(wrong))
