"""How time and memory of patches grow: with their number, the points and the wave number."""

import math
import time
from functools import partial
from typing import Any, NamedTuple

from piscm import PISC3, Patches, Sampling, solve
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
    "of CPU time; megabytes above those of the smallest solve. Exponents are those of the axis; "
    "that of wavelengths is in the area, their square."
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

    def run(own: Size) -> tuple[Any, float]:
        problem, exact = helmholtz(own.wavelengths)
        x, y = problem.domain.coordinates
        method = Patches({x: own.side, y: own.side}, method=PISC3(max_nodes=own.nodes))
        sampling = None if own.points is None else Sampling(own.points, max(200, own.points // 50))
        began = time.process_time()
        solution = solve(problem, method, sampling=sampling, progress=False)
        seconds = time.process_time() - began
        return (solution, relative_error(solution, problem, exact)), seconds

    run(Size(1, 1, 10))  # what the first run loads is no part of a later one
    before = peak_megabytes()
    (solution, error), seconds = run(size)
    return {
        "points": solution.sampling.interior,
        "error": error,
        "seconds": seconds,
        "megabytes": peak_megabytes() - before,
    }


def summary(records: list[Record]) -> list[Record]:
    """The rows with the exponents of their axis."""
    rows = []
    for (along,), own in grouped(records, "along").items():
        power = 2 if along == "wavelengths" else 1
        exponents = {
            f"{what}_exponent": fitted_exponent([(row[along] ** power, row[key]) for row in own])
            for what, key in _MEASURED.items()
        }
        rows += [{**row, **exponents} for row in own]
    return rows


def draw(rows: list[Record], ax: Any) -> None:
    """Time along patches, points and area."""
    for (along,), own in grouped(rows, "along").items():
        power = 2 if along == "wavelengths" else 1
        known = [row for row in own if row["seconds"] > 0]
        if known:
            name = "area" if power == 2 else along
            ax.loglog(
                [(row[along] / known[0][along]) ** power for row in known],
                [row["seconds"] / known[0]["seconds"] for row in known],
                "o-",
                label=f"time ~ {name}^{own[0]['time_exponent']:.2f}",
                markersize=4,
            )
    finish(
        ax,
        legend={"fontsize": 8},
        xlabel="patches, points or area / the fewest",
        ylabel="time / that of the fewest",
        title="patches",
    )
