"""What a solution answers."""

import time

import numpy as np
import pytest
import sympy

from piscm import (
    PISC1,
    PISC3,
    Box,
    Condition,
    NotConverged,
    Observations,
    Problem,
    ProblemError,
    Sampling,
    Status,
    coordinates,
    field,
    load,
    solve,
    unknown,
)
from piscm.assemble.windows import Part

x, t = coordinates("x t")
u = field("u", x, t)
EXACT = sympy.exp(-t) * sympy.sin(x)
HEAT = Problem(
    Box({x: (0, np.pi), t: (0, 1)}),
    [u.diff(t) - u.diff(x, 2)],
    [Condition(u - sympy.sin(x), on={t: 0}), Condition(u, on=[{x: 0}, {x: sympy.pi}])],
)
SAMPLING = Sampling(interior=200, boundary=40)


@pytest.fixture(scope="module")
def solution():
    return solve(HEAT, PISC3(max_nodes=60, scale=2.0), sampling=SAMPLING)


def test_coordinates_broadcast(solution):
    xs, ts = np.linspace(0, 3, 4), np.linspace(0, 1, 3)
    values = solution(x=xs[:, None], t=ts)
    assert values.shape == (4, 3)
    np.testing.assert_allclose(values, np.exp(-ts) * np.sin(xs)[:, None], atol=1e-4)
    assert solution(x=1, t=0.5).shape == ()


@pytest.mark.parametrize(
    "expression",
    [u.diff(x), u.diff(t), u * u.diff(x, 2) + x, sympy.exp(u) + t, 2 * x, u.diff(x, t)],
)
def test_any_expression(solution, expression):
    point = {"x": 1.2, "t": 0.3}
    exact = expression.subs(u, EXACT).doit().subs({x: 1.2, t: 0.3})
    assert solution(expression, **point) == pytest.approx(float(exact), abs=1e-3)


def test_derivatives_are_slopes_of_the_solution(solution):
    h = 1e-5
    slope = (solution(x=1.0 + h, t=0.4) - solution(x=1.0 - h, t=0.4)) / (2 * h)
    assert solution(u.diff(x), x=1.0, t=0.4) == pytest.approx(slope, abs=1e-8)


def test_many_points_are_evaluated_in_pieces(solution):
    xs = np.linspace(0, 3, 100_000)
    np.testing.assert_allclose(solution(x=xs, t=0.5)[::5000], solution(x=xs[::5000], t=0.5))


def test_residual_is_a_number_and_a_function(solution):
    points = np.random.default_rng(0).random((30, 2))
    by_hand = solution(u.diff(t) - u.diff(x, 2), x=points[:, 0], t=points[:, 1])
    np.testing.assert_allclose(solution.residual(points=points), by_hand, atol=1e-12)
    assert 0 < solution.residual < 1e-3
    assert solution.residual == solution.history.residual[-1]


def test_summary_shows_fitted_and_held_out(solution):
    text = repr(solution)
    assert "held out" in text
    assert "u(x, t) - sin(x) on t = 0" in text
    assert solution.status.value in text


def test_to_xarray(solution):
    array = solution.to_xarray("u", x=[0.0, 1.0, 2.0], t=[0.0, 0.5])
    assert array.dims == ("x", "t")
    assert array.name == "u"
    assert float(array.sel(x=1.0, t=0.5)) == pytest.approx(float(solution(x=1.0, t=0.5)))


def test_history_has_a_record_a_node(solution):
    assert len(solution.history) == solution.n_nodes == 60
    assert set(solution.history.dtype.names) == {
        "residual",
        "range",
        "damping",
        "step",
        "rank",
        "seconds",
        "window",
    }
    assert (solution.history.rank[5:] > 1).all()
    assert set(solution.history.damping) <= set(solution.method.dampings)


def test_tolerance_ends_growth():
    solution = solve(HEAT, PISC3(max_nodes=60, scale=2.0), sampling=SAMPLING, tol=0.05)
    assert solution.status is Status.CONVERGED
    assert solution.residual <= 0.05 < solution.history.residual[-2]


def test_missing_the_tolerance_is_data_unless_asked():
    method = PISC3(max_nodes=3, scale=2.0)
    solution = solve(HEAT, method, sampling=SAMPLING, tol=1e-9)
    assert solution.status is Status.NODE_LIMIT
    with pytest.raises(NotConverged, match="max_nodes") as caught:
        solve(HEAT, method, sampling=SAMPLING, tol=1e-9, throw=True)
    assert caught.value.solution.n_nodes == 3


