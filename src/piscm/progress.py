"""A progress bar where somebody is watching."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Report = Callable[[int, float], None]


@contextmanager
def reporting(progress: bool | Report | None, max_nodes: int) -> Iterator[Report]:
    """A function to call after each node with the number of nodes and the residual.

    None shows a bar on a terminal and nothing elsewhere; True and False settle it; a function is
    called itself.
    """
    if callable(progress):
        yield progress
        return
    if progress or (progress is None and sys.stderr.isatty()):
        with _bar(max_nodes) as report:
            yield report
        return
    yield lambda nodes, residual: None


@contextmanager
def _bar(max_nodes: int) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("growing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("nodes, residual {task.fields[residual]:.2e}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("growing", total=max_nodes, residual=float("nan"))

        def report(nodes: int, residual: float) -> None:
            bar.update(task, completed=nodes, residual=residual)

        yield report
