"""What shapes, regions and eigenvalues reach: one line for each bar, medians over seeds.

``python -m piscm.paper.shape_bars out`` measures all, or those whose name contains a second
argument; a case that is in the folder is not measured again. Times are CPU seconds, without those
of imports, and are compared with one dense least-squares solve of the final size right beside.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import jn_zeros

from piscm import (
    Condition,
    Disk,
    Patches,
    Polygon,
    Problem,
    Solution,
    coordinates,
    eigenpairs,
    field,
    laplacian,
    solve,
    unknown,
    zoo,
)
from piscm.paper.coverage import CONDUCTS, inclusion
from piscm.paper.store import Record, Store
from piscm.paper.study import grouped, measured, show
from piscm.paper.trials import Trial
from piscm.paper.yardstick import final_shapes, lstsq_seconds
from piscm.problem.domain import Domain
from piscm.result.method import Method
from piscm.text.files import write_csv
from piscm.zoo import cavity, cylinder
from piscm.zoo.benchmark import Benchmark
from piscm.zoo.elasticity import stress
from piscm.zoo.references import cavity as references

COLUMNS = ("what", "bar", "error", "worst", "others", "runs")
_SECONDS = 3600.0
# The membrane over the L of sides 2 and 1: L. N. Trefethen and T. Betcke, Computed eigenmodes of
# planar regions (2006).
L_EIGENVALUES = (9.63972384402, 15.19725192645, 19.73920880218)
_L_CORNERS = [(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)]


class Case(NamedTuple):
    """A measurement for one bar."""

    what: str
    bar: str
    measure: Callable[[int], Record]
    seeds: int = 3


def _of(
    name: str, seed: int, method: Method | None = None, tol: float | None = None
) -> tuple[Benchmark, Solution, Record]:
    """A problem of the zoo as a user solves it."""
    item = zoo.load(name)
    solve(zoo.load("conduction-rod").problem, progress=False)  # SciPy is loaded when first used
    began = time.process_time()
    limits: dict[str, Any] = {"progress": False, "max_seconds": _SECONDS}
    solution = solve(item.problem, method, tol=tol, seed=seed, **limits)
    seconds = time.process_time() - began
    return item, solution, {"status": solution.status.name, "cpu": seconds}


def _known(name: str, seed: int) -> Record:
    item, solution, record = _of(name, seed)
    record["lstsq"] = record["cpu"] / lstsq_seconds(final_shapes(solution), time.process_time)
    return {"error": item.relative_error(solution), **record}


def _smooth_corner(seed: int) -> Record:
    """The L without singular functions."""
    item = zoo.load("laplace-corner")
    said = item.problem
    plain = Problem(said.domain, said.equations, said.conditions, singular={})
    began = time.process_time()
    solution = solve(plain, seed=seed, progress=False, max_seconds=_SECONDS)
    return {
        "error": item.relative_error(solution),
        "status": solution.status.name,
        "cpu": time.process_time() - began,
    }


def _flux(name: str, seed: int) -> Record:
    """Two materials: the error, and that of the gradient in each of them."""
    item, solution, record = _of(name, seed)
    rng = np.random.default_rng(seed)
    points = item.problem.domain.sample_inside(2000, lambda n, d: rng.random((n, d)))
    names = [symbol.name for symbol in item.problem.domain.coordinates]
    u = item.problem.written_fields[0]
    found, true = [], []
    for axis, symbol in enumerate(item.problem.domain.coordinates):
        step = 1e-4 * (np.arange(len(names)) == axis)
        at = dict(zip(names, points.T, strict=True))
        found.append(solution(u.diff(symbol), **at))
        ahead, behind = (
            item.reference(**dict(zip(names, (points + sign * step).T, strict=True)))
            for sign in (1, -1)
        )
        true.append((ahead - behind) / 2e-4)
    # Differences across the interface are no derivatives: leave out the points beside it.
    away = np.isfinite(np.sum(found, axis=0)) & ~_beside(item.problem.domain, points)
    missed = np.array(found)[:, away] - np.array(true)[:, away]
    flux = float(np.linalg.norm(missed) / np.linalg.norm(np.array(true)[:, away]))
    return {"error": item.relative_error(solution), "flux": flux, **record}


def _beside(domain: Domain, points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a step of a difference leaves the region that a point lies in."""
    members = getattr(domain, "members", ())
    beside = np.zeros(len(points), dtype=bool)
    for member in members:
        inside = member.contains(points)
        for axis in range(points.shape[1]):
            for sign in (1, -1):
                step = sign * 2e-4 * (np.arange(points.shape[1]) == axis)
                beside |= inside != member.contains(points + step)
    return beside


