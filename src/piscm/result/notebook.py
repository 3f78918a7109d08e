"""A progress bar for notebooks, which needs nothing but the kernel: no widgets, no extension."""

import time
from html import escape
from importlib import import_module
from typing import Any

# A front end redraws on every message; more of them than this a second only slow it down.
_SECONDS = 0.2


class NotebookBar:
    """One line of HTML that is replaced as the run goes on, and removed at its end.

    It has the `update` of a bar of rich.
    """

    def __init__(self, total: float, doing: str) -> None:
        display = import_module("IPython.display")
        self._html: Any = display.HTML
        self._total, self._completed, self._doing, self._text = float(total), 0.0, doing, ""
        self._shown = time.monotonic()
        self._handle: Any = display.display(self._html(self._line()), display_id=True)

    def update(
        self,
        task: Any,
        *,
        text: str | None = None,
        completed: float | None = None,
        total: float | None = None,
        description: str | None = None,
    ) -> None:
        """What changed; it is shown if the last change was not just now."""
        self._text = self._text if text is None else text
        self._completed = self._completed if completed is None else completed
        self._total = self._total if total is None else total
        self._doing = self._doing if description is None else description
        now = time.monotonic()
        if now - self._shown >= _SECONDS:
            self._shown = now
            self._handle.update(self._html(self._line()))

    def close(self) -> None:
        """Take the line away."""
        self._handle.update(self._html(""))

    def _line(self) -> str:
        done = min(self._completed / self._total, 1.0) if self._total else 0.0
        return (
            f'<div>{escape(self._doing)} <progress value="{done:.3f}" max="1"></progress> '
            f"{escape(self._text)}</div>"
        )
