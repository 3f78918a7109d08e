"""The best one-shot run of random features, scale and width scanned, beside `Auto`."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from piscm import Sampling, Solution, solve
from piscm.baselines import RandomFeatures
from piscm.problem.problem import Problem

WIDTHS = (200, 400, 800, 1600)
SCALES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
# A scale with an error so many times the best one of its width is not tried with more nodes. Wide
# runs take most of the time of a scan, and one doubling gains three digits at most.
_LOST = 1e3
# So many runs in a row that took too long say that those of other scales would.
_LATE = 2
# What the clock shows of a run may be this many times its CPU seconds, on a busy machine.
_BUSY = 1.5


class Rival(NamedTuple):
    """A run of random features: its error, CPU seconds, and settings."""

    error: float
    seconds: float
    nodes: int
    scale: float


def best_rival(
    problem: Problem,
    error_of: Callable[[Solution], float],
    seed: int,
    seconds: float,
    widths: Sequence[int] = WIDTHS,
    scales: Sequence[float] = SCALES,
) -> Rival | None:
    """The least error of all runs that took no longer than so many CPU seconds.

    Scales are radians of a wave over half the box; those that were best with fewer nodes come
    first. A width of which two runs in a row took longer is the last one; None if nothing was in
    time.
    """
    best: Rival | None = None
    for nodes in widths:
        in_time: list[Rival] = []
        late = 0
        for scale in scales:
            run = _run(problem, error_of, seed, nodes, scale, seconds)
            late = late + 1 if run.seconds > seconds else 0
            if not late:
                in_time.append(run)
            elif late == _LATE:
                break
        if in_time:
            best = min([*in_time, *([best] if best else [])])
        if late == _LATE or not in_time:
            break
        scales = [run.scale for run in sorted(in_time) if run.error <= _LOST * min(in_time).error]
    return best


def worse(error: float, rival: float, tolerance: float) -> bool:
    """Whether a run that ends at a tolerance is worse than a rival that took no longer.

    It is if it missed the tolerance, and the rival either met it or missed it by less.
    """
    return error > tolerance and rival < error


def _run(
    problem: Problem,
    error_of: Callable[[Solution], float],
    seed: int,
    nodes: int,
    scale: float,
    seconds: float,
) -> Rival:
    half = problem.domain.bounding_box.width / 2
    method = RandomFeatures(nodes=nodes, scale=tuple(scale / half))
    began = time.process_time()
    solution = solve(
        problem,
        method,
        sampling=Sampling(4 * nodes, nodes),
        seed=seed,
        progress=False,
        max_seconds=_BUSY * seconds,
    )
    took, error = time.process_time() - began, error_of(solution)
    return Rival(error if np.isfinite(error) else np.inf, took, nodes, scale)
