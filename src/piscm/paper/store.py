"""Finished trials on disk: one file each, written whole or not at all."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from piscm.problem.errors import brief, printable, shortened
from piscm.text.files import write_csv
from piscm.text.replacing import replacing

Record = dict[str, Any]
"""One trial: what it was and what it measured."""


class Store:
    """A folder with ``trials/GROUP/NAME.json`` for each, and the data of ``figures``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._told: set[Path] = set()
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
        """A trial; None where it is not there, or cannot be one."""
        return self._read(self._path(name)) if self._path(name).exists() else None

    def records(self) -> Iterator[Record]:
        """Every sound trial that is there, in the order of their names."""
        for path in sorted((self.folder / "trials").glob("*/[!.]*.json")):
            record = self._read(path)
            if record is not None:
                yield record

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

    def _read(self, path: Path) -> Record | None:
        """A record; one that is not sound is named once, and its trial is run again."""
        record: Any = None
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            defect = _defect(record, f"{path.parent.name}/{path.stem}")
        except (ValueError, RecursionError) as error:
            defect = shortened(str(error))
        if not defect:
            return dict(record)
        if path not in self._told:
            self._told.add(path)
            words = printable(f"{path} is damaged ({defect}): its trial is run again.")
            Console(stderr=True).print(Text(words), soft_wrap=True)
        return None


def _defect(record: Any, name: str) -> str:
    """What is wrong with a record of this name; nothing, if it is as a trial writes it."""
    if not isinstance(record, dict):
        return "it is no table"
    for key, fits in _KINDS.items():
        if key in record and not fits(record[key]):
            return f"its {key} is {brief(record[key], 40)}"
    of_paper = name.startswith("table-")  # other studies have columns of their own
    for key in ("seed", *((*_WHAT, "quick", "rmse") if of_paper else ())):
        if key not in record:
            return f"it has no {key}"
    own = "{table}/{method}-{paradigm}-seed{seed}".format(**record) if of_paper else name
    return "" if own == name else f"it is of {brief(own, 80)}"


def _word(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable()


def _count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _size(value: Any) -> bool:
    number = type(value) in (int, float) and abs(value) < float("inf")
    return value is None or (number and value >= 0)


def _written(word: str) -> bool:
    try:
        return _size(float(word))
    except ValueError:
        return False


_WHAT = ("table", "method", "paradigm")
_KINDS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys((*_WHAT, "status", "code", "commit", "machine", "confirmed"), _word),
    **dict.fromkeys(("seed", "nodes"), _count),
    **dict.fromkeys(("rmse", "error", "residual", "seconds", "cpu"), _size),
    "quick": lambda value: isinstance(value, bool),
    "failure": lambda value: isinstance(value, str),
    "residuals": lambda value: isinstance(value, str) and all(map(_written, value.split())),
}
