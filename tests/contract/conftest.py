"""What the contract tests share."""

import re
import signal

import pytest

from piscm import ProblemError

SECONDS = 3.0
"""Bad input must be told within a second; this is that second on a busy machine."""


@pytest.fixture
def at_once():
    """Fail a test that hangs, in the depths of SymPy for instance, instead of waiting for it."""

    def too_slow(number, frame):
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


@pytest.fixture
def refused():
    """``refused(make, words)``: making it is a `ProblemError` that says the words, and is brief."""

    def check(make, words):
        with pytest.raises(ProblemError, match=re.escape(words)) as caught:
            make()
        assert len(str(caught.value)) < 1000

    return check
