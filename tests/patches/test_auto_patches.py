"""`Auto` takes patches where scales are too fine for one network, and only there."""

from functools import partialmethod

import numpy as np
import pytest

import piscm
from piscm import Box, Condition, Problem, Status, solve
from piscm.fit.portfolio_policy import PortfolioPolicy
from piscm.network.patchwork import Patchwork

x = piscm.coordinates("x")
u = piscm.field("u", x)


@pytest.mark.slow
def test_many_periods_are_solved_in_patches(tmp_path, monkeypatch):
    # So few nodes that a hundred periods are too many for them, as hundreds are for thousands.
    made = partialmethod(PortfolioPolicy.__init__, columns=400)
    monkeypatch.setattr(PortfolioPolicy, "__init__", made)
    stalled = "piscm.march.attempts.grow_on"
    monkeypatch.setattr(stalled, lambda found, *_: found.piece.ended(Status.STALLED))
    k = 2 * np.pi * 100.1
    ends = [Condition(u, on={x: 0}), Condition(u - np.sin(k), on={x: 1})]
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + k**2 * u], ends)
    solution = solve(problem)
    at = np.linspace(0, 1, 1001)
    assert solution.status.ok
    assert isinstance(solution.network, Patchwork)
    assert np.abs(solution(x=at) - np.sin(k * at)).max() < 1e-5
    assert "patches" in str(solution)
    solution.save(tmp_path / "waves.npz")
    assert np.array_equal(piscm.load(tmp_path / "waves.npz")(x=at), solution(x=at))


def test_what_is_smooth_is_one_network():
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + 1], [Condition(u, on="boundary")])
    assert not isinstance(solve(problem).network, Patchwork)
