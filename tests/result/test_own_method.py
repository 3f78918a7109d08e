"""A method of the user's is given to `solve` like any other."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from builders import random_nodes

from piscm import (
    PISC3,
    Box,
    Condition,
    NotConverged,
    Problem,
    ProblemError,
    Sampling,
    Status,
    coordinates,
    field,
    solve,
)
from piscm.assemble.assembly import Assembly
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.fit.residuals import block_residuals
from piscm.network.network import Network
from piscm.result.history import history_of
from piscm.result.method import Method, Outcome

x = coordinates("x")
u = field("u", x)
PROBLEM = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + u], [Condition(u - x, on="boundary")])
PLACES = np.linspace(0, 1, 20)
EXACT = np.sin(PLACES) / np.sin(1)


@dataclass(frozen=True)
class OneSolve(Method):
    """Random nodes and NumPy's least squares; linear problems only."""

    nodes: int = 15
    tolerance: float = 0.0

    def check(self, problem):
        if len(problem.fields) > 1:
            raise ProblemError("OneSolve knows one field.")

    def run(self, request):
        problem, sampling = request.problem, request.sampling or Sampling(100)
        part = Part.whole(problem)
        fitted_rng, fresh_rng = request.rng.spawn(2)
        points = draw_points(problem.domain, part.blocks, sampling, fitted_rng)
        system = Assembly(part, points, request.weights, request.start).system("tanh")
        nodes = random_nodes(self.nodes, problem.domain.dimension, request.rng, scale=2.0)
        design = system.evaluate(nodes).at(system.linearize(system.start()))[:, 0]
        weights = np.linalg.lstsq(design.T, -system.start().residual, rcond=None)[0]
        residual = float(np.linalg.norm(weights @ design + system.start().residual))
        network = Network(problem, request.start, "tanh", nodes, weights[:, None], np.zeros(0))
        with request.reporting(self.nodes) as report:
            report(self.nodes, residual)
        fitted = [(network, block, own) for block, own in zip(part.blocks, points, strict=True)]
        status = Status.CONVERGED if residual <= self.tolerance else Status.NODE_LIMIT
        table, status = block_residuals(network, part, fitted, sampling, fresh_rng, status)
        return Outcome(
            model=network,
            status=status,
            residual=residual,
            block_residuals=table,
            history=history_of([residual], [0.0]),
            sampling=sampling,
        )

    @property
    def records_iterations(self):
        return True


def test_it_solves():
    told = []
    solution = solve(PROBLEM, OneSolve(), progress=lambda *values: told.append(values))
    np.testing.assert_allclose(solution(x=PLACES), EXACT, atol=1e-5)
    assert told == [(15, solution.fitted_residual)]
    assert "by OneSolve: 15 nodes" in repr(solution)
    assert solution.status is Status.NODE_LIMIT
    assert solution.error_estimate.relative < 1e-3
    assert [block.held_out is None for block in solution.block_residuals] == [False, True]


def test_tol_throw_weights_start_and_seed_reach_it():
    assert solve(PROBLEM, OneSolve(), tol=1e-2).status is Status.CONVERGED
    with pytest.raises(NotConverged):
        solve(PROBLEM, OneSolve(), throw=True)
    one, again, other = (solve(PROBLEM, OneSolve(), seed=seed) for seed in (1, 1, 2))
    assert one.network.weights.tobytes() == again.network.weights.tobytes()
    assert one.fitted_residual != other.fitted_residual
    few = OneSolve(nodes=3)  # so that not all rows can be met
    heavy = solve(PROBLEM, few, weights={"conditions": 1e6})
    assert heavy.block_residuals[1].fitted < solve(PROBLEM, few).block_residuals[1].fitted
    started = solve(PROBLEM, OneSolve(nodes=2), initial={u: x})
    assert started.network.start.expressions == {0: x}


def test_its_check_comes_before_any_work():
    v = field("v", x)
    two = Problem(PROBLEM.domain, [u.diff(x) - v, v.diff(x) + u], [Condition(u - 1, on={x: 0})])
    with pytest.raises(ProblemError, match="one field"):
        solve(two, OneSolve())


@dataclass(frozen=True)
class BestOf(Method):
    """Another method with several seeds, the best of which is kept."""

    method: Method
    runs: int = 3

    def check(self, problem):
        self.method.check(problem)

    def run(self, request):
        every = [self.method.run(replace(request, rng=rng)) for rng in request.rng.spawn(self.runs)]
        return min(every, key=lambda outcome: outcome.residual)


def test_a_method_made_of_methods():
    each = PISC3(max_nodes=10, candidates=10)
    solution = solve(PROBLEM, BestOf(each, 4), sampling=Sampling(50))
    alone = [solve(PROBLEM, each, sampling=Sampling(50), seed=seed) for seed in range(3)]
    assert solution.fitted_residual <= np.median([one.fitted_residual for one in alone])
    np.testing.assert_allclose(solution(x=PLACES), EXACT, atol=1e-2)


def test_tol_for_a_method_that_has_no_tolerance_is_told():
    with pytest.raises(ProblemError, match="tol"):
        solve(PROBLEM, BestOf(PISC3()), tol=1e-3)


def test_what_is_no_method_is_told():
    with pytest.raises(ProblemError, match="The method is"):
        solve(PROBLEM, object())
