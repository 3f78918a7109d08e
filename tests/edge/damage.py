"""Damaged files by the thousand: ``python -m edge.damage --count 10000``.

A saved solution, a problem file and its table are cut, flipped, doubled and overwritten at random.
A saved solution must be refused, or come back as it was; text may still make sense. Whatever is
refused names the file.
"""

import argparse
import string
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np

import piscm
from piscm import PISC3, Observations, Problem, ProblemError, Sampling

FAULTS = ("raw", "wrong", "nameless", "slow")
TEXT = """
equations = ["diff(u, x, 2) + k * u = sin(3*x)"]
conditions = [{expression = "u - 1", on = {x = 0}}, {expression = "u", on = {x = 1}}]
domain = {x = [0, 1]}
unknowns = {k = {guess = 1.5, bounds = [0, 9]}}
observations = [{expression = "u", file = "measured.csv", columns = {x = "x", value = "u"}}]

[method]
name = "pi-sc-iii"
max_nodes = 40
candidates = 5

[sampling]
interior = 16
"""
TABLE = "x,u\n" + "".join(f"{at / 20},{np.exp(-at / 20):.6g}\n" for at in range(20))
SECOND = 1.0


def damaged(whole: bytes, draw: Random) -> bytes:
    """A copy with one to three wounds."""
    made = bytearray(whole)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at, length = draw.randrange(len(made) + 1), draw.randint(1, 40)
        kind = draw.randrange(8)
        if kind == 0 and at < len(made):
            made[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            del made[at:]
        elif kind == 2:
            del made[at : at + length]
        elif kind == 3:
            made[at:at] = draw.randbytes(length)
        elif kind == 4:
            made[at:at] = made[at : at + 10 * length]
        elif kind < 7:
            made[at : at + 1] = draw.choice(string.printable).encode()
        else:
            made[at : at + length] = draw.choice((b"\0", b"\xff", b"\n", b"9", b'"')) * length
    return bytes(made)


class Files:
    """Sound files in a folder, and how each is read."""

    def __init__(self, folder: Path) -> None:
        x, k = piscm.coordinates("x"), piscm.unknown("k")
        u = piscm.field("u", x)
        problem = Problem(
            piscm.Box({x: (0, 1)}),
            [u.diff(x) - k * u],
            [piscm.Condition(u - 1, on={x: 0})],
            {k: 0.5},
            [Observations(u, [0.25, 0.5], [1.0, 1.1])],
        )
        solution = piscm.solve(problem, PISC3(max_nodes=3, candidates=5), sampling=Sampling(8, 4))
        self.sound = {"saved.npz": b"", "mine.toml": TEXT.encode(), "measured.csv": TABLE.encode()}
        self.folder = folder
        solution.save(folder / "saved.npz")
        self.sound["saved.npz"] = (folder / "saved.npz").read_bytes()
        for name in self.sound:
            self.write(name, self.sound[name])
        self.expected = self._values()

    def write(self, name: str, content: bytes) -> None:
        (self.folder / name).write_bytes(content)

    def _values(self) -> np.ndarray:
        return np.asarray(piscm.load(self.folder / "saved.npz")(x=[0.0, 0.5, 1.0]))

    def problem(self) -> None:
        piscm.read_problem_file(self.folder / "mine.toml")

    def tried(self, name: str, content: bytes) -> str:
        """What becomes of a file with another content."""
        self.write(name, content)
        read: Callable[[], object] = self._values if name == "saved.npz" else self.problem
        began = time.process_time()
        try:
            found = read()
        except ProblemError as error:
            how = "refused" if name in str(error) else "nameless"
        except Exception:
            how = "raw"
        else:
            same = name != "saved.npz" or np.array_equal(found, self.expected)
            how = "taken" if same else "wrong"
        self.write(name, self.sound[name])
        return "slow" if time.process_time() - began > SECOND else how


def attempts(count: int, seed: int, folder: Path, shown: bool = False) -> Counter[str]:
    """How many of so many damaged files ended how."""
    draw, files = Random(seed), Files(folder)
    counts: Counter[str] = Counter()
    for number in range(count):
        name = draw.choice(list(files.sound))
        content = damaged(files.sound[name], draw)
        how = files.tried(name, content)
        counts[f"{name} {how}"] += 1
        counts[how] += 1
        if shown and how in FAULTS:
            print(f"{how}: {name} number {number} {content[:2000]!r}", flush=True)
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.damage")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = attempts(asked.count, asked.seed, Path(folder), shown=True)
    print(f"{asked.count} damaged files: {dict(counts)}, {time.process_time():.0f} CPU s")
    return int(any(counts[fault] for fault in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
