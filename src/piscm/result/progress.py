"""How far a run is, for whoever watches: a bar on a terminal or in a notebook, or a function."""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from piscm.budget.interrupts import interrupt
from piscm.result.notebook import NotebookBar

Report = Callable[[int, float], None]

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far a run is; what ``solve(..., callback=...)`` is called with.

    Attributes
    ----------
    nodes : int
        Nodes placed so far, in the present window; iterations, for a method that counts those.
    residual : float
        The residual as it is now.
    seconds : float
        Since the run began.
    tolerance : float
        The residual that is aimed at; 0 if none is.
    coordinate : str
        The name of the coordinate that windows follow; empty if there are none.
    reached : float
        The value of that coordinate up to which the problem is solved; NaN without windows.
    windows : int
        The number of windows that are complete.
    """

    nodes: int
    residual: float
    seconds: float
    tolerance: float = 0.0
    coordinate: str = ""
    reached: float = float("nan")
    windows: int = 0


Callback = Callable[[Progress], Any]
"""Called with the progress of a run; if it returns True or raises StopIteration, the run ends."""


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


class _Watched(Watcher):
    """Passes everything on to another watcher, tells a callback, and keeps a log."""

    def __init__(self, inner: Watcher, callback: Callback | None) -> None:
        self._inner, self._callback, self._began = inner, callback, time.perf_counter()
        self._tolerance, self._coordinate = 0.0, ""
        self._reached, self._windows = float("nan"), 0

    def __call__(self, done: int, residual: float) -> None:
        self._inner(done, residual)
        _log.debug("%d done, residual %.3e", done, residual)
        if self._callback is None:
            return
        progress = Progress(
            done,
            float(residual),
            time.perf_counter() - self._began,
            self._tolerance,
            self._coordinate,
            self._reached,
            self._windows,
        )
        try:
            enough = self._callback(progress) is True
        except StopIteration:
            enough = True
        if enough:
            interrupt()

    def expects(self, tolerance: float) -> None:
        self._inner.expects(tolerance)
        self._tolerance = tolerance

    def marches(self, coordinate: str, start: float, end: float) -> None:
        _log.info("marching along %s from %g to %g", coordinate, start, end)
        self._coordinate, self._reached, self._windows = coordinate, start, 0
        self._inner.marches(coordinate, start, end)

    def reached(self, value: float, windows: int) -> None:
        _log.info("%s = %g reached, %d windows", self._coordinate, value, windows)
        self._reached, self._windows = value, windows
        self._inner.reached(value, windows)


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
    progress: bool | Report | None,
    total: int,
    doing: str = "growing",
    units: str = "nodes",
    callback: Callback | None = None,
) -> Iterator[Watcher]:
    """A function to call after each node (or step) with their number and the residual.

    None shows a bar on a terminal or in a notebook and nothing elsewhere; True and False force it
    on or off; a function is called itself. A callback is told more, and may end the run.
    """
    if callable(progress):
        yield _Watched(_Calling(progress), callback)
    elif progress or (progress is None and (sys.stderr.isatty() or _in_notebook())):
        with _bar(total, doing, units) as watcher:
            yield _Watched(watcher, callback)
    else:
        yield _Watched(Watcher(), callback)


def _in_notebook() -> bool:
    """Whether a Jupyter kernel runs this; asks only what is loaded already."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def _bar(total: int, doing: str, units: str) -> Iterator[Watcher]:
    if _in_notebook():
        with closing(NotebookBar(total, doing)) as line:
            yield _Bar(line, None, total, units)
        return
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
