"""A file that is replaced as a whole or not at all, whoever else writes to it."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path

from piscm.problem.errors import ProblemError, brief

try:
    import fcntl
except ImportError:  # not on this system, where an open file cannot be removed anyway
    fcntl = None  # type: ignore[assignment]


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[Path]:
    """A path to write to, which replaces `path` only once it is complete and on the disk.

    Others may do the same at the same time: the last one to end wins. A link is followed, and the
    mode of the old file is kept.
    """
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:  # a null byte
        raise ProblemError(
            f"{brief(os.fspath(path))} is not the name of a file: {error}."
        ) from None
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {os.fspath(target.parent)!r} to write to.")
    if target.exists() and not target.is_file():
        raise OSError(f"{os.fspath(path)!r} is no file that can be written.")
    _remove_stray_parts(target)
    part, held = _new_part(target)
    try:
        if target.exists():
            os.chmod(part, stat.S_IMODE(target.stat().st_mode))
        yield part
        os.fsync(held)
        if fcntl is None:
            os.close(held)
            held = -1
        os.replace(part, target)
        _flush_folder(target.parent)
    finally:
        part.unlink(missing_ok=True)
        if held >= 0:
            os.close(held)


def _new_part(target: Path) -> tuple[Path, int]:
    """A new file beside the target, and an open descriptor that holds a lock on it."""
    while True:
        # The suffix stays, because matplotlib goes by it.
        part = target.with_name(f".{target.stem}-{secrets.token_hex(8)}.part{target.suffix}")
        held = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if fcntl is None:
            return part, held
        with suppress(OSError):  # a file system without locks
            fcntl.flock(held, fcntl.LOCK_EX)
        if os.fstat(held).st_nlink:  # nobody took it for a stray one in between
            return part, held
        os.close(held)


def _remove_stray_parts(target: Path) -> None:
    """Remove what writers left that were killed: parts that nobody holds a lock on."""
    begin, end = f".{target.stem}-", f".part{target.suffix}"
    for name in os.listdir(target.parent):
        token = name.removeprefix(begin).removesuffix(end)
        if name != begin + token + end or len(token) != 16:
            continue
        part = target.with_name(name)
        with suppress(OSError):  # held by its writer, or gone by now
            if fcntl is None:
                part.unlink()
                continue
            held = os.open(part, os.O_RDWR)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()
            finally:
                os.close(held)


def _flush_folder(folder: Path) -> None:
    with suppress(OSError):  # folders cannot be opened everywhere
        held = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)
