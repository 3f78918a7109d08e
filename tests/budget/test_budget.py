"""Budgets: asked anywhere, set for one run, and in one thread."""

import math
import signal
import threading
import time

import pytest

import piscm.budget.clock as clock
import piscm.budget.memory as memory
from piscm import ProblemError, Status
from piscm.budget.budget import (
    STOPS,
    Budget,
    OutOfMemoryError,
    OutOfTimeError,
    check_memory,
    current,
    finishing,
    spending,
)
from piscm.budget.clock import check_time, check_work, singular_value_work
from piscm.budget.interrupts import interrupts_at_checks
from piscm.budget.memory import default_memory, free_memory
from piscm.budget.parts import at_once, parts


@pytest.fixture
def now(monkeypatch):
    """A clock that stands still unless it is moved."""
    moment = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: moment[0])
    return moment


def test_nothing_is_limited_outside_of_a_run():
    check_time()
    check_work(1e30)
    check_memory(1e30, "Everything", "take less")


def test_time_ends_at_the_deadline_and_a_result_has_some_more(now):
    with spending(Budget.of(2.0, math.inf)):
        now[0] += 1.9
        check_time()
        now[0] += 0.2
        with pytest.raises(OutOfTimeError):
            check_time()
        with finishing():
            check_time()
            now[0] += 1.0
            with pytest.raises(OutOfTimeError):
                check_time()
        assert current().deadline == 102.0
    check_time()
    with spending(Budget.of(None, math.inf)):
        now[0] += 1e9
        check_time()


def test_what_cannot_be_cut_is_not_begun_too_late(now, monkeypatch):
    monkeypatch.setattr(clock, "_rate", lambda slow: 1e9 if slow else 1e10)
    with spending(Budget(deadline=now[0] + 1.0)):
        check_work(0.9e10)
        check_work(0.9e9, slow=True)
        with pytest.raises(OutOfTimeError):
            check_work(1.1e10)
        with pytest.raises(OutOfTimeError):
            check_work(1.1e9, slow=True)
    assert singular_value_work(30, 10) == singular_value_work(10, 30)


def test_a_machine_that_became_slow_is_given_less_to_do(now, monkeypatch):
    monkeypatch.setattr(clock, "_rate", lambda slow: 1e9)
    with spending(Budget(deadline=now[0] + 30.0)):
        check_work(2e9)
        now[0] += 8.0  # four times as long as it should take
        check_work(5e9)
        now[0] += 20.0
        with pytest.raises(OutOfTimeError):
            check_work(1e9)  # one second, and two are left
    assert current().pace.slowdown == 1.0


@pytest.mark.parametrize("slow", [False, True])
def test_the_rate_of_this_machine(slow):
    assert 1e7 < clock._rate(slow) < 1e14


def test_memory_says_what_is_too_large_and_what_to_do():
    with spending(Budget(memory=2e9)):
        check_memory(1.9e9, "These", "take fewer")
        with pytest.raises(ProblemError, match=r"3 GB .* 2 GB .*take fewer, or raise max_memory"):
            check_memory(3e9, "These", "take fewer")


def test_a_budget_is_that_of_one_thread():
    found = []
    with spending(Budget(memory=1.0)):
        thread = threading.Thread(target=lambda: found.append(current().memory))
        thread.start()
        thread.join()
    assert found == [math.inf]


@pytest.mark.parametrize("count", [0, 1, 2, 7, 100, 5000])
@pytest.mark.parametrize("size", [0, 1, 1000, 10**6, 10**9])
def test_parts_cover_everything_once(count, size):
    found = [index for part in parts(count, size) for index in range(count)[part]]
    assert found == list(range(count))
    for part in parts(count, size):
        assert part.stop - part.start <= at_once(size)
        assert 2 * (part.stop - part.start) >= min(count, 8, at_once(size))
    if count * size <= 10**5:
        assert len(list(parts(count, size))) == 1


def test_every_stop_has_its_status():
    assert [Status.after(stop()) for stop in STOPS] == [
        Status.INTERRUPTED,
        Status.TIME_LIMIT,
        Status.MEMORY_LIMIT,
        Status.MEMORY_LIMIT,
    ]
    assert issubclass(OutOfMemoryError, ProblemError)
    assert all(Status.after(stop()).stopped for stop in STOPS)


# --- Ctrl-C -------------------------------------------------------------------------------------


def test_ctrl_c_waits_for_the_next_look():
    reached = False
    with interrupts_at_checks():
        signal.raise_signal(signal.SIGINT)
        reached = True
        with pytest.raises(KeyboardInterrupt):
            check_time()
        check_time()
    assert reached
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_does_not_wait():
    with interrupts_at_checks():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_the_handler_of_somebody_else_stays():
    pressed = []
    before = signal.signal(signal.SIGINT, lambda *_: pressed.append(True))
    try:
        with interrupts_at_checks():
            signal.raise_signal(signal.SIGINT)
            check_time()
    finally:
        signal.signal(signal.SIGINT, before)
    assert pressed == [True]


def test_other_threads_are_left_alone():
    failed = []

    def work():
        try:
            with interrupts_at_checks():
                check_time()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed


# --- memory -------------------------------------------------------------------------------------


def test_some_memory_is_free():
    assert free_memory() > 1e6
    assert default_memory() < free_memory() or free_memory() == math.inf


@pytest.mark.parametrize(
    ("files", "free"),
    [
        ({}, math.inf),
        ({"/proc/meminfo": "MemTotal: 9 kB\nMemAvailable:  2000 kB\n"}, 2048e3),
        ({"/sys/fs/cgroup/memory.max": "max\n", "/sys/fs/cgroup/memory.current": "5\n"}, math.inf),
        ({"/sys/fs/cgroup/memory.max": "900\n", "/sys/fs/cgroup/memory.current": "500\n"}, 400.0),
        (
            {
                "/proc/self/cgroup": "0::/mine\n",
                "/sys/fs/cgroup/mine/memory.max": "900",
                "/sys/fs/cgroup/mine/memory.current": "800",
                "/sys/fs/cgroup/mine/memory.stat": "anon 1\ninactive_file 300\n",
            },
            400.0,
        ),
        (
            {
                "/proc/self/cgroup": "5:cpu:/a\n4:memory:/b/c\n0::/\n",
                "/sys/fs/cgroup/memory/b/c/memory.limit_in_bytes": "700",
                "/sys/fs/cgroup/memory/b/c/memory.usage_in_bytes": "800",
            },
            0.0,
        ),
    ],
)
def test_free_memory_of_machine_and_container(monkeypatch, files, free):
    monkeypatch.setattr(memory, "_text", lambda path: files.get(path.as_posix(), ""))
    monkeypatch.setattr(memory.os, "sysconf", lambda _: math.inf)
    assert free_memory() == free
