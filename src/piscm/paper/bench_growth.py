"""How time and memory grow with points, nodes and fields."""

import math
import statistics
from dataclasses import asdict, dataclass
from functools import cache, partial

from piscm.assemble.sampling import Sampling
from piscm.construct.methods import PISC3
from piscm.paper.bench_part import Case, Part, Row, solved
from piscm.paper.child import in_child, peak_megabytes
from piscm.paper.coupled import coupled_system
from piscm.paper.exponent import fitted_exponent
from piscm.result.solution import Solution

ALONG = ("points", "nodes", "fields")
COLUMNS = (
    "along",
    "points",
    "nodes",
    "fields",
    "seconds",
    "megabytes",
    "time_exponent",
    "memory_exponent",
)
SECONDS = 120.0
NOTE = (
    "PI-SC-III, orthogonal, on a reaction–diffusion system, each case in a process of its own. "
    "megabytes: peak memory beyond that of a tiny run. Exponents: least squares on the logarithms "
    f"of all sizes. A case over {SECONDS:.0f} s or over half the memory is left empty."
)
# Wave numbers for 1600 nodes that are independent of each other.
_SCALE = 100.0
_SHORT = 1.0
_REPEATS = 3


@dataclass(frozen=True)
class Size:
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


SIZES = {
    "points": [Size(points, 100, 1) for points in (1_000, 10_000, 100_000, 1_000_000)],
    "nodes": [Size(4_000, nodes, 1) for nodes in (100, 200, 400, 800, 1_600)],
    "fields": [Size(2_000, 200, fields) for fields in (1, 2, 3, 4)],
}
_QUICK = {
    "points": [Size(points, 20, 1) for points in (200, 2_000)],
    "nodes": [Size(200, nodes, 1) for nodes in (20, 60)],
    "fields": [Size(200, 20, fields) for fields in (1, 2)],
}


def growth(quick: bool) -> Part:
    """Every size along every axis."""
    cases = [
        Case(f"{along} {getattr(size, along)}", size.effort, partial(_measured, along, size))
        for along, sizes in (_QUICK if quick else SIZES).items()
        for size in sizes
    ]
    return Part("growth", "Growth of time and memory", NOTE, COLUMNS, cases, summary)


def _measured(along: str, size: Size) -> Row:
    return {"along": along, **asdict(size), **_cost_in_child(size)}


@cache  # one size may stand on several axes
def _cost_in_child(size: Size) -> Row:
    return in_child(cost, (size,), SECONDS) or {"seconds": math.nan, "megabytes": math.nan}


def cost(size: Size) -> Row:
    """Seconds and megabytes of one case, and the nodes that it came to; runs in a child."""
    problem = coupled_system(size.fields)

    def run(points: int, nodes: int) -> Solution:
        method = PISC3(max_nodes=nodes, scale=_SCALE, selection="orthogonal", candidates=100)
        return solved(problem, method, Sampling(interior=points), seed=0)

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


def summary(measured: list[Row]) -> list[Row]:
    """The rows with the exponents of their axis."""
    rows = []
    for along in ALONG:
        own = [row for row in measured if row["along"] == along]
        sizes = [row[along] for row in own]
        exponents = {
            "time_exponent": fitted_exponent(sizes, [row["seconds"] for row in own]),
            "memory_exponent": fitted_exponent(sizes, [row["megabytes"] for row in own]),
        }
        rows += [{**row, **exponents} for row in own]
    return rows
