"""Archives of arrays and plain data, without pickle, read without trust.

An archive is a zip file as NumPy writes it. Its entry ``plain`` is JSON, which names every array
with its type and shape; its comment is a checksum of all bytes before it.
"""

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np

from piscm.problem.errors import ProblemError, printable, shortened
from piscm.text.replacing import replacing

_PLAIN, _ARRAYS = "plain", "arrays"
_CHECKSUM = "piscm sha256 "
_COMMENT = len(_CHECKSUM) + 64
_MAX_PLAIN = 2**28
_MAX_HEADER = 2**12
# Zeros shrink a thousandfold, numbers that a run gives hardly at all.
_MAX_GROWTH, _MAX_SMALL = 50, 2**26


def write_archive(
    path: str | PathLike[str], arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any]
) -> None:
    """Write arrays and JSON data to one ``.npz`` file; an old one is replaced only at the end."""
    kinds = {name: [_kind(array), list(array.shape)] for name, array in arrays.items()}
    text = json.dumps({**plain, _ARRAYS: kinds}, default=_as_plain)
    entries: dict[str, Any] = {**arrays, _PLAIN: np.frombuffer(text.encode(), dtype=np.uint8)}
    with replacing(path) as part, open(part, "w+b") as file:
        np.savez_compressed(file, allow_pickle=False, **entries)
        with zipfile.ZipFile(file, "a") as archive:
            archive.comment = bytes(_COMMENT)
        digest = _digest(file)
        file.seek(-_COMMENT, os.SEEK_END)
        file.write(f"{_CHECKSUM}{digest}".encode())


def _kind(array: np.ndarray) -> Any:
    """The type of an array as JSON has it."""
    return json.loads(json.dumps(np.lib.format.dtype_to_descr(array.dtype)))


def _as_plain(value: Any) -> Any:
    """Types that JSON lacks: a method may hold NumPy numbers and arrays."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be saved")


def _digest(file: IO[bytes]) -> str:
    """The checksum of all that comes before the comment."""
    left, found = file.seek(0, os.SEEK_END) - _COMMENT, hashlib.sha256()
    file.seek(0)
    while left > 0:
        chunk = file.read(min(left, 2**20))
        left -= len(chunk)
        found.update(chunk)
    return found.hexdigest()


def read_archive(path: str | PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read a file written by `write_archive`; any defect of the file is a `ProblemError`."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {os.fspath(path)!r}.")
    try:
        with open(path, "rb") as file:
            _check_sum(file)
            with zipfile.ZipFile(file) as archive:
                return _read(archive, file.seek(0, os.SEEK_END))
    except (Exception, RecursionError) as error:  # at any level: zip, zlib, NumPy, JSON
        reason = shortened(printable(str(error)).rstrip("."))
        raise ProblemError(
            f"{path} is not a solution saved by piscm, or it is damaged ({reason})."
        ) from error


def _check_sum(file: IO[bytes]) -> None:
    if file.seek(0, os.SEEK_END) < _COMMENT:
        raise ProblemError("it is too short")
    file.seek(-_COMMENT, os.SEEK_END)
    written = file.read()
    if not written.startswith(_CHECKSUM.encode()):
        raise ProblemError("it has no checksum; files of earlier versions have none either")
    if written != f"{_CHECKSUM}{_digest(file)}".encode():
        raise ProblemError("its checksum is wrong")


def _read(archive: zipfile.ZipFile, size: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """All entries, none of them unpacked unless it is expected and of the expected size."""
    entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
    if len(entries) != len(archive.infolist()):
        raise ProblemError("it has an entry twice")
    text = _unpacked(archive, entries.pop(_PLAIN), None, size)
    plain = json.loads(text.tobytes().decode())
    if not isinstance(plain, dict):
        raise ProblemError("its data are no table")
    _check_printable(plain)
    kinds = plain.pop(_ARRAYS)
    if set(kinds) != set(entries):
        raise ProblemError("its entries are not those that its data name")
    wanted = {name: _described(*kind) for name, kind in kinds.items()}
    total = sum(_bytes(*kind) for kind in wanted.values())
    if total > max(_MAX_SMALL, _MAX_GROWTH * size):
        raise ProblemError(f"it would unpack to {total} bytes")
    arrays = {
        name: _unpacked(archive, entry, wanted[name], size) for name, entry in entries.items()
    }
    return arrays, plain


def _described(kind: Any, shape: Any) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The type and shape of an array that the data name."""
    listed = kind if isinstance(kind, str) else [tuple(part) for part in kind]
    dtype = np.dtype(listed)
    if dtype.hasobject or not all(type(length) is int and length >= 0 for length in shape):
        raise ProblemError("its data name an array that cannot be")
    return dtype, tuple(shape)


def _bytes(dtype: np.dtype[Any], shape: tuple[int, ...]) -> int:
    return dtype.itemsize * math.prod(shape)


def _unpacked(
    archive: zipfile.ZipFile,
    entry: zipfile.ZipInfo,
    wanted: tuple[np.dtype[Any], tuple[int, ...]] | None,
    size: int,
) -> np.ndarray:
    """One entry; without an expected kind, bytes of a size that the file may well unpack to."""
    most = min(_MAX_PLAIN, max(_MAX_SMALL, _MAX_GROWTH * size)) if wanted is None else 0
    if entry.file_size > (most if wanted is None else _bytes(*wanted)) + _MAX_HEADER:
        raise ProblemError(f"its entry {entry.filename} is larger than it may be")
    with archive.open(entry) as file:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            header = np.lib.format.read_array_header_2_0
        shape, by_columns, dtype = header(file, max_header_size=_MAX_HEADER)
        if wanted is None:
            wanted = np.dtype(np.uint8), (shape[0],)
        if (dtype, shape) != wanted or _bytes(dtype, shape) > entry.file_size:
            raise ProblemError(f"its entry {entry.filename} is not what it is said to be")
        content = file.read(_bytes(dtype, shape) + 1)  # to its end, where zip checks it
    if len(content) != _bytes(dtype, shape):
        raise ProblemError(f"its entry {entry.filename} is not of its size")
    array = np.frombuffer(bytearray(content), dtype)
    return array.reshape(shape, order="F" if by_columns else "C")


def _check_printable(value: Any) -> None:
    """Refuse control characters: names and sentences of a file are printed on terminals."""
    if isinstance(value, str) and not value.isprintable():
        raise ProblemError(f"its text {shortened(ascii(value), 40)} cannot be printed")
    if isinstance(value, list):
        for item in value:
            _check_printable(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_printable(key)
            _check_printable(item)
