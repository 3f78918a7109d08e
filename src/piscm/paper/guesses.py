"""How far off may the first guess be? Final error against the guess, over four decades.

python -m piscm.paper.guesses --workers 2 --out docs
"""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from piscm import PISC3, Problem, solve, zoo
from piscm.paper.drawing import finish, new_figure, write_png
from piscm.paper.store import Record
from piscm.paper.study import command_line, grouped, measured
from piscm.paper.trials import Trial
from piscm.text.files import write_csv

NAMES = ("van-der-pol-inverse", "helmholtz-inverse")
GUESSES = tuple(float(g) for g in np.logspace(-2, 2, 9))  # the truth is 1
METHODS: dict[str, tuple[dict[str, Any], range, float]] = {
    "the paper's selection": ({}, range(1), 4.0),
    "orthogonal": ({"selection": "orthogonal", "candidates": 100}, range(3), 1.5),
}
"""Options, seeds, and seconds that a trial takes."""


def _measured(name: str, guess: float, method: str, seed: int) -> Record:
    benchmark = zoo.load(name)
    known = benchmark.observed(100, seed)
    symbol = next(iter(known.unknowns))
    solution = solve(
        Problem(
            known.domain, known.equations, known.conditions, {symbol: guess}, known.observations
        ),
        benchmark.method(PISC3, **METHODS[method][0]),
        sampling=benchmark.sampling,
        weights=benchmark.weights,
        seed=seed,
        progress=False,
    )
    error = abs(solution.unknowns[symbol.name].value - benchmark.truth[symbol.name])
    return {"problem": name, "method": method, "guess": guess, "seed": seed, "error": error}


def _draw(rows: list[Record], path: Path) -> None:
    figure = new_figure(11, 3.8)
    groups = grouped(rows, "problem", "method")
    for ax, name in zip(figure.subplots(1, len(NAMES)), NAMES, strict=True):
        for number, method in enumerate(METHODS):
            own, color = groups[name, method], f"C{number}"
            pairs = [(row["guess"], row["error"]) for row in own]
            ax.loglog(*zip(*pairs, strict=True), "o", color=color, alpha=0.4)
            middle = [np.median([r["error"] for r in own if r["guess"] == g]) for g in GUESSES]
            ax.loglog(GUESSES, middle, color=color, label=method)
        ax.axvline(1.0, color="0.6", linestyle=":")
        finish(ax, title=name, xlabel="first guess (the truth is 1)", ylabel="final error")
    write_png(path, figure)


def main() -> None:
    options = command_line((__doc__ or "").split("\n")[0]).parse_args()
    trials = [
        Trial(
            f"guesses/{name} from {guess:g}, {method}, seed {seed}",
            METHODS[method][2],
            partial(_measured, name, guess, method, seed),
        )
        for name, guess, method in product(NAMES, GUESSES, METHODS)
        for seed in METHODS[method][1]
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    rows = measured(trials, options.workers)
    write_csv(options.out / "guesses.csv", list(rows[0]), rows)
    _draw(rows, options.out / "guesses.png")


if __name__ == "__main__":
    main()
