"""Patches against exact solutions, against dense least squares, and what they promise."""

import pickle
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import sympy

import piscm
from piscm import Box, Condition, Observations, Patches, Periodic, Problem, Sampling, solve
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.fit.members import Member
from piscm.inference.singular_places import singular_places
from piscm.network.start import Start
from piscm.patches.asked import Asked
from piscm.patches.close_points import close_points
from piscm.patches.coupled import Coupled
from piscm.patches.cutting import cut_problem
from piscm.patches.grid import Grid, even_edges
from piscm.patches.levels import Level, Resolution, most_nodes
from piscm.patches.local import Current, _rows
from piscm.patches.patch import UNKNOWNS, slabs
from piscm.patches.run import run_patches
from piscm.patches.search import Search
from piscm.patches.workshop import Workshop
from piscm.result.method import Request

x, y, t = piscm.coordinates("x y t")
u, v, w = piscm.field("u", x), piscm.field("v", x, y), piscm.field("w", x, t)
EVEN = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}


def wave(periods):
    k = 2 * np.pi * (periods + 0.1)
    exact = sympy.sin(k * x + 0.4)
    ends = [Condition(u - exact, on={x: 0}), Condition(u - exact, on={x: 1})]
    return Problem(Box({x: (0, 1)}), [u.diff(x, 2) + k**2 * u], ends), sympy.lambdify(x, exact)


def helmholtz(k=9.3):
    exact = sympy.sin(k * (0.6 * x + 0.8 * y))
    equation = v.diff(x, 2) + v.diff(y, 2) + k**2 * v
    box = Box({x: (0, 1), y: (0, 1)})
    return Problem(box, [equation], [Condition(v - exact, on="boundary")]), exact


def error(solution, exact, **at):
    found, true = solution(**at), exact
    return np.sqrt(np.mean((found - true) ** 2) / np.mean(true**2))


@pytest.mark.parametrize("seed", [0, 1])
def test_many_periods(seed):
    problem, exact = wave(30)
    solution = solve(problem, Patches(30), tol=1e-8, seed=seed)
    at = np.linspace(0, 1, 1001)
    assert solution.status.ok
    true = error(solution, exact(at), x=at)
    assert true < 1e-8
    assert true < 3 * solution.error_estimate.relative


def test_chooses_its_patches():
    problem, exact = wave(100)  # more than the four it begins with can hold
    solution = solve(problem, Patches(), tol=1e-6)
    at = np.linspace(0, 1, 1001)
    assert solution.status.ok
    assert len(solution.network.tiles.counts) > 4
    assert error(solution, exact(at), x=at) < 1e-6


def _trials(problem, *levels):
    workshop = Workshop(Part.whole(problem), Start(problem), EVEN, "sin", None, 0)
    edges = even_edges(problem.domain, (6,))
    return [workshop.trial(Level(edges, nodes), None, turn=turn) for nodes, turn in levels]


def test_an_estimate_is_not_lowered_by_worse_trials():
    problem, _ = wave(6)
    worst, worse, better, best = _trials(problem, (9, 0), (11, 0), (13, 0), (17, 0))
    assert best.error < better.error < worse.error < worst.error
    alone = best.among([better])
    assert best.among([worst, better, worse]).estimate == alone.estimate < np.inf
    assert best.among([worst, worse]).estimate > alone.estimate
    assert better.among([best]).estimate == np.inf  # what is better says nothing of the error


@pytest.mark.parametrize("key", [1, 2])
def test_an_estimate_that_a_twin_confirms_is_near_the_error(key):
    problem, exact = wave(6.0 + 0.1 * key)
    coarse, first, second = _trials(problem, (12, 0), (15, key), (15, key + 2))
    best, twin = sorted((first, second), key=lambda own: own.error)
    found = best.among([coarse, twin])
    at = np.linspace(0, 1, 500)[:, None]
    values = found.model.value(found.model.compile(u), at)
    true = np.sqrt(np.mean((values - exact(at[:, 0])) ** 2) / np.mean(exact(at[:, 0]) ** 2))
    assert true / 3 < found.estimate < 10 * true
    assert best.among([coarse]).estimate > found.estimate


def test_one_twin_is_believed_less_than_two():
    search = Search.__new__(Search)
    search._asked, search._confirmed = Asked(tolerance=1e-5), True

    def met(twins, estimate, hidden=0.0):
        search.best = SimpleNamespace(twins=twins, estimate=estimate, hidden=lambda _: hidden)
        return search._met

    assert not met((), 1e-9)
    assert met(("one",), 0.9e-6)
    assert not met(("one",), 2e-6)
    assert met(("one", "two"), 2e-6)
    assert not met(("one", "two"), 2e-6, hidden=2e-5)


