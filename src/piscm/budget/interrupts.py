"""Ctrl-C, held back until the run looks at the clock, where it has something to return.

Python raises `KeyboardInterrupt` between any two instructions, so also between the end of a
computation and the assignment of its result.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any


class _Pressed:
    """Whether Ctrl-C was pressed and not yet noticed."""

    def __init__(self) -> None:
        self.pending = False

    def __call__(self, number: int, frame: Any) -> None:
        if self.pending:  # who presses twice does not want to wait
            self.pending = False
            raise KeyboardInterrupt
        self.pending = True


_pressed: ContextVar[_Pressed | None] = ContextVar("pressed", default=None)


@contextmanager
def interrupts_at_checks() -> Iterator[None]:
    """Raise `KeyboardInterrupt` only where the clock is looked at; a second one comes at once.

    The signal is left alone in threads, which Ctrl-C does not reach, and where somebody else
    handles it; `interrupt` works there too. Inside another one this changes nothing.
    """
    if _pressed.get() is not None:
        yield
        return
    main = threading.current_thread() is threading.main_thread()
    handled = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    pressed = _Pressed()
    token = _pressed.set(pressed)
    if handled:
        signal.signal(signal.SIGINT, pressed)
    try:
        yield
    finally:
        if handled:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _pressed.reset(token)


def interrupt() -> None:
    """Ask the run under way to end at its next look at the clock, as Ctrl-C does."""
    pressed = _pressed.get()
    if pressed is None:
        raise KeyboardInterrupt
    pressed.pending = True


def check_interrupt() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C was pressed since the last look."""
    pressed = _pressed.get()
    if pressed is not None and pressed.pending:
        pressed.pending = False
        raise KeyboardInterrupt
