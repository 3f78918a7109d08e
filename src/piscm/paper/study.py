"""A study: trials that make one table and one picture."""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from piscm.paper.page import Table
from piscm.paper.store import Record, Store
from piscm.paper.trials import Trial, run_trials
from piscm.paper.workers import local_workers

_FILE_WIDTH = 140
_WORDS = ("problem", "method", "along", "status", "what", "others")


@dataclass(frozen=True)
class Study:
    """What is measured, the rows of the table that comes of it, and their picture on axes."""

    title: str
    note: str
    columns: tuple[str, ...]
    trials: Sequence[Trial]
    summary: Callable[[list[Record]], list[Record]]
    draw: Callable[[list[Record], Any], None]


def measured(trials: Sequence[Trial], workers: int = 1, store: Store | None = None) -> list[Record]:
    """The records of trials that run on this machine."""
    with local_workers(workers) as executor:
        return run_trials(trials, executor, workers, store)


def grouped(rows: Sequence[Record], *columns: str) -> dict[tuple[Any, ...], list[Record]]:
    """Rows by what they have in some columns, in the order in which it comes first."""
    groups: dict[tuple[Any, ...], list[Record]] = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def show(title: str, columns: Sequence[str], rows: Sequence[Record], note: str = "") -> None:
    """Print a table on standard output."""
    lines = [[cell_text(name, row[name]) for name in columns] for row in rows]
    words = [number for number, name in enumerate(columns) if name in _WORDS]
    screen = Console()
    if not screen.is_terminal:  # in a file or a pipe no screen sets the width: cut no column
        screen = Console(width=_FILE_WIDTH)
    screen.print(Table(columns, lines, words, title).on_screen())
    screen.print(f"{note}\n", style="dim", markup=False, highlight=False)


def cell_text(column: str, value: Any) -> str:
    """A value as text: errors and tolerances by their power of ten, the rest by three digits."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        if column in ("rmse", "error", "rival", "relative_error", "tol"):
            return f"{value:.1e}"
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return str(value)


def command_line(description: str) -> argparse.ArgumentParser:
    """The options that every study has, for ``python -m``; its folder need not be there."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser
