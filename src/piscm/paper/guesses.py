"""How far off may the first guess be? Final error against the guess, over four decades.

python -m piscm.paper.guesses --workers 2 --out docs
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from rich.progress import track

from piscm import PISC3, Problem, solve, zoo
from piscm.result.storage import write_csv

NAMES = ("van-der-pol-inverse", "helmholtz-inverse")
GUESSES = tuple(float(g) for g in np.logspace(-2, 2, 9))  # the truth is 1
METHODS = {
    "the paper's selection": {},
    "orthogonal": {"selection": "orthogonal", "candidates": 100},
}
SEEDS = {"the paper's selection": (0,), "orthogonal": (0, 1, 2)}  # the former takes its time


def error(task):
    name, guess, seed, method = task
    benchmark = zoo.load(name)
    known = benchmark.observed(100, seed)
    symbol = next(iter(known.unknowns))
    problem = Problem(
        known.domain, known.equations, known.conditions, {symbol: guess}, known.observations
    )
    options = benchmark.method(PISC3, **METHODS[method])
    solution = solve(
        problem, options, sampling=benchmark.sampling, weights=benchmark.weights, seed=seed
    )
    value = solution.unknowns[symbol.name].value
    return {
        "problem": name,
        "method": method,
        "guess": guess,
        "seed": seed,
        "error": abs(value - benchmark.truth[symbol.name]),
    }


def draw(rows, path):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(NAMES), figsize=(11, 3.8), layout="constrained")
    for ax, name in zip(axes, NAMES, strict=True):
        for color, method in enumerate(METHODS):
            own = [row for row in rows if (row["problem"], row["method"]) == (name, method)]
            if not own:
                continue
            ax.loglog(
                [row["guess"] for row in own],
                [row["error"] for row in own],
                "o",
                color=f"C{color}",
                alpha=0.4,
            )
            middle = [np.median([r["error"] for r in own if r["guess"] == g]) for g in GUESSES]
            ax.loglog(GUESSES, middle, color=f"C{color}", label=method)
        ax.axvline(1.0, color="0.6", linestyle=":")
        ax.set(title=name, xlabel="first guess (the truth is 1)", ylabel="final error")
        ax.grid(alpha=0.3)
        ax.legend(frameon=False)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    tasks = [
        (name, guess, seed, method)
        for name, guess, method in product(NAMES, GUESSES, METHODS)
        for seed in SEEDS[method]
    ]
    with ProcessPoolExecutor(options.workers) as pool:
        rows = list(track(pool.map(error, tasks), description="guesses", total=len(tasks)))
    write_csv(options.out / "guesses.csv", list(rows[0]), rows)
    draw(rows, options.out / "guesses.png")


if __name__ == "__main__":
    main()
