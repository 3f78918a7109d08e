"""Finished trials on disk: one file each, written whole or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from piscm import ProblemError
from piscm.problem.errors import shortened
from piscm.text.files import write_csv
from piscm.text.replacing import replacing

Record = dict[str, Any]
"""One trial: what it was and what it measured."""


class Store:
    """A folder with ``trials/GROUP/NAME.json`` for each, and the data of ``figures``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "trials").mkdir(parents=True, exist_ok=True)
        (folder / "figures").mkdir(exist_ok=True)

    def write(self, name: str, record: Record, figure: str = "") -> None:
        """Write a trial down, in the place of an earlier one of the same name."""
        data = record.pop("figure", None)
        if data and figure:  # first, because the record says that all is there
            write_csv(self.figure_path(figure), list(data[0]), data)
        path = self._path(name)
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as part:
            part.write_bytes(json.dumps(record, allow_nan=False).encode())

    def read(self, name: str) -> Record | None:
        """A trial; None where it is not there."""
        return _read(self._path(name)) if self._path(name).exists() else None

    def records(self) -> Iterator[Record]:
        """Every trial that is there, in the order of their names."""
        for path in sorted((self.folder / "trials").glob("*/[!.]*.json")):
            yield _read(path)

    def remove(self, name: str) -> None:
        """Forget a trial."""
        self._path(name).unlink()

    def seeds(self) -> dict[str, set[int]]:
        """Of which seeds there are trials, by table, method and paradigm."""
        found: dict[str, set[int]] = {}
        for record in self.records():
            key = "{table}/{method}/{paradigm}".format(**record)
            found.setdefault(key, set()).add(record["seed"])
        return found

    def figure_path(self, figure: str) -> Path:
        """Where the data of a figure are."""
        return self.folder / "figures" / f"{figure}.csv"

    def _path(self, name: str) -> Path:
        return self.folder / "trials" / f"{name}.json"


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
