"""The loop itself: what a run leaves, how it ends, and that it goes on where another ended."""

import time
from dataclasses import dataclass, replace

import numpy as np
import pytest
import sympy
from builders import silent, system_of

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    Status,
    coordinates,
    field,
    unknown,
)
from piscm.budget.budget import Budget, OutOfMemoryError, spending
from piscm.construct.machine import grow
from piscm.construct.selection import Proposal, Selection
from piscm.network.nodes import Nodes

pytestmark = pytest.mark.usefixtures("quiet")

x = coordinates("x")
u = field("u", x)
k = unknown("k")
BOX = Box({x: (0, 2)})
LINEAR = Problem(BOX, [u.diff(x, 2) + 4 * u - sympy.cos(x)], [Condition(u - 1, on={x: 0})])
NONLINEAR = Problem(BOX, [u.diff(x) + u**2], [Condition(u - 1, on={x: 0})])
TIMES = np.linspace(0.1, 2, 9)
INVERSE = Problem(
    BOX,
    [u.diff(x) + k * u**2],
    [Condition(u - 1, on={x: 0})],
    {k: (0.5, 0.0, 3.0)},
    [Observations(u, TIMES, 1 / (1 + TIMES))],
)
PROBLEMS = {"linear": LINEAR, "nonlinear": NONLINEAR, "an unknown": INVERSE}
OPTIONS = {"max_nodes": 12, "candidates": 12, "block": 3, "scale": 3.0}
METHODS = [
    kind(selection=selection, **more, **OPTIONS)
    for kind, more in ((PISC1, {}), (PISC2, {"window": 4}), (PISC3, {}))
    for selection in ("local", "orthogonal")
]


def system(problem=NONLINEAR):
    return system_of(problem, sampling=Sampling(40, 1))


def grown(problem=NONLINEAR, method=METHODS[-1], report=silent, seed=0, **more):
    return grow(system(problem), method, np.random.default_rng(seed), report, **more)


