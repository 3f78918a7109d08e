"""How accurate the default is, and what that takes, on every forward problem of the zoo."""

from dataclasses import replace
from functools import partial

from piscm import zoo
from piscm.march.options import Auto
from piscm.paper.bench_part import Case, Part, Row, solved
from piscm.paper.yardstick import lstsq_seconds

TOLERANCES = (1e-3, 1e-5, 1e-7)
SECONDS = 30.0
# The same for all, so that the runs can be compared with each other.
UNIT = (2_000, 400)
COLUMNS = ("problem", "tol", "status", "nodes", "seconds", "in_lstsq", "relative_error")
NOTE = (
    f"in_lstsq: time as a ratio to one SciPy lstsq of {UNIT[0]} x {UNIT[1]}, timed right after. "
    "relative_error: L2, of all fields together. "
)
_QUICK = Auto(max_nodes=50, max_seconds=0.5)


def accuracy(quick: bool) -> Part:
    """Every forward problem with every tolerance."""
    method = _QUICK if quick else Auto(max_seconds=SECONDS)
    cases = [
        Case(f"{name}, tol {tolerance:g}", effort, partial(_measured, name, tolerance, method))
        for tolerance, effort in zip(TOLERANCES[: 1 if quick else None], (5, 13, 18), strict=False)
        for name in zoo.names()
        if not zoo.load(name).problem.unknowns
    ]
    note = NOTE + f"A run ends after {method.max_seconds:g} s, as TIME_LIMIT."
    return Part("accuracy", "Accuracy against time, by default", note, COLUMNS, cases, summary)


def _measured(name: str, tolerance: float, method: Auto) -> Row:
    benchmark = zoo.load(name)
    solution = solved(benchmark.problem, replace(method, tolerance=tolerance), None, seed=0)
    return {
        "problem": name,
        "tol": tolerance,
        "status": solution.status.name,
        "nodes": solution.n_nodes,
        "seconds": solution.seconds,
        "in_lstsq": solution.seconds / lstsq_seconds([UNIT]),
        "relative_error": benchmark.relative_error(solution),
    }


def summary(measured: list[Row]) -> list[Row]:
    """The rows by problem."""
    order = zoo.names()
    return sorted(measured, key=lambda row: order.index(row["problem"]))
