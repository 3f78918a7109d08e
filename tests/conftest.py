"""What tests of several rooms share."""

import re
import signal

import numpy as np
import pytest
import scipy.linalg  # noqa: F401
from hypothesis import settings
from threadpoolctl import threadpool_limits
from typer.testing import CliRunner

from piscm import ProblemError
from piscm.cli import app

settings.register_profile("whatever the time", deadline=None)  # on a busy machine too
settings.load_profile("whatever the time")

SECONDS = 60.0  # a guard against hangs, not a measure of speed
"""Bad input must be told within a second; this is that second on a busy machine."""


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """As in a terminal; programs that are started in the background are deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Tests run side by side: threads of one would only wait for those of another.

    SciPy has a BLAS of its own, which is limited if it is there by now.
    """
    with threadpool_limits(1):
        yield


@pytest.fixture
def rng():
    """Random numbers, the same in every test."""
    return np.random.default_rng(0)


@pytest.fixture
def quiet():
    """As `solve` has it: overflow and the like are looked for in the results."""
    with np.errstate(all="ignore"):
        yield


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


@pytest.fixture
def run():
    """``run(*arguments)``: what the command line does; what it does not catch is raised."""

    def invoke(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def solve_file(run, tmp_path):
    """``solve_file(text, *options)``: solve a problem file, with a table beside it."""

    def solve(text, *options, data=None):
        path = tmp_path / "mine.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if data is not None:
            (tmp_path / "measured.csv").write_bytes(data)
        return run("solve", path, *options)

    return solve


@pytest.fixture
def denied():
    """``denied(result, words)``: exit code 2, the words on standard error, and only there."""

    def check(result, words=""):
        assert result.exit_code == 2
        assert result.stdout == ""
        assert words in result.stderr

    return check
