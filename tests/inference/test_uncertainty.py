"""Error bars: their noise, and what fewer rows than unknowns leave open."""

import numpy as np
from builders import decay_of

from piscm import (
    PISC3,
    Observations,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.inference.uncertainty import _unknown_space

t = coordinates("t")
u = field("u", t)
k = unknown("k")
ORTHOGONAL = PISC3(max_nodes=30, selection="orthogonal", candidates=40)
SMALL = Sampling(interior=60)
TIMES = np.linspace(0.1, 1, 12)


def decay(*observations):
    data = observations or [Observations(u, TIMES, np.exp(-TIMES))]
    return decay_of(u, {k: 0.5}, data, rate=k, end=1)


def test_two_sets_of_observations_of_one_thing_keep_their_noise():
    rng = np.random.default_rng(0)
    exact = np.exp(-TIMES)
    sets = [Observations(u, TIMES, exact + s * rng.normal(size=12), noise=s) for s in (0.01, 0.1)]
    solution = solve(decay(*sets), ORTHOGONAL, sampling=SMALL)
    assert list(solution.uncertainty.noise.values()) == [0.01, 0.1]
    assert len({block.name for block in solution.block_residuals}) == 4


def test_fewer_rows_than_unknowns_leave_directions_open():
    scaled = np.random.default_rng(0).normal(size=(2, 4))
    left, lengths, right, null = _unknown_space(scaled, np.zeros((2, 0)))
    assert left.shape == (2, 2)
    assert lengths.shape == (2,)
    assert right.shape == null.shape == (2, 4)
    np.testing.assert_allclose(scaled @ null.T, 0.0, atol=1e-12)
