"""What the contract tests share."""

import signal
from collections.abc import Iterator
from types import FrameType

import pytest

SECONDS = 3.0
"""Bad input must be told within a second; this is that second on a busy machine."""


@pytest.fixture
def at_once() -> Iterator[None]:
    """Fail a test that hangs, in the depths of SymPy for instance, instead of waiting for it."""

    def too_slow(number: int, frame: FrameType | None) -> None:
        # Not an Exception, so no `except Exception` on the way can swallow it.
        pytest.fail(f"no answer within {SECONDS:g} s")

    if not hasattr(signal, "setitimer"):  # not on this system
        yield
        return
    before = signal.signal(signal.SIGALRM, too_slow)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