def _peak(seed: int) -> Record:
    """The stress beside the hole, three times that far away."""
    item, solution, record = _of("plate-with-hole", seed)
    xx, _, _ = stress(*item.problem.written_fields)
    peak = float(solution(xx, x=0.0, y=1.0))
    return {"error": abs(peak / 3 - 1), "field": item.relative_error(solution), **record}


def _cavity(seed: int) -> Record:
    """The extremes on the center lines as they were published, and the table."""
    return _lines("driven-cavity", cavity.GHIA_U, cavity.GHIA_V, cavity.EXTREMES, seed)


def _faster_cavity(seed: int) -> Record:
    """The same at Re = 400, with 1 % asked for; extremes are those of the reference."""
    at, reference = np.linspace(0.02, 0.98, 2001), references.cavity(400.0)
    along, up = reference.velocity(0.5, at)[0], reference.velocity(at, 0.5)[1]
    extremes = along.min(), up.max(), up.min()
    return _lines("driven-cavity-400", cavity.GHIA_U_400, cavity.GHIA_V_400, extremes, seed, 1e-2)


def _lines(
    name: str,
    across: NDArray[np.float64],
    upward: NDArray[np.float64],
    known: tuple[float, float, float],
    seed: int,
    tol: float | None = None,
) -> Record:
    """Velocities on the center lines, against a table and against known extremes."""
    item, solution, record = _of(name, seed, tol=tol)
    u, v = cavity.velocity(item.problem.written_fields[0])
    at = np.linspace(0.02, 0.98, 2001)
    along, up = solution(u, x=0.5, y=at), solution(v, x=at, y=0.5)
    extremes = np.array([along.min(), up.max(), up.min()])
    table = [
        *(solution(u, x=0.5, y=across[:, 0]) - across[:, 1]),
        *(solution(v, x=upward[:, 0], y=0.5) - upward[:, 1]),
    ]
    return {
        "error": float(np.abs(extremes / known - 1).max()),
        "table": float(np.abs(table).max()),
        "field": item.relative_error(solution),
        **record,
    }


def _cylinder(seed: int) -> Record:
    """The drag of a cylinder in a channel."""
    patches = Patches({cylinder.x: 22, cylinder.y: 4})
    item, solution, record = _of("cylinder-in-channel", seed, patches, tol=1e-2)
    surface = item.problem.domain.boundary("cylinder")
    drag, lift = (float(solution.integral(force, over=surface)) for force in cylinder.forces())
    return {
        "error": abs(drag / cylinder.DRAG - 1),
        "drag": drag,
        "lift": lift,
        "field": item.relative_error(solution),
        **record,
    }


def _eigenvalues(domain: Domain, exact: tuple[float, ...], tol: float, seed: int) -> Record:
    u, lam = field("u", *domain.coordinates), unknown("lam")
    drum = Problem(
        domain, [laplacian(u) + lam * u], [Condition(u, on="boundary")], unknowns={lam: 0.0}
    )
    began = time.process_time()
    modes = eigenpairs(drum, 3, tol=tol, seed=seed, progress=False, max_seconds=_SECONDS)
    found = np.array([mode.unknowns["lam"].value for mode in modes])
    worst = float(np.abs(found / exact - 1).max()) if len(found) == 3 else 1.0
    statuses = ", ".join(mode.status.name for mode in modes)
    return {"error": worst, "status": statuses, "cpu": time.process_time() - began}


def _disk(seed: int) -> Record:
    x, y = coordinates("x y")
    one, two = jn_zeros(0, 1)[0] ** 2, jn_zeros(1, 1)[0] ** 2
    return _eigenvalues(Disk({x: 0, y: 0}, 1), (one, two, two), 1e-6, seed)


