"""Archives of arrays and plain data, without pickle."""

import json
import os
import zipfile
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from piscm.problem.errors import ProblemError, shortened
from piscm.text.replacing import replacing

_MAX_BYTES = 4 * 2**30
_PLAIN = "plain"


def write_archive(
    path: str | PathLike[str], arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any]
) -> None:
    """Write arrays and JSON data to one ``.npz`` file; an old one is replaced only at the end."""
    text = np.frombuffer(json.dumps(plain, default=_as_plain).encode(), dtype=np.uint8)
    entries: dict[str, Any] = {**arrays, _PLAIN: text}
    with replacing(path) as part, open(part, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **entries)


def _as_plain(value: Any) -> Any:
    """Types that JSON lacks: a method may hold NumPy numbers and arrays."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be saved")


def read_archive(path: str | PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Read a file written by `write_archive`; any defect of the file is a `ProblemError`."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"There is no file {os.fspath(path)!r}.")
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
                raise ProblemError(f"{path} would unpack to more than {_MAX_BYTES} bytes.")
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        plain = json.loads(arrays.pop(_PLAIN).tobytes().decode())
    except ProblemError:
        raise
    except Exception as error:  # a damaged file can fail at any level: zip, zlib, NumPy, JSON
        raise ProblemError(
            f"{path} is not a solution saved by piscm, or it is damaged ({shortened(str(error))})."
        ) from error
    if not isinstance(plain, dict):
        raise ProblemError(f"{path} is not a solution saved by piscm.")
    return arrays, plain
