"""All problems at the edge on three seeds, as a table: ``make edge``.

``python -m edge resonance jump`` takes the problems whose names hold one of the words, ``--seeds 0
2`` these seeds, and ``--done FILE`` leaves out what an earlier table in that file has already.
Time limits count the processor time of this process, so that the table is the same beside others.
"""

import argparse
import re
import sys
import time
from pathlib import Path

from edge.judge import judge
from edge.table import CASES

SEEDS = (0, 1, 2)


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each seed and case; whether a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m edge", description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEEDS)
    parser.add_argument("--done", type=Path, help="a table that was broken off")
    asked = parser.parse_args(arguments)
    time.perf_counter = time.process_time
    done = _done(asked.done)
    broken = runs = 0
    for name, seed in _runs(asked.words, asked.seeds):
        if (name, seed) not in done:
            broken += not _line(name, seed)
            runs += 1
    print(f"{len(CASES)} problems, {runs} runs, {broken} broken promises")
    return min(broken, 1)


def _runs(words: list[str], seeds: list[int]) -> list[tuple[str, int]]:
    """Seed by seed, so that a table that is broken off holds whole seeds; a refusal has no seed."""
    return [
        (name, seed)
        for seed in seeds
        for name, case in CASES.items()
        if (not words or any(part in name for part in words))
        and (case.kind != "refused" or seed == seeds[0])
    ]


def _line(name: str, seed: int) -> bool:
    """Run a case, print its line, and say whether it kept its promise."""
    began = time.process_time()
    found = judge(CASES[name], seed)
    mark = "" if found.kept else "   <-- BROKEN"
    print(
        f"{name:32} seed {seed}  {found.outcome:15} error {found.error:8.1e}  "
        f"estimate {found.estimate:8.1e}  {time.process_time() - began:6.1f} s{mark}",
        flush=True,
    )
    return found.kept


def _done(table: Path | None) -> set[tuple[str, int]]:
    """The cases and seeds that a table holds."""
    lines = table.read_text().splitlines() if table else []
    found = (re.match(r"(.+?) +seed (\d+)  .* s( .*)?$", line) for line in lines)
    return {(match[1], int(match[2])) for match in found if match}


if __name__ == "__main__":
    sys.exit(main())
