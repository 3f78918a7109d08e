"""The whole of `piscm bench`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from piscm import ProblemError
from piscm.paper.accuracy import accuracy
from piscm.paper.algorithms import algorithms
from piscm.paper.drawing import new_figure, write_png
from piscm.paper.growth import growth
from piscm.paper.scale import scale
from piscm.paper.scale_check import model
from piscm.paper.study import Study, show
from piscm.paper.trials import run_trials
from piscm.paper.workers import local_workers
from piscm.text.files import write_csv

# What is measured unless something is named; the others take long.
_USUAL = ("algorithms", "growth", "accuracy")


def bench(out: Path, trials: int, quick: bool, only: Sequence[str]) -> None:
    """Measure the parts, print their tables, write them and a picture to a folder."""
    parts: dict[str, Callable[[], Study]] = {
        "algorithms": lambda: algorithms(trials, quick),
        "growth": lambda: growth(quick),
        "accuracy": lambda: accuracy(quick),
        "scale": lambda: scale(quick),
        "model": lambda: model(quick),
    }
    if trials < 1:
        raise ProblemError(f"--trials {trials}: give a whole number from 1 up.")
    for name in only:
        if name not in parts:
            raise ProblemError(f"{name}: known parts are {', '.join(parts)}.")
    out.mkdir(parents=True, exist_ok=True)
    done = []
    with local_workers(1) as executor:
        for name, make in parts.items():
            if name not in (only or _USUAL):
                continue
            study = make()
            rows = study.summary(run_trials(study.trials, executor, 1))
            # Each part at once: who interrupts the next one keeps it.
            write_csv(out / f"bench-{name}.csv", study.columns, rows)
            show(study.title, study.columns, rows, study.note)
            done.append((study, rows))
    figure = new_figure(5.6 * len(done), 4.6)
    for ax, (study, rows) in zip(
        figure.subplots(1, len(done), squeeze=False)[0], done, strict=True
    ):
        study.draw(rows, ax)
    write_png(out / "bench.png", figure)
    Console(stderr=True).print(Text(f"Written to {out}"), soft_wrap=True)