def test_a_level_has_no_more_nodes_than_seem_to_be_needed():
    search = Search.__new__(Search)
    search._asked = Asked(tolerance=1e-5)
    search.best = SimpleNamespace(twins=(), hoped=1e-3)
    assert search._growth([1e-3]) == search._growth([1e-3, 1e-4]) == pytest.approx(2**0.5)
    search.best = SimpleNamespace(twins=("one",), hoped=1e-9, estimate=6e-6)  # just missed
    assert 1.0 < search._growth([1e-5, 1e-7]) < 1.2
    assert search._growth([1e-5, 2e-5]) == pytest.approx(2**0.5)  # nothing is to be expected


def test_waves_that_fade_where_they_are_not_resolved_are_resolved():
    k = 2 * sympy.pi * 50
    begins = [Condition(u, on={x: 0}), Condition(u.diff(x) / k - 1, on={x: 0})]
    problem = Problem(Box({x: (0, 1)}), [u.diff(x, 2) / k**2 + u], begins)
    solution = solve(problem, Patches(), tol=1e-6)
    at = np.linspace(0, 1, 1001)
    assert solution.status.ok
    assert error(solution, np.sin(2 * np.pi * 50 * at), x=at) < 1e-6


def _cutting(problem, shape, nodes=30, terms=6, seed=0):
    grid = Grid.even(problem.domain, shape)
    count, dimension = len(grid), problem.domain.dimension
    member = Member("sin", (3.0,) * dimension)
    chosen = Resolution(member, (nodes,) * count, terms, (2 * nodes,) * count, 10)
    rng = np.random.default_rng(seed)
    return cut_problem(Part.whole(problem), grid, chosen, Start(problem), EVEN, rng)


def _dense(cutting):
    """All rows of all patches in one matrix, weights first; the right-hand side is last."""
    groups = [group for group in cutting.sizes]
    width = sum(len(patch.nodes) for patch in cutting.patches)
    firsts, at = {}, width
    for group in groups:
        firsts[group] = at
        at += cutting.sizes[group]
    rows, first = [], 0
    unknowns = np.array(list(cutting.common.problem.unknowns.values()), dtype=float)
    for patch in cutting.patches:
        sizes = {group: cutting.sizes[group] for group in patch.groups}
        (slab,) = slabs(cutting.common, patch, sizes)
        own = _rows(cutting.common, patch, slab, Current(None, unknowns), ())
        part, nodes = np.zeros((len(own), at + 1)), len(patch.nodes)
        part[:, first : first + nodes] = own[:, :nodes]
        column = nodes
        for group in patch.groups:
            place = firsts[group]
            part[:, place : place + sizes[group]] = own[:, column : column + sizes[group]]
            column += sizes[group]
        part[:, -1] = own[:, -1]
        rows.append(part)
        first += nodes
    return np.concatenate(rows)


@pytest.mark.parametrize("shape", [(3, 2), (1, 4)])
def test_as_dense_least_squares(shape):
    problem, _ = helmholtz(4.0)
    cutting = _cutting(problem, shape)
    coupled = Coupled(cutting)
    solved = coupled.solve(1)
    matrix = _dense(cutting)
    scales = np.linalg.norm(matrix[:, :-1], axis=0)
    found, *_ = np.linalg.lstsq(matrix[:, :-1] / scales, matrix[:, -1], rcond=1e-13)
    left = np.linalg.norm(matrix[:, :-1] @ (found / scales) - matrix[:, -1])
    assert np.sqrt(solved.energy) == pytest.approx(left, rel=1e-6)
    nodes = sum(len(patch.nodes) for patch in cutting.patches)
    dense = coupled.patchwork(
        dict(enumerate(np.split((found / scales)[:nodes, None], len(cutting.patches)))),
        np.zeros(0),
    )
    mine = coupled.patchwork(solved.weights, solved.unknowns)
    points = np.random.default_rng(1).random((200, 2))
    values = [model.value(model.compile(v), points) for model in (dense, mine)]
    np.testing.assert_allclose(*values, atol=1e-7)


def test_rows_in_slabs_give_the_same(monkeypatch):
    problem, _ = helmholtz(4.0)
    coupled = Coupled(_cutting(problem, (2, 2)))
    whole = coupled.solve(1)
    monkeypatch.setattr("piscm.patches.patch.ROWS_AT_ONCE", 50)
    parts = coupled.solve(1)
    assert parts.energy == pytest.approx(whole.energy, rel=1e-6)


