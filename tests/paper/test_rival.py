"""Whether `Auto` is worse than the best random features of scanned scale and width."""

import numpy as np
import pytest

from piscm import Box, Condition, Problem, coordinates, field
from piscm.paper import at_once
from piscm.paper.rival import best_rival, worse

t = coordinates("t")
u = field("u", t)
WAVE = Problem(Box({t: (0, 2)}), [u.diff(t) - 3 * u], [Condition(u - 1, on={t: 0})])


def _error(solution):
    times = np.linspace(0, 2, 50)
    return float(np.abs(solution(t=times) / np.exp(3 * times) - 1).max())


@pytest.mark.parametrize(
    ("error", "rival", "told"),
    [
        (1e-7, 1e-12, False),  # both met it: more digits were not asked for
        (2e-6, 1e-7, True),
        (2e-6, 1.5e-6, True),
        (2e-6, 3e-6, False),
        (np.inf, 0.5, True),
        (np.inf, np.inf, False),
    ],
)
def test_worse_is_who_misses_the_tolerance_by_more(error, rival, told):
    assert worse(error, rival, 1e-6) is told


def test_the_best_scale_and_width_in_time_is_found():
    best = best_rival(WAVE, _error, 0, 60.0, widths=(10, 40), scales=(1.0, 4.0, 32.0))
    assert best.nodes == 40
    assert best.scale in (1.0, 4.0)
    assert best.error < 1e-6
    assert 0 < best.seconds <= 60.0


def test_runs_that_took_longer_do_not_count():
    assert best_rival(WAVE, _error, 0, 1e-9, widths=(10,), scales=(1.0,)) is None


def test_what_is_not_known_is_infinite_in_medians():
    records = [
        {"what": "kdv", "seed": seed, "status": "CONVERGED", "error": error, "rival": rival}
        | {"seconds": 1.0, "estimate / error": 1.0}
        for seed, (error, rival) in enumerate(((2e-6, None), (3e-6, 1e-7), (None, 1e-8)))
    ]
    row = at_once._medians("kdv", records)
    assert (row["error"], row["rival"]) == (3e-6, 1e-7)
    assert row["bars"] == "tolerance, rival, sure and wrong"


def test_forward_problems_of_the_zoo_are_all_there():
    others = at_once._others()
    assert {"poisson-disk", "conduction-inclusion", "burgers", "cylinder-in-channel"} <= set(others)
    assert not {"heat-inverse", "helmholtz"} & set(others)
