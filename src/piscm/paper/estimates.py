"""The estimated error against the true one on the zoo.

``python -m piscm.paper.estimates`` solves every problem at its default, or those named, and prints
the ratio of the two for each seed: 1 is right, less is too small.
"""

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from piscm import solve, zoo


class Compared(NamedTuple):
    """The true relative error of a run, and the estimated one."""

    name: str
    seed: int
    status: str
    true: float
    estimated: float

    @property
    def ratio(self) -> float:
        return self.estimated / self.true if self.true > 0 else float("nan")


def compared(names: Sequence[str], seeds: int, max_seconds: float) -> Iterator[Compared]:
    """Each problem with each seed."""
    for name in names:
        item = zoo.load(name)
        for seed in range(seeds):
            problem = item.observed(item.observations if item.truth else 0, seed)
            found = solve(problem, seed=seed, progress=False, max_seconds=max_seconds)
            true, estimated = item.relative_error(found), found.error_estimate.relative
            yield Compared(name, seed, found.status.name.lower(), true, estimated)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", default=zoo.names(), help="problems of the zoo")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--max-seconds", type=float, default=120.0)
    options = parser.parse_args()
    for own in compared(options.names, options.seeds, options.max_seconds):
        print(
            f"{own.name:26} seed {own.seed}  {own.status:12}  true {own.true:8.1e}  "
            f"estimated {own.estimated:8.1e}  ratio {own.ratio:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
