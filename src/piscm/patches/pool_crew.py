"""Processes on this machine work on the patches; what is large stays in files that they share.

A pool gives a task to whoever is free, so nothing can be kept where it will be needed. Districts
are written once and remembered by every process that has read them; factors are written by the
process that made them and read by the one that needs them. Traces alone pass through the process
that asked.
"""

import pickle
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any
from weakref import finalize

from piscm.budget.allocator import keep_memory
from piscm.linalg.elimination import Share, Values
from piscm.patches.crew import Above, Awaited, Crew, Floats, Top, Work, above_all
from piscm.patches.district import District, Factored, Inside, factored, solved_in
from piscm.patches.local import Current, Noise

# Districts that a process remembers.
_REMEMBERED = 64


@dataclass(frozen=True)
class Filed:
    """A factored district: what it has in common with others, and the file with the rest."""

    share: Share
    path: Path


class PoolWorkers(Crew):
    """A pool of processes of this machine."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._folder: Path | None = None
        self._known: dict[int, tuple[District, Path]] = {}
        self._files = 0

    def _path(self) -> Path:
        """A new file; the folder goes with this object, if it was not closed."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="piscm-"))
            self._removed = finalize(self, rmtree, self._folder, ignore_errors=True)
        self._files += 1
        return self._folder / str(self._files)

    def close(self) -> None:
        if self._folder is not None:
            self._removed()
            self._folder = None
            self._known = {}

    def _sent(self, districts: Sequence[District]) -> list[Path]:
        """The files of districts, each of which is written once."""
        now = {id(district) for district in districts}
        for key in set(self._known) - now:
            self._known.pop(key)[1].unlink()
        for district in districts:
            if id(district) not in self._known:
                path = self._path()
                _write(path, district)
                self._known[id(district)] = district, path
        return [self._known[id(district)][1] for district in districts]

    def factored(
        self,
        districts: Sequence[District],
        currents: Sequence[dict[int, Current]],
        noise: Sequence[Noise],
    ) -> list[Any]:
        sent, paths = self._sent(districts), [self._path() for _ in districts]
        every = zip(sent, currents, paths, strict=True)
        return [
            self._pool.submit(_factored, path, own, tuple(noise), kept) for path, own, kept in every
        ]

    def merged(self, parts: Sequence[Any], top: Top) -> Above:
        # Districts that are there are merged while others are worked on.
        try:
            return above_all(Awaited(parts, lambda filed: filed.share), top)
        except BaseException:
            for part in parts:
                part.cancel()
            raise

    def solved(
        self,
        districts: Sequence[District],
        parts: Sequence[Any],
        values: Sequence[Any],
        unknowns: Floats | None,
    ) -> Iterable[Inside]:
        kept = [part.result().path for part in parts]
        every = [unknowns] * len(kept)
        return self._pool.map(_solved, self._sent(districts), kept, values, every)

    def each(
        self, work: Work, districts: Sequence[District], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterable[Any]:
        sent = self._sent(districts)
        return self._pool.map(_done, [work] * len(sent), sent, arguments)


def _write(path: Path, what: Any) -> None:
    with path.open("wb") as file:
        pickle.dump(what, file, protocol=5)


def _read(path: Path) -> Any:
    with path.open("rb") as file:
        return pickle.load(file)


_remembered: OrderedDict[Path, District] = OrderedDict()


def _district(path: Path) -> District:
    if path not in _remembered:
        _remembered[path] = _read(path)
        while len(_remembered) > _REMEMBERED:
            _remembered.popitem(last=False)
    return _remembered[path]


def _factored(
    path: Path, currents: dict[int, Current], noise: Sequence[Noise], kept: Path
) -> Filed:
    keep_memory()
    made = factored(_district(path), currents, noise)
    _write(kept, made)
    return Filed(made.merged.share, kept)


def _solved(path: Path, kept: Path, values: Values, unknowns: Floats | None) -> Inside:
    """What is found in a district; its factor is needed no more."""
    keep_memory()
    made: Factored = _read(kept)
    kept.unlink()
    return solved_in(_district(path), made, values, unknowns)


def _done(work: Work, path: Path, arguments: tuple[Any, ...]) -> Any:
    keep_memory()
    return work(_district(path), *arguments)
