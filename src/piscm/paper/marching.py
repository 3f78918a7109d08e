"""Marches of this checkout beside those of another one: CPU time, error and estimate.

``python -m piscm.paper.marching --reference OTHER --seeds 5`` runs every problem of the table with
every seed, in a process of its own; those with a bar on their time also with the package in
``OTHER/src``. Names select some. Times are CPU seconds of `solve` on one thread, and their ratio is
that of medians of one run of this script, the other checkout's over those of its runs that met the
tolerance: giving up takes less. Errors are relative L2 errors at the same random points,
many of them in time alone: the jumps of a relaxation oscillation last a ten-thousandth of it.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import piscm
from piscm import zoo
from piscm.paper.study import show

_POINTS, _POINTS_IN_TIME = 10_000, 200_000


class March(NamedTuple):
    """A problem of the zoo, and what is asked of its solution.

    Attributes
    ----------
    problem : str
    tolerance : float
    bar : float or None
        The ratio of times that is to be reached, if there is one.
    other_tolerance : float or None
        What the other checkout is asked for, if not the same.
    """

    problem: str
    tolerance: float = 1e-6
    bar: float | None = None
    other_tolerance: float | None = None

    @property
    def other(self) -> "March":
        """The run of the other checkout that this one is compared with."""
        return March(self.problem, self.other_tolerance or self.tolerance)


MARCHES = {
    "sine-gordon": March("sine-gordon", bar=1 / 8),
    "kuramoto-sivashinsky": March("kuramoto-sivashinsky", bar=1 / 5),
    "lorenz": March("lorenz", bar=1 / 8),
    "burgers, 1e-4": March("burgers", 1e-4, bar=1 / 6),
    "burgers": March("burgers", bar=1.0, other_tolerance=1e-4),
    "robertson": March("robertson"),
    "stiff-relaxation": March("stiff-relaxation"),
    "van-der-pol-stiff": March("van-der-pol-stiff"),
    "schroedinger": March("schroedinger"),
    "advection": March("advection"),
    "van-der-pol": March("van-der-pol"),
    "kdv": March("kdv"),
    "allen-cahn": March("allen-cahn"),
    "reaction-diffusion": March("reaction-diffusion"),
}
COLUMNS = (
    *("what", "error", "estimate", "seconds", "status"),
    *("other_error", "other_met", "other_seconds", "ratio", "bar"),
)

# Uses nothing but public names, so that other versions understand it. A problem that is missing in
# their zoo is written down here.
_CHILD = """
import json, sys, time
import numpy as np
import piscm
from piscm import Box, Condition, Problem, coordinates, field, solve, zoo

def lorenz():
    t = coordinates("t")
    x, y, z = (field(name, t) for name in "xyz")
    equations = [x.diff(t) - 10 * (y - x), y.diff(t) - x * (28 - z) + y]
    equations += [z.diff(t) - x * y + 8 * z / 3]
    return Problem(Box({t: (0, 5)}), equations, [Condition(u - 1, on={t: 0}) for u in (x, y, z)])

name, tolerance, seed, path = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
problem = lorenz() if name == "lorenz" else zoo.load(name).problem
began = time.process_time()
solution = solve(problem, tol=tolerance, seed=seed, progress=False)
seconds = time.process_time() - began
known = np.load(path)
at = {str(symbol): known[str(symbol)] for symbol in problem.domain.coordinates}
found = np.array([solution(item, **at) for item in problem.fields])
error = float(np.linalg.norm(found - known["truth"]) / np.linalg.norm(known["truth"]))
estimate = getattr(solution.error_estimate, "relative", float("nan"))
record = {"seconds": seconds, "error": error, "estimate": estimate}
print(json.dumps({**record, "status": solution.status.name}))
"""


def measure(march: March, seed: int, source: Path, known: Path) -> dict[str, Any]:
    """One run with the package found in a folder of sources."""
    environment = {**os.environ, "PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    arguments = [march.problem, str(march.tolerance), str(seed), str(known)]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _CHILD, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"seconds": np.nan, "error": np.nan, "estimate": np.nan, "status": "FAILED"}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def write_truth(problem: str, path: Path) -> None:
    """Random points of a benchmark and the reference there."""
    item = zoo.load(problem)
    rng = np.random.default_rng(0)
    domain = item.problem.domain
    count = _POINTS_IN_TIME if domain.dimension == 1 else _POINTS
    points = domain.sample_inside(count, lambda n, d: rng.random((n, d)))
    names = [symbol.name for symbol in domain.coordinates]
    at = dict(zip(names, points.T, strict=True))
    values = item.reference(**at)
    if isinstance(values, dict):
        values = np.array([values[str(field.func)] for field in item.problem.fields])
    np.savez(path, truth=np.atleast_2d(values), **at)


def median_row(
    what: str, march: March, own: list[dict[str, Any]], others: list[dict[str, Any]]
) -> dict[str, Any]:
    """Medians over the seeds, and the ratio of those of the times."""
    met = [record for record in others if record["error"] <= march.other.tolerance]

    def median(records: Iterable[dict[str, Any]], key: str) -> float:
        return float(statistics.median([record[key] for record in records] or [np.nan]))

    seconds, other = median(own, "seconds"), median(met, "seconds")
    endings = sorted({record["status"] for record in own})
    return {
        "what": what,
        "error": median(own, "error"),
        "estimate": median(own, "estimate"),
        "seconds": seconds,
        "status": " ".join(endings),
        "other_error": median(others, "error"),
        "other_met": f"{len(met)} of {len(others)}",
        "other_seconds": other,
        "ratio": seconds / other,
        "bar": np.nan if march.bar is None else march.bar,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", help="some of the names in the table; all if omitted")
    parser.add_argument("--reference", type=Path, help="another checkout to compare with")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    here = Path(piscm.__file__).parent.parent
    rows = []
    measured: dict[tuple[March, int], dict[str, Any]] = {}  # of the other checkout
    with tempfile.TemporaryDirectory() as folder:
        for what in options.names or MARCHES:
            march, known = MARCHES[what], Path(folder) / "truth.npz"
            write_truth(march.problem, known)
            own, others = [], []
            for seed in range(options.seeds):
                own.append(measure(march, seed, here, known))
                if options.reference is None or march.bar is None:
                    continue
                key = march.other, seed
                if key not in measured:
                    source = options.reference / "src"
                    measured[key] = measure(march.other, seed, source, known)
                others.append(measured[key])
            rows.append(median_row(what, march, own, others))
            show("Medians over the seeds", COLUMNS, rows[-1:])
    show("Medians over the seeds", COLUMNS, rows)


if __name__ == "__main__":
    main()
