"""Whether an answer kept the promise of its status."""

import warnings
from dataclasses import dataclass
from typing import Any

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
    """The root mean square error of all fields relative to the fields, at random points.

    Of several truths, that which is nearest counts.
    """
    domain = solution.problem.domain
    rng = np.random.default_rng(1)
    box = domain.bounding_box
    points = box.lower + rng.random((POINTS, domain.dimension)) * box.width
    points = points[domain.contains(points)]
    return min(_distance(solution, truth, points) for truth in _truths(solution, case, points))


def _truths(solution: Solution, case: Case, points: Any) -> list[dict[Any, Any]]:
    """What each field may be at the points."""
    coordinates, field = solution.problem.domain.coordinates, solution.problem.fields[0]
    given = case.truth
    if callable(given) and not isinstance(given, sympy.Basic):
        given = given(*points.T)
    made = []
    for truth in given if isinstance(given, list) else [given]:
        fields = truth if isinstance(truth, dict) else {field: truth}
        made.append(
            {
                item: own
                if isinstance(own, np.ndarray)
                else sympy.lambdify(coordinates, own, ["numpy", "scipy"])(*points.T)
                for item, own in fields.items()
            }
        )
    return made


def _distance(solution: Solution, truth: dict[Any, Any], points: Any) -> float:
    names = [symbol.name for symbol in solution.problem.domain.coordinates]
    at = dict(zip(names, points.T, strict=True))
    wrong = size = 0.0
    for item, exact in truth.items():
        wrong += float(np.mean((solution(item, **at) - exact) ** 2))
        size += float(np.mean(np.broadcast_to(exact, len(points)) ** 2))
    error = float(np.sqrt(wrong / size)) if size > 0 else float(np.sqrt(wrong))
    return error if np.isfinite(error) else np.inf
