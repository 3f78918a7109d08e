"""Generated texts by the hundred thousand: ``python -m edge.texts --first 1000 --chunks 100``.

Each chunk is a thousand texts of a seed of its own. Counted are those that end in another way than
being read or refused, those that take over a second of CPU, and those that executed something.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from formulas import Formulas

from piscm import ProblemError, coordinates, field, unknown
from piscm.problem.size import MAX_PARTS, Sizes
from piscm.text.parse import parse_expression

x, t = coordinates("x t")
FIELDS = {"u": field("u", x, t), "v": field("v", x)}
SYMBOLS = {
    "x": x,
    "t": t,
    **{name: unknown(name) for name in ("mu", "lambda")},
    "k": unknown("k", positive=True),
}
TEXTS = 1000  # of a chunk
SECOND = 1.0
FAULTS = ("raw", "slow", "large", "wordy", "executed")


def tried(seed: int, mark: Path, shown: bool = False) -> Counter[str]:
    """What became of the thousand texts of a seed."""
    formulas = Formulas(random.Random(seed), mark)
    counts: Counter[str] = Counter()
    for _ in range(TEXTS):
        text = formulas.text()
        began = time.process_time()
        found = [_outcome(text)]
        if time.process_time() - began > SECOND:
            found.append("slow")
        if mark.exists():
            mark.unlink()
            found.append("executed")
        counts.update(found)
        if shown and set(found) & set(FAULTS):
            print(f"seed {seed} {found}: {text!r}", flush=True)
    return counts


def _outcome(text: str) -> str:
    try:
        built = parse_expression(text, SYMBOLS, FIELDS)
    except ProblemError as error:
        return "refused" if len(str(error)) < 1000 else "wordy"
    except Exception:
        return "raw"
    return "read" if Sizes().of(built).parts <= MAX_PARTS else "large"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.texts")
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--chunks", type=int, default=100)
    asked = parser.parse_args()
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.first, asked.first + asked.chunks):
            total += tried(seed, Path(folder) / "executed", shown=True)
            if seed % 10 == 9:
                print(seed, dict(total), f"{time.process_time():.0f} CPU s", flush=True)
    print(f"{asked.chunks * TEXTS} texts: {dict(total)}, {time.process_time():.0f} CPU s")
    return int(any(total[fault] for fault in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
