"""Time limits on the zoo: ``python -m edge.limits --limits 0.1 1 5``.

The clock is the processor time of this process, so that others do not matter; with ``--share 0.25``
it goes four times as fast, as for a process that has a quarter of a core. Of each run the longest
piece without a look at the clock is shown, and the look at which it ended.
"""

import argparse
import sys
import time
import traceback
import warnings

import piscm.budget.clock as clock
from piscm import solve, zoo
from piscm.budget.interrupts import check_interrupt


class Gaps:
    """How long a run goes on without a look at the clock."""

    def __init__(self) -> None:
        self.last, self.longest, self.where = time.perf_counter(), 0.0, ""

    def look(self) -> None:
        check_interrupt()
        now = time.perf_counter()
        if now - self.last > self.longest:
            self.longest = now - self.last
            frames = [own for own in traceback.extract_stack() if "piscm" in own.filename]
            self.where = " < ".join(f"{own.name}:{own.lineno}" for own in frames[-3:-7:-1])
        self.last = time.perf_counter()


def took(name: str, limit: float) -> tuple[float, str, Gaps]:
    """Seconds that a run takes, how it ends, and its longest piece."""
    item = zoo.load(name)
    problem = item.observed(item.observations if item.truth else 0, 0)
    gaps = Gaps()
    clock.check_interrupt = gaps.look
    began = time.perf_counter()
    found = solve(problem, seed=0, progress=False, max_seconds=limit)
    passed = time.perf_counter() - began
    clock.check_interrupt = check_interrupt
    return passed, found.status.name.lower(), gaps


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.limits")
    parser.add_argument("names", nargs="*", default=zoo.names(), help="problems of the zoo")
    parser.add_argument("--limits", nargs="+", type=float, default=[0.1, 1.0, 5.0])
    parser.add_argument("--share", type=float, default=1.0, help="of a core")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    took("poisson-disk", 5.0)  # the first run of a process imports and compiles what all need
    for slow in (False, True):
        clock._rate(slow)  # so short that others do not slow it down
    time.perf_counter = lambda: time.process_time() / asked.share
    missed = 0
    for name in asked.names:
        for limit in asked.limits:
            passed, status, gaps = took(name, limit)
            late = passed > 1.2 * limit + 0.5
            missed += late
            print(
                f"{name:26} limit {limit:5.1f}  took {passed:6.2f}  {status:12} "
                f"piece {gaps.longest:5.2f}  {gaps.where}{'   <-- LATE' if late else ''}",
                flush=True,
            )
    print(f"{len(asked.names) * len(asked.limits)} runs, {missed} late")
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
