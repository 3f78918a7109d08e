"""Finished trials on disk: one file each, written whole or not at all."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from piscm.problem.errors import ProblemError, shortened
from piscm.result.storage import replacing

Record = dict[str, Any]

_NEEDED = ("table", "method", "paradigm", "seed", "settings")


class Store:
    """The trials in a folder.

    Parameters
    ----------
    folder : Path
        Holds ``trials/TABLE/METHOD-PARADIGM-seedN.json`` and ``solutions/TABLE.npz``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "trials").mkdir(parents=True, exist_ok=True)
        (folder / "solutions").mkdir(exist_ok=True)

    def write(self, record: Record) -> None:
        """Write a trial down, in the place of an earlier one of the same name."""
        path = self._path(record)
        path.parent.mkdir(exist_ok=True)
        with replacing(path) as part:
            part.write_text(json.dumps(record, allow_nan=False), encoding="utf-8")

    def write_solution(self, table: str, content: bytes) -> None:
        """Keep a saved solution for the figure of a table."""
        with replacing(self.solution_path(table)) as part:
            part.write_bytes(content)

    def solution_path(self, table: str) -> Path:
        """Where the solution for the figure of a table is."""
        return self.folder / "solutions" / f"{table}.npz"

    def records(self) -> Iterator[Record]:
        """Every trial that is there, in the order of their names."""
        for path in sorted((self.folder / "trials").glob("*/[!.]*.json")):
            yield _read(path)

    def _path(self, record: Record) -> Path:
        name = f"{record['method']}-{record['paradigm']}-seed{record['seed']}.json"
        return self.folder / "trials" / str(record["table"]) / name


def _read(path: Path) -> Record:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        missing = [key for key in _NEEDED if key not in record]
    except (ValueError, TypeError) as error:
        reason = shortened(str(error))
        raise ProblemError(
            f"{path} is damaged ({reason}): delete it, and its trial is run again."
        ) from None
    if missing or not isinstance(record, dict):
        raise ProblemError(f"{path} is no trial of piscm: delete it, or choose another --out.")
    return record