def test_time_limit_ends_growth(monkeypatch):
    """A clock that growth alone moves: the limit of `solve` replaces that of the method."""
    now = [100.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def progress(nodes, residual):
        now[0] += 0.1

    for options in ({"method": PISC1(max_seconds=0.35)}, {"max_seconds": 0.35}):
        options = {"method": PISC1(max_seconds=10), **options}
        solution = solve(HEAT, sampling=SAMPLING, progress=progress, **options)
        assert solution.status is Status.TIME_LIMIT
        assert solution.n_nodes == 4
        assert np.isfinite(solution(x=1.0, t=0.5))


def test_nothing_is_known_without_time(tmp_path):
    solution = solve(HEAT, PISC1(), sampling=SAMPLING, max_seconds=1e-9)
    assert solution.status is Status.TIME_LIMIT
    solution.save(tmp_path / "nothing.npz")
    for own in (solution, load(tmp_path / "nothing.npz")):
        assert own.n_nodes == 0
        assert np.isnan(own(x=[0.0, 1.0], t=0.5)).all()
        assert np.isnan(own.residual)
        assert own.error_estimate.relative == np.inf
        assert [block.rows for block in own.block_residuals] == [0, 0, 0]
        assert "values are NaN" in repr(own)


def test_ctrl_c_before_there_is_anything_is_one_clear_line():
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Part, "whole", stop)
        with pytest.raises(KeyboardInterrupt, match="before there was anything to return"):
            solve(HEAT, PISC1(), sampling=SAMPLING)


def test_an_exact_start_leaves_nothing_to_do():
    solution = solve(HEAT, PISC1(), sampling=SAMPLING, initial={u: EXACT})
    assert solution.residual < 1e-12
    assert solution(x=1.0, t=0.5) == pytest.approx(np.exp(-0.5) * np.sin(1.0))


@pytest.mark.parametrize("after", [0, 1, 7])
def test_an_interrupt_returns_what_is_there(after):
    def impatient(nodes, residual):
        if nodes > after:
            raise KeyboardInterrupt

    solution = solve(HEAT, PISC3(scale=2.0), sampling=SAMPLING, progress=impatient)
    assert solution.status is Status.INTERRUPTED
    assert solution.n_nodes == after + 1
    assert np.isfinite(solution(x=1.0, t=0.5))


@pytest.mark.filterwarnings("ignore::piscm.problem.errors.IllPosedWarning")
def test_weights_of_kinds_and_of_single_conditions():
    def conditions(weight):
        return [
            Condition(u - sympy.sin(x), on={t: 0}, weight=weight),
            Condition(u - 1, on={x: 0}),  # contradicts the first at the corner
        ]

    def misfit(weight, **options):
        problem = Problem(HEAT.domain, HEAT.equations, conditions(weight))
        found = solve(problem, PISC3(max_nodes=15, scale=2.0), sampling=SAMPLING, **options)
        return [block.fitted for block in found.block_residuals]

    plain, heavy = misfit(1.0), misfit(1e4)
    assert heavy[1] < plain[1]
    assert heavy[2] > plain[2]
    kind = misfit(1.0, weights={"conditions": 1e4})
    assert kind[1] + kind[2] < plain[1] + plain[2]


def test_singular_equation_with_a_start():
    w = field("w", x)
    problem = Problem(Box({x: (0, 1)}), [w.diff(x) - 1 / w], [Condition(w - 1, on={x: 0})])
    with pytest.raises(ProblemError, match=r"not finite.*initial="):
        solve(problem, PISC3(max_nodes=25))
    solution = solve(problem, PISC3(max_nodes=25, scale=2.0), initial={w: 1 + x})
    xs = np.linspace(0, 1, 20)
    np.testing.assert_allclose(solution(x=xs), np.sqrt(1 + 2 * xs), atol=1e-5)


def test_a_field_of_fewer_coordinates():
    """The profile k(x) of a product k(x) exp(-t) is found beside it."""
    k = field("k", x)
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) + u, u - k * sympy.exp(-t)],
        [Condition(u - sympy.cos(2 * x), on={t: 0})],
    )
    solution = solve(problem, PISC3(max_nodes=40, scale=2.0), sampling=SAMPLING)
    xs = np.linspace(0, 1, 9)
    np.testing.assert_allclose(solution(k, x=xs, t=0.3), np.cos(2 * xs), atol=1e-3)
    np.testing.assert_array_equal(solution(k, x=xs, t=0.3), solution(k, x=xs, t=0.9))


def test_observations_of_an_expression_and_an_unknown():
    """u' = -k u with the flux k u observed finds k and the unseen u."""
    w, k = field("w", x), unknown("k")
    xs = np.linspace(0, 2, 15)
    problem = Problem(
        Box({x: (0, 2)}),
        [w.diff(x) + k * w],
        [Condition(w - 1, on={x: 0})],
        unknowns={k: 0.3},
        observations=[Observations(k * w, xs, 1.5 * np.exp(-1.5 * xs))],
    )
    solution = solve(problem, PISC3(max_nodes=20, scale=2.0))
    assert solution.unknowns["k"].value == pytest.approx(1.5, abs=1e-3)
    assert solution(w, x=1.0) == pytest.approx(np.exp(-1.5), abs=1e-3)


def test_progress_bar_goes_to_standard_error(capsys):
    solve(HEAT, PISC1(max_nodes=2), sampling=SAMPLING, progress=True)
    captured = capsys.readouterr()
    assert "nodes" in captured.err
    assert captured.out == ""


def test_scripts_are_silent(capsys):
    solve(HEAT, PISC1(max_nodes=2), sampling=SAMPLING)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""
