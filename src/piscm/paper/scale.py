"""How time and memory of patches grow: with their number, the points and the wave number."""

import math
import time
from functools import partial
from typing import Any, NamedTuple

from piscm import PISC3, Patches, Sampling, Solution, solve
from piscm.paper.drawing import finish
from piscm.paper.growth import fitted_exponent
from piscm.paper.machine import peak_megabytes
from piscm.paper.scale_problems import helmholtz, relative_error
from piscm.paper.store import Record
from piscm.paper.study import Study, grouped
from piscm.paper.trials import Trial
from piscm.paper.workers import in_child

COLUMNS = (
    "along",
    "wavelengths",
    "patches",
    "points",
    "nodes",
    "error",
    "seconds",
    "megabytes",
    "time_exponent",
    "memory_exponent",
)
_NOTE = (
    "Helmholtz's equation on a square, one solve in patches, each in a process of its own. Seconds "
    "of CPU time; megabytes above those of a tiny solve. Exponents are from the size before to "
    "this one, those of wavelengths in the area, their square; the picture names the last ones."
)
_MEASURED = {"time": "seconds", "memory": "megabytes"}
# A case that takes longer than this is left out.
_SECONDS = 3600.0


class Size(NamedTuple):
    """One case: wavelengths across, patches along a side, nodes of a patch, points in all."""

    wavelengths: int
    side: int
    nodes: int
    points: int | None = None


SIZES: dict[str, list[Size]] = {
    "patches": [Size(side, side, 140) for side in (1, 2, 4, 8, 16)],
    "points": [Size(2, 4, 40, 10**power) for power in (3, 4, 5, 6, 7)],
    "wavelengths": [Size(count, round(0.8 * count), 170) for count in (10, 20, 40)],
}
_QUICK: dict[str, list[Size]] = {
    "patches": [Size(1, 1, 40), Size(2, 2, 40)],
    "points": [Size(1, 2, 30, 1000), Size(1, 2, 30, 4000)],
    "wavelengths": [Size(1, 1, 40), Size(2, 2, 40)],
}


def scale(quick: bool) -> Study:
    """Every size along every axis."""
    trials = [
        Trial(
            f"scale/{along} {number}",
            1e-3 * size.side**2 * size.nodes,
            partial(_measured, along, size),
        )
        for along, sizes in (_QUICK if quick else SIZES).items()
        for number, size in enumerate(sizes)
    ]
    return Study("Growth in patches", _NOTE, COLUMNS, trials, summary, draw)


def _measured(along: str, size: Size) -> Record:
    nothing = {"error": math.nan, "seconds": math.nan, "megabytes": math.nan, "points": 0}
    found = in_child(cost, (size,), _SECONDS) or nothing
    return {
        "along": along,
        "wavelengths": size.wavelengths,
        "patches": size.side**2,
        "nodes": size.nodes * size.side**2,
        **found,
    }


def cost(size: Size) -> Record:
    """CPU seconds and megabytes of one solve, and its error; runs in a child."""

    _solved(Size(1, 1, 10))  # what the first run loads is no part of a later one
    before, began = peak_megabytes(), time.process_time()
    solution = _solved(size)
    seconds, megabytes = time.process_time() - began, peak_megabytes() - before
    return {
        "points": solution.sampling.interior,
        "error": relative_error(solution, *helmholtz(size.wavelengths)),
        "seconds": seconds,
        "megabytes": megabytes,
    }


def _solved(size: Size) -> Solution:
    problem, _ = helmholtz(size.wavelengths)
    x, y = problem.domain.coordinates
    method = Patches({x: size.side, y: size.side}, method=PISC3(max_nodes=size.nodes))
    sampling = None if size.points is None else Sampling(size.points, max(200, size.points // 50))
    return solve(problem, method, sampling=sampling, progress=False)


def summary(records: list[Record]) -> list[Record]:
    """The rows with their exponents from the size before."""
    rows = []
    for own in grouped(records, "along").values():
        for number, row in enumerate(own):
            pair = own[max(0, number - 1) : number + 1]
            exponents = {
                f"{what}_exponent": fitted_exponent([(_extent(one), one[key]) for one in pair])
                for what, key in _MEASURED.items()
            }
            rows.append({**row, **exponents})
    return rows


def _extent(row: Record) -> float:
    """How large a case is along its axis; waves fill an area."""
    along = row["along"]
    return float(row[along]) ** (2 if along == "wavelengths" else 1)


def draw(rows: list[Record], ax: Any) -> None:
    """Time and memory along patches, points and area."""
    for number, ((along,), own) in enumerate(grouped(rows, "along").items()):
        name = "area" if along == "wavelengths" else along
        for (what, key), style in zip(_MEASURED.items(), ("o-", "s--"), strict=True):
            known = [row for row in own if row[key] > 0]
            if known:
                ax.loglog(
                    [_extent(row) / _extent(own[0]) for row in known],
                    [row[key] / known[0][key] for row in known],
                    style,
                    color=f"C{number}",
                    label=f"{what} ~ {name}^{known[-1][f'{what}_exponent']:.2f}",
                    markersize=4,
                )
    finish(
        ax,
        legend={"fontsize": 8},
        xlabel="patches, points or area / the fewest",
        ylabel="time or memory / that of the fewest",
        title="patches",
    )
