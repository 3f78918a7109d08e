"""Time each algorithm on each problem of the paper, as a ratio within one run.

The yardstick is one `scipy.linalg.lstsq` of the final design's size on the same machine, one
thread: an absolute time says more about the machine than about the method.
"""

import time

import numpy as np
import scipy.linalg
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from piscm import PISC1, PISC2, PISC3, solve, zoo


def seconds_of_lstsq(rows: int, columns: int, repeats: int = 5) -> float:
    """The median time of one dense least-squares solve."""
    rng = np.random.default_rng(0)
    matrix = np.asfortranarray(rng.standard_normal((rows, columns)))
    target = rng.standard_normal(rows)
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        scipy.linalg.lstsq(matrix, target, lapack_driver="gelsd", check_finite=False)
        times.append(time.perf_counter() - began)
    return float(np.median(times))


METHODS = {
    "PI-SC-I": (PISC1, {}),
    "PI-SC-II": (PISC2, {}),
    "PI-SC-III": (PISC3, {}),
    "PI-SC-III, orthogonal": (PISC3, {"selection": "orthogonal", "candidates": 100}),
}


def main() -> None:
    table = Table(
        "problem", "method", "nodes", "RMSE", "seconds", "in lstsq of final size", box=None
    )
    for name in ("van-der-pol", "helmholtz", "allen-cahn"):
        benchmark = zoo.load(name)
        for label, (kind, options) in METHODS.items():
            method = benchmark.method(kind, **options)
            solution = solve(benchmark.problem, method, sampling=benchmark.sampling, seed=0)
            rows = sum(block.rows for block in solution.block_residuals)
            with threadpool_limits(1):
                yardstick = seconds_of_lstsq(rows, solution.n_nodes)
            table.add_row(
                name,
                label,
                str(solution.n_nodes),
                f"{benchmark.rmse(solution):.1e}",
                f"{solution.seconds:.2f}",
                f"{solution.seconds / yardstick:.0f}",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
