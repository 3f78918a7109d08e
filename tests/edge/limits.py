"""Time limits on the zoo: ``python -m edge.limits --limits 0.1 1 5``.

The clock is the processor time of this process, so that others do not matter. Of each run the
longest piece without a look at the clock is shown, and the look at which it ended.
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
        self.last, self.longest, self.where = time.process_time(), 0.0, ""

    def look(self) -> None:
        check_interrupt()
        now = time.process_time()
        if now - self.last > self.longest:
            self.longest = now - self.last
            frames = [own for own in traceback.extract_stack() if "piscm" in own.filename]
            self.where = " < ".join(f"{own.name}:{own.lineno}" for own in frames[-3:-7:-1])
        self.last = time.process_time()


def took(name: str, limit: float) -> tuple[float, str, Gaps]:
    """Seconds that a run takes, how it ends, and its longest piece."""
    item = zoo.load(name)
    problem = item.observed(item.observations if item.truth else 0, 0)
    gaps = Gaps()
    clock.check_interrupt = gaps.look
    began = time.process_time()
    found = solve(problem, seed=0, progress=False, max_seconds=limit)
    passed = time.process_time() - began
    clock.check_interrupt = check_interrupt
    return passed, found.status.name.lower(), gaps


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.limits")
    parser.add_argument("names", nargs="*", default=zoo.names(), help="problems of the zoo")
    parser.add_argument("--limits", nargs="+", type=float, default=[0.1, 1.0, 5.0])
    asked = parser.parse_args()
    time.perf_counter = time.process_time
    warnings.simplefilter("ignore")
    took("poisson-disk", 5.0)  # the first run of a process imports and compiles what all need
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
