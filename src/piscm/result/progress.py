"""How far a run is, for whoever watches: a bar on a terminal or in a notebook, or a function."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Report = Callable[[int, float], None]


class Watcher:
    """Told how far a run is; this one does not care."""

    def __call__(self, done: int, residual: float) -> None:
        """So many nodes or steps are done, with this residual."""

    def expects(self, tolerance: float) -> None:
        """The residual that the run is to reach."""

    def marches(self, coordinate: str, start: float, end: float) -> None:
        """A march along a coordinate begins, from one value to the other."""

    def reached(self, value: float, windows: int) -> None:
        """The march has come this far, in so many windows."""


class _Calling(Watcher):
    """Calls a function of the user's."""

    def __init__(self, function: Report) -> None:
        self._function = function

    def __call__(self, done: int, residual: float) -> None:
        self._function(done, residual)


class _Bar(Watcher):
    """Moves a bar: with the part of the march that is done or, if there is none, with the nodes."""

    def __init__(self, bar: Any, task: Any, total: int, units: str) -> None:
        self._bar, self._task, self._total, self._units = bar, task, total, units
        self._tolerance, self._where, self._work = 0.0, "", ""
        self._march: tuple[str, float, float] | None = None

    def __call__(self, done: int, residual: float) -> None:
        asked = f" (asked {self._tolerance:.0e})" if self._tolerance > 0 else ""
        of = "" if self._march or done > self._total else f" of {self._total}"
        self._work = f"{done}{of} {self._units}, residual {residual:.1e}{asked}"
        self._show(None if self._march else done)

    def expects(self, tolerance: float) -> None:
        self._tolerance = tolerance

    def marches(self, coordinate: str, start: float, end: float) -> None:
        self._march, self._work = (coordinate, start, end), ""
        self._bar.update(self._task, description="marching", total=1.0)
        self.reached(start, 0)

    def reached(self, value: float, windows: int) -> None:
        assert self._march is not None
        coordinate, start, end = self._march
        window = f"{windows} windows" if value == end else f"window {windows + 1}"
        self._where = f"{coordinate} = {value:.3g} of {end:.3g}, {window}, "
        self._show((value - start) / (end - start))

    def _show(self, completed: float | None) -> None:
        self._bar.update(self._task, text=self._where + self._work, completed=completed)


@contextmanager
def reporting(
    progress: bool | Report | None, total: int, doing: str = "growing", units: str = "nodes"
) -> Iterator[Watcher]:
    """A function to call after each node (or step) with their number and the residual.

    None shows a bar on a terminal or in a notebook and nothing elsewhere; True and False force it
    on or off; a function is called itself.
    """
    if callable(progress):
        yield _Calling(progress)
    elif progress or (progress is None and (sys.stderr.isatty() or _in_notebook())):
        with _bar(total, doing, units) as watcher:
            yield watcher
    else:
        yield Watcher()


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this; asks only what is loaded already."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def _bar(total: int, doing: str, units: str) -> Iterator[Watcher]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.fields[text]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(doing, total=total, text="")
        yield _Bar(bar, task, total, units)
