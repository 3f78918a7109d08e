"""Districts that do not fit into the memory of Dask's workers are refused before any work."""

from types import SimpleNamespace

import pytest

import piscm
from piscm import Box, Condition, Problem, ProblemError
from piscm.assemble.windows import Part
from piscm.network.start import Start
from piscm.patches.dask_memory import check_room
from piscm.patches.grid import even_edges
from piscm.patches.levels import Level
from piscm.patches.workshop import Workshop

x = piscm.coordinates("x")
u = piscm.field("u", x)
PROBLEM = Problem(Box({x: (0, 1)}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})])


@pytest.fixture(scope="module")
def districts():
    even = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}
    workshop = Workshop(Part.whole(PROBLEM), Start(PROBLEM), even, "sin", None, 0)
    return workshop.trial(Level(even_edges(PROBLEM.domain, (4,)), 20), None).coupled.districts


def _client(*workers):
    """A client of workers with these limits and states."""
    there = [
        SimpleNamespace(
            status=SimpleNamespace(name=state),
            memory_manager=SimpleNamespace(memory_limit=limit, memory_pause_fraction=pause),
        )
        for limit, pause, state in workers
    ]
    return SimpleNamespace(run=lambda work, on_error: {n: work(own) for n, own in enumerate(there)})


def test_what_fits_is_accepted(districts):
    check_room(_client((1e9, 0.8, "running"), (1e3, 0.8, "running")), districts)
    check_room(_client((None, 0.8, "running")), districts)
    check_room(_client((1e3, False, "running")), districts)
    check_room(_client(), districts)


def test_what_does_not_fit_is_refused(districts):
    factors = 4 * 8 * 20**2
    for limit in (1.0, factors):
        with pytest.raises(ProblemError, match="fewer nodes"):
            check_room(_client((limit, 1.0, "running")), districts)


def test_workers_whose_memory_is_full_are_refused(districts):
    with pytest.raises(ProblemError, match="paused"):
        check_room(_client((1e9, 0.8, "paused")), districts)
    check_room(_client((1e9, 0.8, "paused"), (1e9, 0.8, "running")), districts)
