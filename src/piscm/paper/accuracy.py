"""How accurate the default is, and what that takes, on every forward problem of the zoo."""

from functools import partial
from typing import Any

from piscm import Auto, solve, zoo
from piscm.paper.drawing import BELOW, finish
from piscm.paper.store import Record
from piscm.paper.study import Study, grouped
from piscm.paper.trials import Trial
from piscm.paper.yardstick import lstsq_seconds

# With how many seconds each takes, roughly.
TOLERANCES = {1e-3: 5.0, 1e-5: 13.0, 1e-7: 18.0}
# The same for all, so that the runs can be compared with each other.
UNIT = (2_000, 400)
COLUMNS = ("problem", "tol", "status", "nodes", "seconds", "in_lstsq", "relative_error")
_LIMITS = {"max_seconds": 30.0}
_QUICK_LIMITS = {"max_nodes": 50, "max_seconds": 0.5}
_SKIPPED = 6  # a quick run shows that it works; some references take longer than that
_MARKERS = "osD^v"


def accuracy(quick: bool) -> Study:
    """Every forward problem with every tolerance."""
    limits: dict[str, Any] = _QUICK_LIMITS if quick else _LIMITS
    forward = [name for name in zoo.names() if not zoo.load(name).problem.unknowns]
    forward = forward[::_SKIPPED] if quick else forward
    trials = [
        Trial(
            f"accuracy/{name}, tol {tolerance:g}",
            effort,
            partial(_measured, name, Auto(tolerance=tolerance, **limits)),
        )
        for tolerance, effort in list(TOLERANCES.items())[: 1 if quick else None]
        for name in forward
    ]
    note = (
        f"in_lstsq: time as a ratio to one SciPy lstsq of {UNIT[0]} x {UNIT[1]}, timed right "
        "after. relative_error: L2, of all fields together. "
        f"A run ends after {limits['max_seconds']:g} s, as TIME_LIMIT."
    )
    return Study("Accuracy against time, by default", note, COLUMNS, trials, by_problem, draw)


def _measured(name: str, method: Auto) -> Record:
    benchmark = zoo.load(name)
    solution = solve(benchmark.problem, method, seed=0, progress=False)
    return {
        "problem": name,
        "tol": method.tolerance,
        "status": solution.status.name,
        "nodes": solution.n_nodes,
        "seconds": solution.seconds,
        "in_lstsq": solution.seconds / lstsq_seconds([UNIT]),
        "relative_error": benchmark.relative_error(solution),
    }


def by_problem(records: list[Record]) -> list[Record]:
    """What was measured tolerance by tolerance."""
    return [row for own in grouped(records, "problem").values() for row in own]


def draw(rows: list[Record], ax: Any) -> None:
    """Error against time, one color a problem, one mark a tolerance; hollow where it was missed."""
    markers = dict(zip(TOLERANCES, _MARKERS, strict=False))
    for number, ((problem,), own) in enumerate(grouped(rows, "problem").items()):
        color = f"C{number}"
        points = [(row["in_lstsq"], row["relative_error"]) for row in own]
        ax.plot(*zip(*points, strict=True), color=color, alpha=0.4)
        for row, point in zip(own, points, strict=True):
            face = color if row["status"] == "CONVERGED" else "none"
            label = problem if row is own[0] else None
            ax.plot(*point, markers[row["tol"]], color=color, markerfacecolor=face, label=label)
    finish(
        ax,
        legend={**BELOW, "ncols": 3},
        xscale="log",
        yscale="log",
        xlabel="time / one lstsq of fixed size",
        ylabel="relative L2 error",
        title="accuracy against time (hollow: tolerance not met)",
    )