# --- what a run leaves ------------------------------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{type(m).__name__}-{m.selection}")
def test_the_residual_never_rises_and_is_that_of_the_nodes(problem, method):
    own = system(problem)
    told = []
    growth = grow(
        own, method, np.random.default_rng(0), lambda nodes, residual: told.append(residual)
    )
    count = len(growth.nodes)
    assert count == len(growth.history) == len(growth.state.weights) == len(growth.columns)
    assert (np.diff(growth.history["residual"]) <= 0).all()
    assert growth.history["residual"][-1] == growth.state.norm == told[-1]
    assert growth.history["residual"][0] <= own.start().norm
    anew = own.evaluate(growth.nodes)
    true = own.state_with(anew, growth.state.weights, growth.state.unknowns)
    assert true.norm == pytest.approx(growth.state.norm, rel=1e-6)
    at = own.linearize(growth.state)
    np.testing.assert_allclose(growth.columns.at(at), anew.at(at), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("selection", ["local", "orthogonal"])
def test_all_nodes_corrected_on_a_linear_problem_is_least_squares_at_every_step(selection):
    own = system(LINEAR)
    growth = grown(LINEAR, PISC3(selection=selection, **OPTIONS))
    design = own.evaluate(growth.nodes).at(own.linearize(own.start()))[:, 0]
    target = -own.start().residual
    history = growth.history["residual"]
    ends = np.flatnonzero(np.append(np.diff(history) != 0, True))  # of nodes taken together
    for last in ends[:5]:
        matrix = design[: last + 1].T
        left = np.linalg.norm(matrix @ np.linalg.lstsq(matrix, target)[0] - target)
        assert history[last] == pytest.approx(left, rel=1e-6)


# --- how it ends ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS[4:], ids=["local", "orthogonal"])
class TestEndings:
    def test_converged(self, method):
        growth = grown(method=replace(method, tolerance=0.05))
        assert growth.status is Status.CONVERGED
        assert growth.state.norm <= 0.05
        assert 0 < len(growth.nodes) < 12

    def test_node_limit(self, method):
        growth = grown(method=replace(method, tolerance=1e-14, max_nodes=4))
        assert growth.status is Status.NODE_LIMIT
        assert len(growth.nodes) == 4

    def test_finished(self, method):
        growth = grown(method=replace(method, max_nodes=4))
        assert growth.status is Status.FINISHED

    def test_solved_at_start(self, method):
        nothing = Problem(BOX, [u.diff(x) + u**2], [Condition(u, on={x: 0})])
        growth = grown(nothing, method)
        assert growth.status is Status.SOLVED_AT_START
        assert len(growth.nodes) == len(growth.history) == 0

    def test_stalled(self, method):
        """Two data contradict each other: what is left is nobody's to take off."""
        data = [Observations(u, [1.0], [value]) for value in (1.0, -1.0)]
        problem = Problem(BOX, [0 * x + u], [], None, data)
        growth = grown(problem, replace(method, max_nodes=500))
        assert growth.status is Status.STALLED
        assert len(growth.nodes) < 500
        assert growth.state.norm == pytest.approx(1.0, abs=1e-3)

    def test_time_limit(self, method, monkeypatch):
        """A clock that growth alone moves: the limit comes after the first round."""
        now, calls = [100.0], []
        monkeypatch.setattr(time, "perf_counter", lambda: now[0])

        def late(*told):
            calls.append(told)
            now[0] += 1.0

        with spending(Budget.of(0.5, np.inf)):
            growth = grown(method=method, report=late)
        assert growth.status is Status.TIME_LIMIT
        assert len(calls) == 1
        assert len(growth.nodes) in (1, 3)  # one round: a node, or a block of them

    def test_memory_limit(self, method):
        """Nodes are added while there is room for their columns; what is there is as it was."""
        own = system()
        with spending(Budget(memory=(method.candidates + 7) * own.bytes_per_node)):
            growth = grow(own, method, np.random.default_rng(0), silent)
        assert growth.status is Status.MEMORY_LIMIT
        assert len(growth.nodes) == 7
        whole = grow(own, method, np.random.default_rng(0), silent)
        np.testing.assert_array_equal(growth.nodes.weights[:6], whole.nodes.weights[:6])

    def test_no_memory_for_a_single_round(self, method):
        own = system()
        with (
            spending(Budget(memory=own.bytes_per_node / 2)),
            pytest.raises(OutOfMemoryError, match=r"rows would take .* raise max_memory"),
        ):
            grow(own, method, np.random.default_rng(0), silent)

    @pytest.mark.parametrize("at", [1, 2, 3])
    def test_interrupted(self, method, at):
        calls = []

        def impatient(nodes, residual):
            calls.append((nodes, residual))
            if len(calls) == at:
                raise KeyboardInterrupt

        growth = grown(method=method, report=impatient)
        whole = grown(method=method)
        assert growth.status is Status.INTERRUPTED
        assert (len(growth.nodes), growth.state.norm) == calls[-1]
        count = len(growth.nodes)
        np.testing.assert_array_equal(growth.nodes.weights, whole.nodes.weights[:count])
        np.testing.assert_array_equal(growth.history["residual"], whole.history["residual"][:count])

    def test_interrupted_before_the_first_node(self, method, monkeypatch):
        def stop(*_):
            raise KeyboardInterrupt

        own = system()
        monkeypatch.setattr(type(own), "evaluate", stop)
        growth = grow(own, method, np.random.default_rng(0), silent)
        assert growth.status is Status.INTERRUPTED
        assert len(growth.nodes) == 0

    def test_given_up(self, method):
        seen = []

        def gives_up(residuals):
            seen.append(len(residuals))
            return len(residuals) >= 6

        growth = grown(method=method, gives_up=gives_up)
        assert growth.status is Status.HOPELESS
        assert len(growth.nodes) == seen[-1] >= 6
        assert all(count < 6 for count in seen[:-1])


@dataclass(frozen=True, kw_only=True)
class OneConstant(Selection):
    """Proposes the constant one with a given weight, and nothing else."""

    weighs_nodes = True
    keeps_basis = False
    weight: float = -1.0

    def begin(self, run):
        return _OneConstant(self.weight, run)


class _OneConstant:
    def __init__(self, weight, run):
        self._weight, self._run = weight, run

    def propose(self, state, linearization, columns, nodes):
        system = self._run.system
        node = Nodes(np.zeros((1, 1)), np.array([np.pi / 2]))
        own = system.evaluate(node)
        change = system.each_alone(own, np.array([[self._weight]]), np.zeros((1, 0)))
        moved = replace(
            state,
            weights=np.vstack([state.weights, [[self._weight]]]),
            strands=change.added(state, 0),
            residual=system.residuals(state, change)[0],
        )
        return Proposal(node, own, moved, 1.0, 1.0)

    def accepted(self):
        """Nothing to remember."""

    def rejected(self):
        return True


def test_not_finite():
    """The square root of u has no slope at zero, where the first node leads."""
    problem = Problem(BOX, [sympy.sqrt(u) - 0.001], [Condition(u - 0.1, on={x: 0})])
    own = system_of(problem, sampling=Sampling(20, 1), initial={u: 1})
    method = PISC1(selection=OneConstant(), max_nodes=5)
    growth = grow(own, method, np.random.default_rng(0), silent)
    assert growth.status is Status.NOT_FINITE
    assert len(growth.nodes) == 1
    assert np.isfinite(growth.state.residual).all()


# --- where another ended ----------------------------------------------------------------------


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("method", METHODS[2:], ids=lambda m: f"{type(m).__name__}-{m.selection}")
def test_growth_goes_on_where_another_ended(problem, method):
    before = grown(problem, replace(method, max_nodes=6))
    after = grown(problem, method, before=before, seed=1)
    old = len(before.nodes)
    assert len(after.nodes) == 12
    np.testing.assert_array_equal(after.nodes.weights[:old], before.nodes.weights)
    np.testing.assert_array_equal(after.nodes.biases[:old], before.nodes.biases)
    assert after.history[:old].tobytes() == before.history.tobytes()
    assert after.state.norm < before.state.norm
    assert (np.diff(after.history["residual"]) <= 0).all()


def test_what_went_before_may_be_enough():
    before = grown()
    again = grown(method=replace(METHODS[-1], tolerance=1.0), before=before)
    assert again.status is Status.CONVERGED
    np.testing.assert_array_equal(again.state.weights, before.state.weights)
    assert again.state.norm == pytest.approx(before.state.norm, rel=1e-9)


def test_growth_from_an_empty_one_is_growth_from_nothing():
    none = grown(method=replace(METHODS[-1], tolerance=100.0))
    assert len(none.nodes) == 0
    one, other = grown(before=none), grown()
    assert one.state.weights.tobytes() == other.state.weights.tobytes()