def test_periodic_ends_in_different_patches():
    problem = Problem(
        Box({x: (0, 1), t: (0, 0.1)}),
        [w.diff(t) - w.diff(x, 2)],
        [
            Periodic(w, along=x),
            Periodic(w.diff(x), along=x),
            Condition(w - sympy.sin(2 * sympy.pi * x), on={t: 0}),
        ],
    )
    solution = solve(problem, Patches({x: 3, t: 1}), tol=1e-5)
    at, time = np.random.default_rng(0).random((2, 300)) * [[1.0], [0.1]]
    exact = np.exp(-4 * np.pi**2 * time) * np.sin(2 * np.pi * at)
    assert solution.status.ok
    assert error(solution, exact, x=at, t=time) < 1e-5


def test_nonlinear_with_an_unknown_and_data():
    mu = piscm.unknown("mu")
    points = np.linspace(0.1, 2.9, 15)[:, None]
    problem = Problem(
        Box({x: (0, 3)}),
        [u.diff(x) + mu * u**2],
        [Condition(u - 1, on={x: 0})],
        unknowns={mu: 0.3},
        observations=[Observations(u, points=points, values=1 / (1 + 0.7 * points[:, 0]))],
    )
    solution = solve(problem, Patches(4), tol=1e-6)
    assert solution.unknowns["mu"].value == pytest.approx(0.7, rel=1e-6)
    at = np.linspace(0, 3, 100)
    assert error(solution, 1 / (1 + 0.7 * at), x=at) < 1e-6


def test_gauss_newton_never_raises_the_residual():
    problem = Problem(
        Box({x: (0, 1)}), [u.diff(x, 2) + sympy.exp(u)], [Condition(u, on="boundary")]
    )
    coupled = Coupled(_cutting(problem, (3,), nodes=16, terms=1))
    energies = [coupled.solve(steps).energy for steps in range(4)]
    assert energies[0] > 0
    assert all(after <= before for before, after in pairwise(energies))
    assert energies[-1] < 1e-12 * energies[0]


