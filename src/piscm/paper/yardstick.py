"""What times are compared with: one dense least-squares solve, and the literal PI-SC-III."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import scipy.linalg

from piscm import Problem, Sampling, Solution, solve
from piscm.assemble.weighting import EVEN
from piscm.construct.construction import Construction
from piscm.linalg.threads import one_thread
from piscm.network.network import Network
from piscm.paper.literal import literal

Shape = tuple[int, int]

_REPEATS = 3
# What takes longer than this many seconds is timed once.
_LONG = 1.0


def lstsq_seconds(shapes: Sequence[Shape], clock: Callable[[], float] = time.perf_counter) -> float:
    """What SciPy's `lstsq` (gelsd, one thread) takes for random matrices of these shapes, in all.

    The median of a few times; call it right beside the run that it is compared with, so that other
    work on the machine slows both alike, and with the same clock.
    """
    rng = np.random.default_rng(0)
    systems = [
        (np.asfortranarray(rng.standard_normal(shape)), rng.standard_normal(shape[0]))
        for shape in shapes
    ]
    times = []
    with one_thread():
        for _ in range(_REPEATS):
            began = clock()
            for matrix, target in systems:
                scipy.linalg.lstsq(matrix, target, lapack_driver="gelsd", check_finite=False)
            times.append(clock() - began)
            if times[-1] > _LONG:
                break
    return statistics.median(times)


def final_shapes(solution: Solution) -> list[Shape]:
    """The sizes of the final design: rows and columns of each window, or of the one there is.

    A solution knows its rows only in all. Points come with the nodes, so each window is counted
    with the share of the rows that its share of the nodes is. One matrix of all windows together
    would be a far larger unit, which no run ever solves.
    """
    rows = sum(block.rows for block in solution.block_residuals)
    network = solution.network
    panels = network.panels if isinstance(network, Network) else None
    counts = (solution.n_nodes,) if panels is None else panels.counts
    fields = len(solution.problem.fields)
    total = max(1, sum(counts))
    shapes = [(round(rows * count / total), count * fields) for count in counts]
    return [(max(1, height), max(1, width)) for height, width in shapes]


def literal_solution(
    problem: Problem,
    method: Construction,
    sampling: Sampling,
    seed: int,
    weights: Mapping[str, float] = EVEN,
) -> Solution:
    """The literal algorithm's network and time, as a solution.

    It gives a network only. Points and rows are those of the fast algorithm with the same seed, so
    a run of one node lends the rest.
    """
    one_node = replace(method, max_nodes=1)
    shell = solve(problem, one_node, sampling=sampling, seed=seed, progress=False)
    began = time.perf_counter()
    with one_thread():  # as in `solve`
        network = literal(problem, method, sampling, seed, weights)
    return replace(shell, network=network, method=method, seconds=time.perf_counter() - began)
