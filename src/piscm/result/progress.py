"""A progress bar for a run on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, float], None]


@contextmanager
def reporting(
    progress: bool | Report | None, total: int, doing: str = "growing", units: str = "nodes"
) -> Iterator[Report]:
    """A function to call after each node (or step) with their number and the residual.

    None shows a bar on a terminal and nothing elsewhere; True and False force it on or off; a
    function is called itself.
    """
    if callable(progress):
        yield progress
        return
    if progress or (progress is None and sys.stderr.isatty()):
        with _bar(total, doing, units) as report:
            yield report
        return
    yield lambda nodes, residual: None


@contextmanager
def _bar(total: int, doing: str, units: str) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(units + ", residual {task.fields[residual]:.2e}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(doing, total=total, residual=float("nan"))

        def report(nodes: int, residual: float) -> None:
            bar.update(task, completed=nodes, residual=residual)

        yield report
