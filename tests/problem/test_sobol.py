"""Sobol points are those of SciPy, with and without scrambling."""

import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import qmc

from piscm.problem.sobol import sobol_points


@pytest.mark.parametrize("dimension", range(1, 15))
@pytest.mark.parametrize("count", [1, 2, 3, 100, 4096])
def test_points_are_those_of_scipy_to_the_last_bit(dimension: int, count: int) -> None:
    theirs = qmc.Sobol(dimension, scramble=False).random_base2(12)[:count]
    np.testing.assert_array_equal(sobol_points(count, dimension), theirs)
    for seed in range(3):
        ours, reference = np.random.default_rng(seed), np.random.default_rng(seed)
        exponent = max(0, (count - 1).bit_length())
        for _ in range(2):  # the second time the generator has spawned once
            theirs = qmc.Sobol(dimension, rng=reference).random_base2(exponent)[:count]
            np.testing.assert_array_equal(sobol_points(count, dimension, ours), theirs)
        assert ours.bit_generator.state == reference.bit_generator.state


def test_solving_an_easy_problem_does_not_load_scipy_stats() -> None:
    program = (
        "import sys; from piscm import *; t = coordinates('t'); u = field('u', t);"
        "p = Problem(Box({t: (0, 1)}), [u.diff(t) + u], [Condition(u - 1, on={t: 0})]);"
        "assert solve(p, progress=False).status.ok; assert 'scipy.stats' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
