"""The measurements as tables on a screen."""

import math
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from piscm.paper.bench_part import Part, Row

_FILE_WIDTH = 140
_WORDS = ("problem", "method", "along", "status")


def show(part: Part, rows: list[Row]) -> None:
    """Print the table of a part on standard output."""
    screen = Console()
    if not screen.is_terminal:  # in a file or a pipe no screen sets the width: cut no column
        screen = Console(width=_FILE_WIDTH)
    screen.print(_table(part, rows))
    screen.print(Text(part.note, style="dim"))
    screen.print()


def _table(part: Part, rows: list[Row]) -> RenderableType:
    table = Table(box=None, title=part.title, title_justify="left")
    for column in part.columns:
        table.add_column(column, justify="left" if column in _WORDS else "right")
    last = None
    for row in rows:
        first = row[part.columns[0]]
        if last not in (None, first):
            table.add_section()
        table.add_row(*(cell(column, row[column]) for column in part.columns))
        last = first
    return table


def cell(column: str, value: Any) -> str:
    """A value as text: errors and tolerances by their power of ten, the rest by three digits."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return ""
        if column in ("rmse", "relative_error", "tol"):
            return f"{value:.1e}"
        return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
    return str(value)
