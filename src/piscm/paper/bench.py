"""The whole of `piscm bench`."""

from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from piscm.paper.bench_accuracy import accuracy
from piscm.paper.bench_algorithms import algorithms
from piscm.paper.bench_growth import growth
from piscm.paper.bench_part import Part, Row
from piscm.paper.bench_picture import write_picture
from piscm.paper.bench_tables import show
from piscm.problem.errors import ProblemError
from piscm.result.storage import write_csv

PARTS = ("algorithms", "growth", "accuracy")


def bench(out: Path, trials: int, quick: bool, only: Sequence[str]) -> None:
    """Measure the parts, print their tables, write them and a picture to a folder."""
    if trials < 1:
        raise ProblemError(f"--trials {trials}: give a whole number from 1 up.")
    for name in only:
        if name not in PARTS:
            raise ProblemError(f"--only {name}: known parts are {', '.join(PARTS)}.")
    make: dict[str, Callable[[], Part]] = {
        "algorithms": lambda: algorithms(trials, quick),
        "growth": lambda: growth(quick),
        "accuracy": lambda: accuracy(quick),
    }
    out.mkdir(parents=True, exist_ok=True)
    messages = Console(stderr=True)
    rows: dict[str, list[Row]] = {}
    for name in PARTS:
        if only and name not in only:
            continue
        part = make[name]()
        rows[name] = part.summary(_measured(part, messages))
        # Each part at once: who interrupts the next one keeps it.
        write_csv(out / f"bench-{name}.csv", part.columns, rows[name])
        show(part, rows[name])
    write_picture(out / "bench.png", rows)
    messages.print(Text(f"Written to {out}"), soft_wrap=True)


def _measured(part: Part, messages: Console) -> list[Row]:
    """The cases, one after the other, under a bar with an estimate."""
    columns = (
        TextColumn(part.name),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("and"),
        TimeRemainingColumn(),
        TextColumn("to go: {task.description}"),
    )
    rows = []
    # An estimate from the last half hour: cases are few and long.
    with Progress(*columns, console=messages, speed_estimate_period=1800.0) as bar:
        task = bar.add_task("", total=sum(case.effort for case in part.cases))
        for case in part.cases:
            bar.update(task, description=case.title)
            rows.append(case.measure())
            bar.update(task, advance=case.effort)
        bar.update(task, description="done")
    return rows
