"""How long a run will last: a bar with an estimate that learns from what is finished."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from statistics import fmean

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from piscm.paper.experiments import Experiment
from piscm.paper.store import Record

Advance = Callable[[Experiment, int, Record], None]


class Forecast:
    """The seconds that trials will take, from those of their kind that are finished.

    Parameters
    ----------
    todo : the trials to come
    known : records of earlier trials
    workers : int
        How many run at once.
    """

    def __init__(
        self, todo: Sequence[tuple[Experiment, int]], known: Iterable[Record], workers: int
    ) -> None:
        self._left = {(item.key, seed): item for item, seed in todo}
        self._workers = max(1, workers)
        self._seen: dict[str, list[float]] = defaultdict(list)
        self._slowness: list[float] = []
        for record in known:
            self._learn(f"{record['table']}/{record['method']}/{record['paradigm']}", record)

    def finish(self, item: Experiment, seed: int, record: Record) -> None:
        """A trial has ended."""
        self._left.pop((item.key, seed), None)
        self._learn(item.key, record)
        if record.get("seconds"):
            self._slowness.append(record["seconds"] / item.effort)

    def seconds(self) -> float:
        """How long the rest will take."""
        slowness = fmean(self._slowness) if self._slowness else 1.0
        each = [
            fmean(self._seen[key]) if key in self._seen else slowness * item.effort
            for (key, _), item in self._left.items()
        ]
        # The longest one cannot be shared out.
        return max(sum(each) / self._workers, max(each, default=0.0))

    def _learn(self, key: str, record: Record) -> None:
        if record.get("seconds"):
            self._seen[key].append(record["seconds"])


@contextmanager
def bar(forecast: Forecast, total: int, done: int) -> Iterator[Advance]:
    """A progress bar over the whole; the function advances it by a trial."""
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("trials"),
        TimeElapsedColumn(),
        TextColumn("and {task.fields[left]} to go"),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=total, completed=done, left=_text(forecast.seconds()))

        def advance(item: Experiment, seed: int, record: Record) -> None:
            forecast.finish(item, seed, record)
            left = _text(forecast.seconds())
            title = f"{item.table} {item.label}, seed {seed}"
            progress.update(task, advance=1, left=left, description=title)

        yield advance


def _text(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
