"""Two writers of one file, killed again and again: ``python -m edge.kills --count 60``.

Whenever one is killed, the file must be whole, one of the two that are written, and after the next
save nothing may lie beside it. (POSIX systems only.)
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import piscm
from piscm import PISC3, Box, Condition, Problem, Sampling

LONGEST = 0.2  # seconds that a writer may live


def solutions() -> list[Any]:
    """Two solutions that differ."""
    x = piscm.coordinates("x")
    u = piscm.field("u", x)
    return [
        piscm.solve(
            Problem(Box({x: (0, 1)}), [u.diff(x, 2) + load], [Condition(u, on="boundary")]),
            PISC3(max_nodes=30, candidates=5, scale=3.0),
            sampling=Sampling(60, 4),
        )
        for load in (1, 2)
    ]


def writer(save: Callable[[], Any]) -> int:
    """A process that saves for ever; its number."""
    child = os.fork()
    if child:
        return child
    try:
        while True:
            save()
    finally:
        os._exit(1)


def lost_after_kills(count: int, seed: int, folder: Path) -> list[str]:
    """What was wrong after each of so many kills."""
    path, draw = folder / "saved.npz", random.Random(seed)
    made = solutions()
    known = {repr(own) for own in made}
    made[0].save(path)
    saves = [lambda own=own: own.save(path) for own in made]
    alive = [writer(save) for save in saves]
    wrong = []
    try:
        for number in range(count):
            time.sleep(draw.uniform(0.0, LONGEST))
            victim = draw.randrange(2)
            os.kill(alive[victim], signal.SIGKILL)
            os.waitpid(alive[victim], 0)
            try:
                if repr(piscm.load(path)) not in known:
                    wrong.append(f"{number}: another content")
            except Exception as error:
                wrong.append(f"{number}: {error!r}")
            alive[victim] = writer(saves[victim])
    finally:
        for child in alive:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    made[0].save(path)
    wrong += [f"left over: {own.name}" for own in folder.iterdir() if own != path]
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.kills")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = lost_after_kills(asked.count, asked.seed, Path(folder))
    print(f"{asked.count} kills, two writers: {len(wrong)} wrong", *wrong, sep="\n")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
