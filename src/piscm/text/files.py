"""Files: replaced atomically; tables and TOML, read without trust."""

import csv
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from piscm.problem.errors import ProblemError, shortened


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A path to write to, which replaces `path` only once it is complete."""
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {os.fspath(target.parent)!r} to write to.")
    # Keep the suffix, because matplotlib goes by it.
    part = target.with_name(f".{os.getpid()}-{target.name}")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def write_csv(
    path: str | PathLike[str], columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Write rows with these keys as a table."""
    with replacing(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=columns)
        writer.writeheader()
        writer.writerows(rows)


def read_csv(path: str | PathLike[str], names: Sequence[str]) -> dict[str, list[float]]:
    """The named columns of a table with a header line; other columns may hold anything."""
    try:
        # Excel starts its tables with a byte order mark.
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            rows, columns = list(reader), reader.fieldnames or ()
    except (UnicodeDecodeError, csv.Error) as error:
        raise ProblemError(f"{path} is not a table in UTF-8: {error}.") from None
    except ValueError as error:  # a NUL in the name
        raise ProblemError(f"{os.fspath(path)!r} is not the name of a file: {error}.") from None
    for name in names:
        if name not in columns:
            raise ProblemError(f"{path} has no column {name!r}; it needs {', '.join(names)}.")
    if any(None in row for row in rows):  # the reader's key for surplus cells
        raise ProblemError(f"{path} has a line with more cells than its header.")
    try:
        return {name: [float(row[name]) for row in rows] for name in names}
    except (TypeError, ValueError) as error:
        raise ProblemError(f"{path} is not a table of numbers: {shortened(str(error))}.") from None


def read_toml(path: str | PathLike[str]) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProblemError(f"{path} is not a TOML file: {error}.") from error
