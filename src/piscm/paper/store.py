"""Finished trials on disk: one file each, written whole or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from piscm import ProblemError
from piscm.problem.errors import shortened
from piscm.text.replacing import replacing

Record = dict[str, Any]
"""One trial: what it was and what it measured."""


class Store:
    """A folder with ``trials/GROUP/NAME.json`` for each and ``solutions/GROUP.npz`` for figures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "trials").mkdir(parents=True, exist_ok=True)
        (folder / "solutions").mkdir(exist_ok=True)

    def write(self, name: str, record: Record) -> None:
        """Write a trial down, in the place of an earlier one of the same name."""
        solution = record.pop("solution", None)
        if solution is not None:  # first, because the record says that all is there
            _write(self.solution_path(name), solution)
        path = self._path(name)
        path.parent.mkdir(exist_ok=True)
        _write(path, json.dumps(record, allow_nan=False).encode())

    def read(self, name: str) -> Record | None:
        """A trial; None where it is not there."""
        return _read(self._path(name)) if self._path(name).exists() else None

    def records(self) -> Iterator[Record]:
        """Every trial that is there, in the order of their names."""
        for path in sorted((self.folder / "trials").glob("*/[!.]*.json")):
            yield _read(path)

    def solution_path(self, name: str) -> Path:
        """Where the solution for the figure of a trial's group is."""
        return self.folder / "solutions" / f"{name.split('/')[0]}.npz"

    def _path(self, name: str) -> Path:
        return self.folder / "trials" / f"{name}.json"


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as part:
        part.write_bytes(content)


def _read(path: Path) -> Record:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        reason = shortened(str(error))
        raise ProblemError(
            f"{path} is damaged ({reason}): delete it, and its trial is run again."
        ) from None
    if not isinstance(record, dict) or "seed" not in record:
        raise ProblemError(f"{path} is no trial of piscm: delete it, or choose another --out.")
    return record
