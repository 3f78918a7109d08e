"""All problems at the edge on three seeds, as a table: ``make edge``."""

import sys
import time

from edge.judge import judge
from edge.table import CASES

SEEDS = (0, 1, 2)


def main(names: list[str]) -> int:
    """Print a line for each case and seed; the number of broken promises."""
    broken = done = 0
    for name, case in CASES.items():
        if names and not any(part in name for part in names):
            continue
        for seed in SEEDS[: 1 if case.kind == "refused" else None]:
            began = time.process_time()
            found = judge(case, seed)
            broken += not found.kept
            done += 1
            mark = "" if found.kept else "   <-- BROKEN"
            print(
                f"{name:32} seed {seed}  {found.outcome:15} error {found.error:8.1e}  "
                f"estimate {found.estimate:8.1e}  {time.process_time() - began:6.1f} s{mark}",
                flush=True,
            )
    print(f"{len(CASES)} problems, {done} runs, {broken} broken promises")
    return min(broken, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
