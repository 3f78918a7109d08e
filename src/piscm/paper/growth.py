"""How time and memory grow with points, nodes and fields."""

import math
import statistics
from collections.abc import Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import sympy

from piscm import PISC3, Box, Condition, Problem, Sampling, Solution, coordinates, field, solve
from piscm.paper.drawing import finish
from piscm.paper.machine import peak_megabytes
from piscm.paper.store import Record
from piscm.paper.study import Study, grouped
from piscm.paper.trials import Trial
from piscm.paper.workers import in_child

SECONDS = 120.0
_NOTE = (
    "PI-SC-III, orthogonal, on a reaction–diffusion system, each case in a process of its own. "
    "megabytes: peak memory beyond that of a tiny run. Exponents: least squares on the logarithms "
    f"of all sizes. A case over {SECONDS:.0f} s or over half the memory is left empty."
)
_MEASURED = {"time": "seconds", "memory": "megabytes"}
# Wave numbers for 1600 nodes that are independent of each other.
_SCALE = 100.0
_SHORT = 1.0
_REPEATS = 3


class Size(NamedTuple):
    """How large a case is."""

    points: int
    nodes: int
    fields: int

    @property
    def effort(self) -> float:
        """About how many seconds it takes, beside those for the start of a process."""
        columns = self.nodes * self.fields
        work = 6e-7 * self.points * self.fields * columns * (1.0 + columns / 400)
        return 2.0 + min(work, SECONDS)


COLUMNS = (
    "along",
    *Size._fields,
    *("seconds", "megabytes", "time_exponent", "memory_exponent"),
)
SIZES = {
    "points": [Size(points, 100, 1) for points in (1_000, 10_000, 100_000, 1_000_000)],
    "nodes": [Size(4_000, nodes, 1) for nodes in (100, 200, 400, 800, 1_600)],
    "fields": [Size(2_000, 200, fields) for fields in (1, 2, 3, 4)],
}
_QUICK = {
    "points": [Size(200, 20, 1), Size(2_000, 20, 1)],
    "nodes": [Size(200, 20, 1), Size(200, 60, 1)],
    "fields": [Size(200, 20, 1), Size(200, 20, 2)],
}


def growth(quick: bool) -> Study:
    """Every size along every axis."""
    trials = [
        Trial(
            f"growth/{along} {getattr(size, along)}", size.effort, partial(_measured, along, size)
        )
        for along, sizes in (_QUICK if quick else SIZES).items()
        for size in sizes
    ]
    return Study("Growth of time and memory", _NOTE, COLUMNS, trials, summary, draw)


def _measured(along: str, size: Size) -> Record:
    return {"along": along, **size._asdict(), **_cost_in_child(size)}


@cache  # one size may stand on several axes
def _cost_in_child(size: Size) -> Record:
    return in_child(cost, (size,), SECONDS) or {"seconds": math.nan, "megabytes": math.nan}


def cost(size: Size) -> Record:
    """Seconds and megabytes of one case, and the nodes that it came to; runs in a child."""
    problem = coupled_system(size.fields)

    def run(points: int, nodes: int) -> Solution:
        method = PISC3(max_nodes=nodes, scale=_SCALE, selection="orthogonal", candidates=100)
        return solve(problem, method, sampling=Sampling(interior=points), seed=0, progress=False)

    run(16, 1)  # what the first run loads is no part of a later one
    before = peak_megabytes()
    runs = [run(size.points, size.nodes)]
    megabytes = peak_megabytes() - before
    while runs[0].seconds < _SHORT and len(runs) < _REPEATS:
        runs.append(run(size.points, size.nodes))
    return {
        "nodes": runs[0].n_nodes,
        "seconds": statistics.median(one.seconds for one in runs),
        "megabytes": megabytes,
    }


def coupled_system(count: int) -> Problem:
    r"""A system of so many fields, each of them fed by the next and consumed by its own cube.

    .. math:: \partial_t u_i = \tfrac1{100} \partial_x^2 u_i + u_{i+1} - u_i^3
    """
    x, t = coordinates("x t")
    fields = [field(f"u{number}", x, t) for number in range(1, count + 1)]
    conditions = []
    for number, u in enumerate(fields, start=1):
        conditions.append(Condition(u - sympy.sin(number * sympy.pi * x), on={t: 0}))
        conditions.append(Condition(u, on=[{x: 0}, {x: 1}]))
    return Problem(
        domain=Box({x: (0, 1), t: (0, 1)}),
        equations=[
            u.diff(t) - u.diff(x, 2) / 100 - other + u**3
            for u, other in zip(fields, [*fields[1:], fields[0]], strict=True)
        ],
        conditions=conditions,
    )


def summary(records: list[Record]) -> list[Record]:
    """The rows with the exponents of their axis."""
    rows = []
    for (along,), own in grouped(records, "along").items():
        exponents = {
            f"{what}_exponent": fitted_exponent([(row[along], row[key]) for row in own])
            for what, key in _MEASURED.items()
        }
        rows += [{**row, **exponents} for row in own]
    return rows


def fitted_exponent(measured: Sequence[tuple[float, float]]) -> float:
    """The exponent p of ``value ~ size**p`` from pairs of both: least squares on the logarithms.

    Values that were not measured (NaN), or were too small to be (zero), are left out; with fewer
    than two sizes there is no exponent, and it is NaN.

    >>> round(fitted_exponent([(1, 3), (10, 300), (100, 30_000)]), 6)
    2.0
    """
    known = [(size, value) for size, value in measured if value > 0]
    if len({size for size, _ in known}) < 2:
        return math.nan
    x, y = np.log(known).T
    return float(np.polyfit(x, y, 1)[0])


def draw(rows: list[Record], ax: Any) -> None:
    """Time and memory beside those of the smallest case, along points, nodes and fields."""
    for number, ((along,), own) in enumerate(grouped(rows, "along").items()):
        for (what, key), style in zip(_MEASURED.items(), ("o-", "s--"), strict=True):
            known = [row for row in own if row[key] > 0]
            if known:
                ax.loglog(
                    [row[along] / own[0][along] for row in known],
                    [row[key] / known[0][key] for row in known],
                    style,
                    color=f"C{number}",
                    label=f"{what} ~ {along}^{own[0][f'{what}_exponent']:.2f}",
                    markersize=4,
                )
    finish(
        ax,
        legend={"fontsize": 8},
        xlabel="points, nodes or fields / the fewest",
        ylabel="time or memory / that of the fewest",
        title="growth",
    )
