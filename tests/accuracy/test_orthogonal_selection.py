"""What orthogonal selection buys, through `solve`."""

import numpy as np
import pytest

from piscm import PISC2, PISC3, Box, Condition, Problem, Sampling, coordinates, field, solve


@pytest.mark.parametrize("method", [PISC2(window=20), PISC3()])
def test_no_scale_is_needed(method):
    """In meters or in nanometers, the same problem is solved alike."""
    x = coordinates("x")
    u = field("u", x)
    for unit in (1.0, 1e-9):
        problem = Problem(
            Box({x: (5 * unit, 7 * unit)}),
            [u.diff(x, 2) * unit**2 + u],
            [Condition(u - 1, on={x: 5 * unit}), Condition(u.diff(x) * unit, on={x: 5 * unit})],
        )
        options = {"selection": "orthogonal", "max_nodes": 40, "candidates": 40}
        window = {"window": method.window} if isinstance(method, PISC2) else {}
        solution = solve(
            problem, type(method)(**options, **window), sampling=Sampling(interior=100)
        )
        places = np.linspace(5, 7, 20)
        np.testing.assert_allclose(solution(x=places * unit), np.cos(places - 5), atol=1e-6)
