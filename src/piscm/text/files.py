"""Tables and TOML files, read without trust."""

import csv
import io
import math
import os
import re
import stat
import tomllib
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from piscm.problem.errors import ProblemError, brief, printable, shortened
from piscm.problem.nearest import did_you_mean
from piscm.text.replacing import replacing

if TYPE_CHECKING:
    from _csv import Reader as _Rows

_MAX_TOML = 2**23
_MAX_CSV = 2**28
_MAX_KEY = 20
_MAX_HEADER = 2**16
_PART = rb"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')\s*+"""
_DOTTED = re.compile(rb"(?<![\w-])(?:" + _PART + rb"\.\s*+){%d}" % _MAX_KEY)
_DELIMITERS = (",", ";", "\t")
_LONG_NUMBER = re.compile(rb"[0-9_]{4300}")


def write_csv(
    path: str | PathLike[str], columns: Sequence[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Write rows with these keys as a table."""
    with replacing(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=columns)
        writer.writeheader()
        writer.writerows(rows)


def read_bytes(path: str | PathLike[str], most: int) -> bytes:
    """The content of an ordinary file; a device or a pipe might never end."""
    try:
        held = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except ValueError as error:  # a NUL in the name
        raise ProblemError(f"{os.fspath(path)!r} is not the name of a file: {error}.") from None
    with open(held, "rb") as file:
        if not stat.S_ISREG(os.fstat(held).st_mode):
            raise ProblemError(f"{os.fspath(path)!r} is not an ordinary file.")
        content = file.read(most + 1)
    if len(content) > most:
        raise ProblemError(f"{path} has more than {most} bytes.")
    return content


def csv_header(path: str | PathLike[str]) -> list[str]:
    """The names of the columns of a table; empty if it is none."""
    text = read_bytes(path, _MAX_CSV)[:_MAX_HEADER].decode("utf-8-sig", errors="replace")
    try:
        return _header(_rows(text))
    except csv.Error:
        return []


def _rows(text: str) -> "_Rows":
    """The rows of a table, separated by what separates the names in its first line."""
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)


def _header(rows: "_Rows") -> list[str]:
    return [name.strip() for name in next(rows, [])]


def read_csv(path: str | PathLike[str], names: Sequence[str]) -> dict[str, list[float]]:
    """The named columns of a table with a header line; other columns may hold anything.

    Commas, semicolons or tabs separate them; beside the latter two a comma may be the decimal one.
    """
    try:
        # Excel starts its tables with a byte order mark.
        text = read_bytes(path, _MAX_CSV).decode("utf-8-sig")
        reader = _rows(text)
        header = _header(reader)
        rows = [(reader.line_num, row) for row in reader if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise ProblemError(f"{path} is not a table in UTF-8: {error}.") from None
    for name in names:
        if header.count(name) != 1:
            found = "no column" if name not in header else "more than one column"
            near = did_you_mean(name, header) if name not in header else ""
            has = shortened(printable(", ".join(header)), 200) or "none"
            raise ProblemError(
                f"{path} has {found} {name!r}{near}; it needs {', '.join(names)}, and has {has}."
            )
    for line, row in rows:
        if len(row) != len(header):
            raise ProblemError(
                f"{path}, line {line} has {len(row)} cells; the header has {len(header)}."
            )
    places = [(name, header.index(name)) for name in names]
    decimal = "." if reader.dialect.delimiter == "," else ","
    return {
        name: [
            _cell(row[index].replace(decimal, "."), f"{path}, line {line}, column {name}")
            for line, row in rows
        ]
        for name, index in places
    }


def _cell(text: str, where: str) -> float:
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ProblemError(f"{where}: {brief(text, 40)} is not a finite number.")
    return number


def read_toml(path: str | PathLike[str]) -> tuple[dict[str, Any], str]:
    """The content of a TOML file, and its text."""
    content = read_bytes(path, _MAX_TOML)
    # Python's reader takes a time that grows with the square of the parts.
    for number, line in enumerate(content.splitlines(), start=1):
        found = _DOTTED.search(line)
        if found is not None:
            key = shortened(printable(found[0].decode(errors="replace")), 40)
            raise ProblemError(
                f"{path}, line {number}, {key}: a key has more than {_MAX_KEY} parts."
            )
    try:
        text = content.decode()
        return tomllib.loads(text), text
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = shortened(printable(str(error)))
        raise ProblemError(f"{path} is not a TOML file: {reason}.") from None
    except ValueError:
        for number, line in enumerate(content.splitlines(), start=1):
            if _LONG_NUMBER.search(line):
                key = printable(line.partition(b"=")[0].decode().strip())
                raise ProblemError(
                    f"{path}, line {number}, {shortened(key, 60)}: too large a number."
                ) from None
        raise ProblemError(f"{path} is not a TOML file: it holds too large a number.") from None