def _l_shape(seed: int) -> Record:
    return _eigenvalues(Polygon(coordinates("x y"), _L_CORNERS), L_EIGENVALUES, 1e-3, seed)


def _inclusion(seed: int) -> Record:
    """Whether the interval of one data set holds the truth; the mean over all is the coverage."""
    began = time.process_time()
    found = inclusion(seed).unknowns["inside"]
    score = (found.value - CONDUCTS) / found.stderr
    return {
        "error": abs(score),
        "holds": float(abs(score) < 1.96),
        "cpu": time.process_time() - began,
    }


_SMOOTH = "≤ 1e-6, ≤ 60 lstsq"
CASES = (
    *(
        Case(name, _SMOOTH, partial(_known, name))
        for name in ("poisson-disk", "poisson-annulus", "poisson-ball", "poisson-star")
    ),
    Case("laplace-four-holes", "≤ 1e-4", partial(_known, "laplace-four-holes")),
    Case("laplace-corner", "≤ 1e-4", partial(_known, "laplace-corner")),
    Case("laplace-corner, no singular functions", "≤ 1e-2", _smooth_corner),
    Case("conduction-rod", "≤ 1e-6, flux ≤ 1e-5", partial(_flux, "conduction-rod")),
    Case("conduction-plane", "≤ 1e-6, flux ≤ 1e-5", partial(_flux, "conduction-plane")),
    Case("conduction-inclusion", "≤ 1e-6, flux ≤ 1e-5", partial(_flux, "conduction-inclusion")),
    Case("driven-cavity, Re = 100", "extremes, table ≤ 1e-2", _cavity),
    Case("driven-cavity, Re = 400, tol 1e-2", "no bar", _faster_cavity),
    Case("cylinder-in-channel, drag, patches, tol 1e-2", "no bar", _cylinder),
    Case("plate-with-hole, peak stress", "≤ 5e-3", _peak),
    Case("disk, three eigenvalues", "≤ 1e-5", _disk),
    Case("L, three eigenvalues, tol 1e-3", "≤ 1e-3", _l_shape),
    Case("inclusion's conductivity", "90–99 of 100 hold", _inclusion, 100),
    Case("poisson-10d", "≤ 1e-3", partial(_known, "poisson-10d")),
)


def _measured(what: str, seed: int) -> Record:
    case = next(own for own in CASES if own.what == what)
    return {"case": what, "seed": seed, **case.measure(seed)}


def summary(records: list[Record]) -> list[Record]:
    """A line for each case: the median error, the worst, and medians of what else is known."""
    rows = []
    for (what,), own in grouped(records, "case").items():
        numbers = [key for key, value in own[0].items() if isinstance(value, float)]
        middle = {key: statistics.median(row[key] for row in own) for key in numbers}
        others = [f"{key} {middle[key]:.2g}" for key in numbers if key not in ("error", "holds")]
        if "holds" in middle:
            others.insert(0, f"{sum(row['holds'] for row in own):.0f} hold")
        words = dict.fromkeys(row["status"] for row in own if "status" in row)
        rows.append(
            {
                "what": what,
                "bar": next(case.bar for case in CASES if case.what == what),
                "error": middle["error"],
                "worst": f"{max(row['error'] for row in own):.1e}",
                "others": "; ".join([*others, *words]),
                "runs": len(own),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("out"))
    parser.add_argument("wanted", nargs="?", default="", help="a part of the names of bars")
    parser.add_argument("--seeds", type=int, help="fewer or more seeds than usual")
    options = parser.parse_args()
    trials = [
        Trial(f"shapes/{case.what}, seed {seed}", 10.0, partial(_measured, case.what, seed))
        for case in CASES
        if options.wanted in case.what
        for seed in range(options.seeds or case.seeds)
    ]
    rows = summary(measured(trials, store=Store(options.out)))
    write_csv(options.out / "shape-bars.csv", COLUMNS, rows)
    show("Shapes: medians over the seeds", COLUMNS, rows)


if __name__ == "__main__":
    main()
