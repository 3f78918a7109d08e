"""One-shot networks: their members, their fits, and the portfolio of `Auto`."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pytest
import sympy
from threadpoolctl import threadpool_limits

from piscm import (
    PISC3,
    Auto,
    Box,
    Condition,
    Problem,
    Sampling,
    coordinates,
    field,
    load,
    solve,
    zoo,
)
from piscm.assemble.grading import graded, measuring
from piscm.assemble.sites import Points, Site
from piscm.assemble.weighting import EVEN
from piscm.fit import side_by_side as side_by_side_module
from piscm.fit.grow_on import grow_on
from piscm.fit.members import NEARER, Member
from piscm.fit.one_shot import Guide, fit_weights
from piscm.fit.piece import task_for
from piscm.fit.portfolio import Portfolio
from piscm.fit.portfolio_policy import PortfolioPolicy
from piscm.fit.side_by_side import side_by_side
from piscm.fit.trial import Making
from piscm.fit.trials import Laboratory
from piscm.network.start import Start
from piscm.problem.place import Leg
from piscm.result.status import Status
from piscm.zoo import layers


@pytest.fixture(autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield


def laboratory(problem, seed=0):
    rng = np.random.default_rng(seed)
    return Laboratory(task_for(problem, None, Start(problem), EVEN, rng), None, rng)


def portfolio(problem, tolerance, seed=0, **options):
    rng = np.random.default_rng(seed)
    task = task_for(problem, None, Start(problem), EVEN, rng)
    kinds = ("sin", "tanh", "gaussian")
    counts = []
    run = Portfolio(task, tolerance, kinds, rng, lambda n, _: counts.append(n), **options)
    return run.run(), counts


def pendulum():
    x = coordinates("x")
    u = field("u", x)
    exact = sympy.sin(2 * x) / 2
    equation = u.diff(x, 2) + sympy.sin(u) - exact.diff(x, 2) - sympy.sin(exact)
    ends = [Condition(u - exact.subs(x, end), on={x: end}) for end in (0, 2)]
    return Problem(Box({x: (0, 2)}), [equation], ends), exact


def test_members_share_their_random_numbers():
    box = zoo.load("helmholtz").problem.domain
    member = Member("sin", (4.0, 4.0))
    wide = member.scaled(1, 2.0).draw(50, box, np.random.default_rng(0))
    nodes = member.draw(50, box, np.random.default_rng(0))
    np.testing.assert_allclose(wide.weights, nodes.weights * [1.0, 2.0])
    assert np.abs(nodes.weights * box.width / 2).max() <= 4.0
    assert [own.scales for own in member.finer] == [pytest.approx((4 * np.sqrt(2),) * 2)]
    assert str(member) == "sin of scale 4 × 4"


def test_points_that_see_no_source_at_all_judge_a_trial():
    x, y = coordinates("x y")
    u = field("u", x, y)
    still = [u.diff(x, 2) + u.diff(y, 2)], [Condition(u, on="boundary")]
    lab = laboratory(Problem(Box({x: (0, 1), y: (0, 1)}), *still))
    trial = lab.trial(Member("sin", (2.0, 2.0)), Making(10, None, False, 5))
    assert trial.level.size == 0
    assert lab.near_faces(trial).held_out == 0
    moved = replace(trial.network, weights=trial.network.weights + 1)
    assert lab.near_faces(replace(trial, network=moved)).held_out > 1e100


def test_no_node_is_steeper_than_the_points_can_see():
    box = layers.convection().problem.domain
    nearest = 1e-4
    nodes = Member("tanh", (1.0,), nearest).draw(500, box, np.random.default_rng(0))
    steepest = np.abs(nodes.weights).max() * box.width[0] / 2
    assert 100 < steepest < 2 / (NEARER * nearest)


def test_a_member_with_layers_can_be_changed_in_every_way():
    member = Member("tanh", (1.0, 0.5), 1e-3)
    changed = [change(member) for changes in member.changes for change in changes]
    assert Member("gaussian", (1.0, 0.5), 1e-3) in changed
    assert {own.nearest for own in changed} == {1e-3, 1e-4, 1e-2}
    assert {own.scales for own in changed} == {(1.0, 0.5), (0.5, 0.5), (2.0, 0.5), (1.0, 1.0)}
    assert sum(len(own.faces) == 3 for own in changed) == 4
    only = Member("tanh", (1.0, 1.0), 1e-3, ((0, 1),))
    assert only.toggled((0, 1)) == only
    assert only.toggled((1, -1)).faces == ((0, 1), (1, -1))
    assert only.toggled((1, -1)).toggled((0, 1)).faces == ((1, -1),)
    nodes = only.draw(200, Box({x: (0, 1) for x in coordinates("x y")}), np.random.default_rng(0))
    steep = np.abs(nodes.weights) > 5
    assert steep[:, 0].sum() > 100
    assert not steep[:, 1].any()


def test_a_linear_fit_is_least_squares():
    lab = laboratory(zoo.load("helmholtz").problem)
    trial = lab.trial(Member("sin", (4.0, 12.0)), Making(60, None, False, 5))
    design = trial.columns.still.reshape(60, -1)
    expected = np.linalg.lstsq(design.T, -trial.system.start().residual, rcond=None)[0]
    np.testing.assert_allclose(trial.state.weights[:, 0], expected, rtol=1e-6, atol=1e-9)


def test_a_guide_with_other_nodes_leads_to_the_same_solution():
    problem, exact = pendulum()
    lab = laboratory(problem)
    guide = lab.trial(Member("sin", (4.0,)), Making(30, None, False, 12))
    alone = lab.trial(Member("tanh", (2.0,)), Making(30, None, False, 12))
    led = lab.trial(Member("tanh", (2.0,)), Making(30, guide, False, 2))
    assert led.error == pytest.approx(alone.error, rel=0.1)
    assert led.beside(guide).estimate < np.inf or guide.error < led.error
    start = Guide.of(guide.system, guide.columns, guide.state)
    _, solved = fit_weights(led.system, led.columns, start, 12)
    _, from_zero = fit_weights(led.system, led.columns, None, 12)
    assert solved < from_zero
    x = np.linspace(0, 2, 50)
    found = alone.network.value(alone.network.compile(problem.fields[0]), x[:, None])
    true = np.sin(2 * x) / 2
    assert np.abs(found - true).max() < 1e-6
    assert exact is not None


def test_a_node_that_overflows_gets_no_weight():
    problem, _ = pendulum()
    lab = laboratory(problem)
    member = Member("sin", (1e200,))
    with np.errstate(all="ignore"):  # as in `solve`
        trial = lab.trial(member, Making(20, None, False, 2))
    assert np.isfinite(trial.state.weights).all()


def test_points_are_near_the_faces_with_layers():
    box = layers.convection_2d().problem.domain
    rng = np.random.default_rng(0)
    even = Points((Site((Leg(rng.random((800, 2))),)),), (0,))
    (leg,) = graded(even, box, 1e-4, rng, ((0, 1),))[0]
    near = 1 - leg.points[:, 0] < 0.01
    assert near.sum() > 100
    (leg,) = graded(even, box, 1e-4, rng)[0]
    moved = (leg.points != even[0][0].points).any(axis=1)
    distances = np.sort(1 - leg.points[moved, 0])
    steps = np.diff(np.log(distances[distances < 0.01]))
    assert 45 < len(steps) < 65
    assert steps.max() < 2.5 * np.log(0.5 / 1e-4) / 100  # a stratum each: no gap of three


def test_means_over_graded_points_are_those_over_the_box():
    box, rng = Box({x: (0, 2) for x in coordinates("x y")}), np.random.default_rng(0)
    points, weights = measuring(2 * rng.random((20000, 2)), box, 1e-8, rng)
    smooth = points[:, 0] * points[:, 1] ** 2
    assert np.mean(weights * smooth) == pytest.approx(4 / 3, rel=0.03)
    layer = np.exp(-(2 - points[:, 0]) / 1e-5)
    assert np.mean(weights * layer) == pytest.approx(0.5e-5, rel=0.15)


def test_nodes_along_few_coordinates():
    at = coordinates("v w x y z")
    box = Box({own: (0, 1) for own in at})
    member = Member("sin", (2.0,) * 5)
    assert [Member.along_few] in member.changes
    assert [Member.along_few] not in Member("sin", (2.0,) * 2).changes
    sparse = member.along_few()
    assert str(sparse).endswith("along few coordinates each")
    all_of_them, few = (own.draw(400, box, np.random.default_rng(0)) for own in (member, sparse))
    ratio = np.abs(few.weights / all_of_them.weights)
    assert set(np.unique(ratio.round(6))) == {0.05, 1.0}
    assert 0.4 < np.mean(ratio < 0.5) < 0.6


@pytest.mark.parametrize("name", ["poisson-5d", "poisson-10d"])
def test_a_sum_over_many_coordinates_is_found_with_few_nodes(name):
    benchmark = zoo.load(name)
    found, _ = portfolio(benchmark.problem, 1e-4)
    assert found.met
    network = found.piece.network
    assert benchmark.relative_error(lambda item, **at: network.values(item, _points(at))) < 1e-4
    assert found.member.sparse
    assert len(found.piece.network.nodes) <= 600


def _points(at):
    return np.stack(list(at.values()), axis=1)


def test_of_very_many_coordinates_nodes_depend_on_few_or_all():
    box = Box({s: (0, 1) for s in coordinates("a b c d e f g h")})
    nodes = Member("sin", (2.0,) * 8, sparse=True).draw(400, box, np.random.default_rng(0))
    depends = np.count_nonzero(nodes.weights, axis=1)
    assert set(depends) == {1, 2, 3, 8}


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as pool:
        yield pool


@pytest.mark.parametrize("make", [lambda: zoo.load("poisson-3d").problem, lambda: pendulum()[0]])
@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_trials_side_by_side_give_the_same_bits(make, kind, request, monkeypatch):
    monkeypatch.setattr(side_by_side_module, "_WORTH", 0.0)  # small ones travel as well
    found, _ = portfolio(make(), 1e-5)
    with ThreadPoolExecutor(2) as threads:
        pool = threads if kind == "threads" else request.getfixturevalue("processes")
        other, _ = portfolio(make(), 1e-5, makes=side_by_side(pool))
    assert found.member == other.member
    np.testing.assert_array_equal(found.piece.network.weights, other.piece.network.weights)
    np.testing.assert_array_equal(
        found.piece.fit.refined.state.residual, other.piece.fit.refined.state.residual
    )
    assert found.piece.tried == other.piece.tried
    assert found.piece.estimate == other.piece.estimate


def test_solve_takes_an_executor(processes, monkeypatch):
    monkeypatch.setattr(side_by_side_module, "_WORTH", 0.0)
    problem = zoo.load("helmholtz").problem
    alone = solve(problem, tol=1e-3)
    beside = solve(problem, tol=1e-3, executor=processes)
    np.testing.assert_array_equal(alone.network.weights, beside.network.weights)
    assert alone.tried == beside.tried


def test_small_trials_stay_at_home(monkeypatch):
    class Nobody(ThreadPoolExecutor):
        def submit(self, *given, **options):
            raise AssertionError

    with Nobody(1) as pool:
        found, _ = portfolio(pendulum()[0], 1e-5, makes=side_by_side(pool))
    assert found.met


def _error_near_faces(benchmark, value):
    """The relative error where a portfolio looks for layers: half of the points near the ends."""
    near = np.geomspace(1e-8, 0.5, 500)
    x = np.concatenate([near, 1 - near, np.linspace(0, 1, 1000)])
    true = benchmark.reference(x=x)
    missed = value(benchmark.problem.fields[0], x=x) - true
    return np.sqrt(np.mean(missed**2) / np.mean(true**2))


@pytest.mark.parametrize("name", ["poisson-3d", "helmholtz", "boundary-layer"])
def test_tolerances_are_met_in_order(name):
    """A looser tolerance never takes longer, a tighter one never ends with more error."""
    benchmark = zoo.load(name)
    efforts, errors = [], []
    for tolerance in (1e-2, 1e-4, 1e-6):
        found, counts = portfolio(benchmark.problem, tolerance)
        network = found.piece.network
        assert found.met
        assert found.piece.status is Status.CONVERGED
        efforts.append(counts)

        def value(item, network=network, **at):
            return network.value(network.compile(item), np.stack(list(at.values()), axis=-1))

        errors.append(benchmark.relative_error(value))
        assert errors[-1] < tolerance
        seen = errors[-1] if found.member.nearest is None else _error_near_faces(benchmark, value)
        assert found.piece.estimate < 30 * max(seen, 1e-12)
    for earlier, later in pairwise(efforts):
        assert later[: len(earlier)] == earlier  # the same trials, and more of them
    assert sorted(errors, reverse=True) == errors


def test_the_same_seed_gives_the_same_bits_and_another_one_others():
    problem = zoo.load("helmholtz").problem
    first, again, other = (
        solve(problem, tol=1e-4, seed=seed, progress=False) for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first.network.weights, again.network.weights)
    assert first.network.weights.shape != other.network.weights.shape or not np.array_equal(
        first.network.weights, other.network.weights
    )


def test_the_summary_says_what_was_tried(tmp_path):
    solution = solve(zoo.load("poisson-3d").problem, tol=1e-3, progress=False)
    assert solution.status is Status.CONVERGED
    assert any(note.startswith("150 sin of scale") for note in solution.tried)
    assert "tried before: 150 sin" in repr(solution)
    solution.save(tmp_path / "it.npz")
    assert load(tmp_path / "it.npz").tried == solution.tried


def test_points_and_limits_of_the_user_are_kept():
    problem = zoo.load("poisson-3d").problem
    solution = solve(problem, tol=1e-3, sampling=Sampling(700, 300), progress=False)
    assert [block.rows for block in solution.block_residuals] == [700, 300]
    assert solution.status is Status.CONVERGED
    short = solve(problem, Auto(tolerance=1e-9, max_seconds=1e-3), progress=False)
    assert short.status is Status.TIME_LIMIT
    few = solve(problem, Auto(tolerance=1e-12, max_nodes=20, activation="sin"), progress=False)
    assert few.n_nodes <= 200


def test_growth_that_found_no_node_is_judged_too():
    problem = zoo.load("boundary-layer").problem
    lab = laboratory(problem)
    network = lab.trial(Member("sin", (4.0,)), Making(10, None, False, 2)).network
    none = replace(network, nodes=network.nodes.some([]), weights=network.weights[:0])
    assert lab.error_near_faces(none) > 0.5


def test_nothing_to_find():
    x = coordinates("x")
    u = field("u", x)
    ends = [Condition(u, on={x: end}) for end in (0, 1)]
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) + u], ends)
    assert portfolio(problem, 1e-6)[0] is None


def slanted_layer(width):
    """A step across a square that is parallel to no face."""
    x, y = coordinates("x y")
    u, step = field("u", x, y), sympy.tanh((x - y / 2 - sympy.Rational(1, 4)) / width)
    problem = Problem(
        Box({x: (0, 1), y: (0, 1)}),
        [u.diff(x, 2) + u.diff(y, 2) - step.diff(x, 2) - step.diff(y, 2)],
        [Condition(u - step, on="boundary")],
    )
    return problem, sympy.lambdify([x, y], step)


def test_slanted_layers_are_found_by_growth():
    problem, step = slanted_layer(0.05)
    solution = solve(problem, tol=1e-3)
    x, y = np.random.default_rng(1).random((2, 2000))
    assert solution.status.ok
    assert np.linalg.norm(solution(x=x, y=y) - step(x, y)) < 1e-3 * np.linalg.norm(step(x, y))


def test_ctrl_c_keeps_the_best(monkeypatch):
    problem = zoo.load("poisson-3d").problem
    made = []
    trial = Laboratory.trial

    def interrupted(self, *given, **options):
        made.append(1)
        if len(made) == 8:
            raise KeyboardInterrupt
        return trial(self, *given, **options)

    monkeypatch.setattr(Laboratory, "trial", interrupted)
    found, counts = portfolio(problem, 1e-9)
    assert found.piece.status is Status.INTERRUPTED
    assert len(counts) == 7


def test_growth_goes_on_where_one_shot_stalls():
    problem = zoo.load("helmholtz").problem
    rng = np.random.default_rng(0)
    task = task_for(problem, None, Start(problem), EVEN, rng)
    policy = PortfolioPolicy(rounds=1, columns=150, learnt=1.0)
    run = Portfolio(task, 1e-6, ("sin",), rng, lambda *_: None, policy=policy)
    found = run.run()
    assert not found.met
    method = PISC3(selection="orthogonal", activation="sin", max_nodes=400, tolerance=1e-6)
    piece = grow_on(found, run.lab, method, rng, lambda *_: None)
    assert piece.status is Status.CONVERGED
    assert piece.error <= 1e-6 < 0.01 * found.piece.error
    first = len(found.piece.network.nodes)
    np.testing.assert_array_equal(
        piece.network.nodes.weights[:first], found.piece.network.nodes.weights
    )


def test_an_estimate_is_confirmed_by_a_better_trial():
    lab = laboratory(zoo.load("helmholtz").problem)
    member = Member("sin", (8.0, 16.0))
    trials = []
    for count in (100, 200, 300):
        (trial,) = (lab.trial(member, Making(count, None, False, 1)),)
        trials.append(trial.beside(trials[-1]) if trials else trial)
    first, second, third = trials
    assert first.estimate == np.inf
    assert not second.confirmed  # there was no estimate to confirm
    assert third.confirmed
    assert third.estimate < second.estimate
    too_sure = replace(second, estimate=second.estimate / 1e3)
    assert not replace(third, estimate=np.inf, confirmed=False).beside(too_sure).confirmed


def test_finer_nodes_that_fit_better_may_miss_a_little_more_elsewhere():
    trial = laboratory(zoo.load("helmholtz").problem).trial(
        Member("sin", (8.0, 8.0)), Making(50, None, False, 1)
    )

    def like(fitted, held_out):
        return replace(trial, fitted=fitted, held_out=held_out)

    coarse = like(3e-6, 9e-6)
    assert like(4e-6, 8e-6).promises_more(coarse)
    assert like(1e-6, 1.6e-5).promises_more(coarse)
    assert not like(2e-6, 1.6e-5).promises_more(coarse)
    assert not like(1e-9, 4e-5).promises_more(coarse)  # anything may be between its points


def test_a_member_far_behind_with_as_many_nodes_gets_no_more():
    rng = np.random.default_rng(0)
    problem = zoo.load("helmholtz").problem
    task = task_for(problem, None, Start(problem), EVEN, rng)
    run = Portfolio(task, 1e-3, ("sin",), rng, lambda n, _: None)
    found = run.run()
    assert found is not None
    trial = replace(run.contest.best, fitted=0.0)
    assert not run._far_behind(replace(trial, held_out=1e-6))
    assert not run._far_behind(replace(trial, held_out=3e-6))
    assert run._far_behind(replace(trial, held_out=5e-6))


def test_a_kind_far_behind_with_as_many_nodes_is_not_tried_with_finer_scales():
    rng = np.random.default_rng(0)
    problem = zoo.load("helmholtz").problem
    task = task_for(problem, None, Start(problem), EVEN, rng)
    run = Portfolio(task, 1e-3, ("sin", "tanh"), rng, lambda n, _: None)
    run.run()
    few, many = (Making(count, None, False, 1) for count in (40, 80))
    steps = run.lab.trial(Member("tanh", (4.0, 8.0)), few)
    for held_out, trials in ((1e-9, 1), (1.0, 3)):  # finer is better here, and finer still not
        waves = replace(run.lab.trial(Member("sin", (8.0, 8.0)), many), held_out=held_out)
        leaders = {"tanh": steps, "sin": replace(waves, fitted=0.0)}
        assert len(list(run._larger("tanh", 80, leaders))) == trials