def test_patches_of_a_shape_leave_out_what_it_does_not_meet():
    shape = piscm.Polygon((x, y), [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    exact = sympy.exp(x) * sympy.sin(y)
    problem = Problem(shape, [v.diff(x, 2) + v.diff(y, 2)], [Condition(v - exact, on="boundary")])
    solution = solve(problem, Patches({x: 2, y: 2}), tol=1e-4)
    assert len(solution.network.tiles.counts) == 3
    points = np.random.default_rng(0).random((400, 2)) * 2
    points = points[shape.contains(points)]
    true = np.exp(points[:, 0]) * np.sin(points[:, 1])
    assert solution.status.ok
    assert error(solution, true, x=points[:, 0], y=points[:, 1]) < 1e-4


def reentrant(exponent):
    """Laplace's equation on an L whose solution is a power of the distance to its corner."""
    shape = piscm.Rectangle({x: (-1, 1), y: (-1, 1)}) - piscm.Rectangle({x: (0, 2), y: (0, 2)})
    # The angle from the side along x on, without a jump inside of the shape.
    angle = sympy.atan2(y - x, -x - y) + 3 * sympy.pi / 4
    exact = (x**2 + y**2) ** (exponent / 2) * sympy.sin(exponent * angle)
    return Problem(shape, [v.diff(x, 2) + v.diff(y, 2)], [Condition(v - exact, on="boundary")])


def test_a_gradient_that_is_infinite_at_a_corner_is_not_ok():
    few = piscm.PISC3(max_nodes=70)
    smooth, singular = (
        solve(reentrant(sympy.Rational(*power)), Patches(16, method=few), tol=tol)
        for power, tol in (((2, 1), 1e-3), ((2, 3), 0.1))
    )
    assert smooth.status.ok
    assert not singular.status.ok
    assert singular.error_estimate.relative > 0.1


def test_points_move_towards_reentrant_corners():
    problem = reentrant(2)
    blocks, rng = Part.whole(problem).blocks, np.random.default_rng(0)
    points = draw_points(problem.domain, blocks, Sampling(400), rng)
    close = close_points(points, problem.domain, singular_places(problem), rng)
    assert np.array_equal(close[1][0].points, points[1][0].points)  # these stay on the boundary
    inside = close[0][0].points
    assert problem.domain.contains(inside).all()
    assert (inside == points[0][0].points).all(axis=1).sum() == 200
    assert np.linalg.norm(inside, axis=1).min() < 1e-3
    disk = piscm.Disk({x: 0, y: 0}, 1.0)
    assert close_points(points, disk, [], rng) is points


@pytest.mark.filterwarnings("ignore::piscm.problem.errors.IllPosedWarning")
@pytest.mark.parametrize("source", [0, 1])
def test_what_is_not_determined_is_never_ok(source):
    free = Problem(Box({x: (0, 1)}), [u.diff(x, 2) - source], [Condition(u, on={x: 0})])
    solution = solve(free, Patches(4), tol=1e-3)
    assert solution.status is piscm.Status.UNDETERMINED
    assert solution.error_estimate.relative == np.inf


def test_a_layer_that_is_missed_is_not_ok():
    layer = Problem(
        Box({x: (0, 1)}),
        [-1e-5 * u.diff(x, 2) + u.diff(x) - 1],
        [Condition(u, on="boundary")],
    )
    assert not solve(layer, Patches(4), tol=1e-4).status.ok


def test_saved_loaded_pickled_and_repeated(tmp_path):
    problem, _ = wave(5)
    solution = solve(problem, Patches(6), tol=1e-6, seed=3)
    at = np.linspace(0, 1, 50)
    solution.save(tmp_path / "wave.npz")
    for other in (
        piscm.load(tmp_path / "wave.npz"),
        pickle.loads(pickle.dumps(solution)),
        solve(problem, Patches(6), tol=1e-6, seed=3),
    ):
        assert np.array_equal(other(x=at), solution(x=at))
        assert other.status is solution.status
        assert other.method == solution.method
    assert "6 patches" in solution.method.chosen(solution.network)


def test_options_that_make_no_sense():
    for count in (0, -1, 2.5, "many", {x: 0}):
        with pytest.raises(piscm.ProblemError, match="Patches"):
            Patches(count)
    with pytest.raises(piscm.ProblemError, match="method"):
        Patches(4, method="auto")
    problem, _ = wave(2)
    with pytest.raises(piscm.ProblemError, match="not a coordinate"):
        solve(problem, Patches({y: 2}))
    with pytest.raises(piscm.ProblemError, match="names 'x'"):
        Patches({"x": 3})
    with pytest.raises(piscm.ProblemError, match="scale"):
        solve(problem, Patches(2, method=piscm.PISC3(scale=[1.0, 2.0])))


def test_a_few_patches_on_a_line_may_have_many_nodes():
    assert most_nodes((50,)) == 400
    assert most_nodes((51,)) == 64  # many large ones take long where nothing helps
    assert most_nodes((8, 8)) == 400


def test_an_inner_layer_is_resolved_by_more_nodes_than_halving_has():
    layer = 1e-6 * u.diff(x, 2) + 2 * x * u.diff(x)
    ends = [Condition(u + 1, on={x: -1}), Condition(u - 1, on={x: 1})]
    problem = Problem(Box({x: (-1, 1)}), [layer], ends)
    request = Request(problem, None, EVEN, Start(problem), np.random.default_rng(0))
    assert run_patches(request, Asked(1e-4)).status.ok


def test_integrals_are_refused_before_any_work():
    box = Box({x: (0, 1)})
    problem = Problem(
        box,
        [u.diff(x, 2) + 1],
        [Condition(u.diff(x), on={x: 0}), Condition(piscm.integral(u, over=box))],
    )
    with pytest.raises(piscm.ProblemError, match="integral"):
        solve(problem, Patches(4))


def test_unknowns_are_a_group_of_all_patches():
    mu = piscm.unknown("mu")
    problem = Problem(
        Box({x: (0, 1)}),
        [u.diff(x) - mu],
        [Condition(u, on={x: 0}), Condition(u - 2, on={x: 1})],
        unknowns={mu: 1.0},
    )
    cutting = _cutting(problem, (3,), nodes=10, terms=1)
    assert cutting.holders[UNKNOWNS] == frozenset(range(3))
    assert Coupled(cutting).solve(5).unknowns[0] == pytest.approx(2.0, rel=1e-4)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("count", [2, 4])
def test_what_contradicts_itself_is_not_solved(seed, count):
    equations = [u.diff(x, 2) + 1, u.diff(x, 2) + 1.0003]
    problem = Problem(Box({x: (0, 1)}), equations, [Condition(u, on="boundary")])
    solution = solve(problem, Patches({x: count}), tol=1e-6, seed=seed)
    assert not solution.status.ok
    assert solution.error_estimate.relative > 3e-5
