"""One network: the minimum on its points, on all of them, and what Ctrl-C leaves."""

import numpy as np
import pytest
import scipy.optimize
import sympy
from builders import assembly_of, silent

import piscm.fit.one_network as one_network
import piscm.fit.slabs as slabs
from piscm import (
    PISC1,
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
from piscm.construct.machine import grow
from piscm.fit.one_network import fit_network, fit_to_all, thinned
from piscm.fit.refine import refine

pytestmark = pytest.mark.usefixtures("quiet")

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", x, t)
y = field("y", t)
k = unknown("k")
METHOD = PISC3(selection="orthogonal", max_nodes=12, candidates=24, block=4)
SQUARE = Box({x: (0, 1), t: (0, 1)})
LINEAR = Problem(
    SQUARE,
    [u.diff(t) - u.diff(x, 2) + v, v.diff(t) + x * u - 1],
    [Condition(u - sympy.sin(3 * x), on={t: 0}, weight=3), Condition(v, on=[{t: 0}, {x: 1}])],
)
NONLINEAR = Problem(
    SQUARE,
    [u.diff(t) + u * u.diff(x) - u.diff(x, 2)],
    [Condition(u - sympy.sin(3 * x), on={t: 0}), Condition(u, on={x: 0})],
)
TIMES = np.linspace(0.1, 2, 20)


def fitted(assembly, method=METHOD, seed=0, **more):
    return fit_network(assembly, method, np.random.default_rng(seed), silent, **more)


def least_squares(assembly, nodes, activation="sin"):
    """The minimum over the weights of given nodes, by NumPy; of a linear problem."""
    system = assembly.system(activation)
    design = system.evaluate(nodes).at(system.linearize(system.start()))
    matrix, target = design.reshape(-1, system.rows).T, -system.start().residual
    weights = np.linalg.lstsq(matrix, target, rcond=None)[0]
    return weights.reshape(len(nodes), -1), np.linalg.norm(matrix @ weights - target)


def test_on_a_linear_problem_it_is_least_squares_on_its_columns():
    assembly = assembly_of(LINEAR)
    fit = fitted(assembly)
    assert fit.status is Status.FINISHED
    weights, least = least_squares(assembly, fit.network.nodes)
    assert fit.residual == pytest.approx(least, rel=1e-8)
    np.testing.assert_allclose(fit.network.weights, weights, rtol=1e-4, atol=1e-6)
    assert fit.residual <= fit.growth.history["residual"][-1] * (1 + 1e-12)


def test_on_a_nonlinear_problem_it_is_a_minimum():
    assembly = assembly_of(NONLINEAR)
    fit = fitted(assembly)
    system = assembly.system("sin")
    columns = system.evaluate(fit.network.nodes)

    def residual(weights):
        return system.state_with(columns, weights[:, None], np.zeros(0)).residual

    start = fit.network.weights[:, 0]
    other = scipy.optimize.least_squares(residual, start, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    assert np.linalg.norm(residual(start)) == pytest.approx(fit.residual, rel=1e-9)
    assert fit.residual == pytest.approx(np.sqrt(2 * other.cost), rel=1e-3)


def test_the_residual_is_by_the_weights_of_the_assembly_whatever_the_data_came_to_weigh():
    rng = np.random.default_rng(0)
    data = np.exp(-TIMES) + 0.01 * rng.normal(size=20)
    data[[3, 11]] += 2.0
    problem = Problem(
        Box({t: (0, 2)}),
        [y.diff(t) + k * y],
        [Condition(y - 1, on={t: 0})],
        {k: 0.5},
        [Observations(y, TIMES, data, loss="huber")],
    )
    assembly = assembly_of(problem)
    fit = fitted(assembly)
    system = assembly.system("sin")
    columns = system.evaluate(fit.network.nodes)
    state = system.state_with(columns, fit.network.weights, fit.network.unknowns)
    assert fit.residual == pytest.approx(state.norm, rel=1e-9)
    assert fit.refined.state.norm != pytest.approx(state.norm, rel=1e-3)
    assert fit.network.unknowns[0] == pytest.approx(1.0, abs=0.15)


def test_the_papers_algorithms_end_with_growth():
    assembly, method = assembly_of(LINEAR), PISC1(max_nodes=8, candidates=10)
    fit = fitted(assembly, method)
    growth = grow(assembly.system("sin"), method, np.random.default_rng(0), silent)
    assert fit.network.weights.tobytes() == growth.state.weights.tobytes()
    assert fit.residual == growth.state.norm


@pytest.mark.parametrize("problem", [LINEAR, NONLINEAR], ids=["linear", "nonlinear"])
def test_ctrl_c_during_refinement_leaves_the_grown_network(problem, monkeypatch):
    assembly = assembly_of(problem)

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(one_network, "refine", stop)
    fit = fitted(assembly)
    assert fit.status is Status.INTERRUPTED
    growth = grow(assembly.system("sin"), METHOD, np.random.default_rng(0), silent)
    assert fit.network.weights.tobytes() == growth.state.weights.tobytes()
    assert fit.network.nodes.weights.tobytes() == growth.nodes.weights.tobytes()
    assert fit.residual == growth.state.norm


def test_who_wants_to_stop_is_not_kept_waiting(monkeypatch):
    asked = []
    monkeypatch.setattr(one_network, "refine", lambda *all: asked.append(all) or refine(*all))

    def impatient(nodes, residual):
        raise KeyboardInterrupt

    assembly = assembly_of(LINEAR)
    fit = fit_network(assembly, METHOD, np.random.default_rng(0), impatient)
    assert fit.status is Status.INTERRUPTED
    assert not asked
    fitted(assembly)
    assert len(asked) == 1


def test_it_goes_on_from_an_earlier_growth():
    assembly = assembly_of(NONLINEAR)
    few = fitted(assembly, PISC3(selection="orthogonal", max_nodes=6, candidates=24, block=4))
    more = fitted(assembly, before=few.growth, seed=1)
    np.testing.assert_array_equal(more.network.nodes.weights[:6], few.network.nodes.weights)
    assert more.network.n_nodes == 12
    assert more.residual < few.residual


# --- more points than growth takes ------------------------------------------------------------


@pytest.fixture
def few_points(monkeypatch):
    """Growth takes so few points that a small problem has more."""
    monkeypatch.setattr(slabs, "_COLUMNS", 0)
    monkeypatch.setattr(slabs, "_ENOUGH_POINTS", 150)
    monkeypatch.setattr(slabs, "_SLAB", 1)


def test_all_points_are_kept_where_they_are_few():
    assembly = assembly_of(LINEAR)
    assert thinned(assembly, METHOD) is assembly


@pytest.mark.usefixtures("few_points")
def test_thinned_and_fitted_to_all_is_least_squares_on_all():
    everything = assembly_of(LINEAR, Sampling(3000, 400))
    some = thinned(everything, METHOD)
    assert everything.points.rows == (3000, 3000, 400, 400)
    assert some.points.rows == (150, 150, 150, 150)
    fit = fitted(some)
    corrected = fit_to_all(fit, everything, METHOD)
    weights, least = least_squares(everything, fit.network.nodes)
    assert corrected.residual == pytest.approx(least, rel=1e-8)
    np.testing.assert_allclose(corrected.network.weights, weights, rtol=1e-4, atol=1e-6)
    before, _ = least_squares(some, fit.network.nodes)
    assert np.abs(before - weights).max() > 1e-3  # the other points did say something


@pytest.mark.usefixtures("few_points")
def test_a_nonlinear_problem_on_all_points_is_no_worse_than_on_some():
    everything = assembly_of(NONLINEAR, Sampling(3000, 400))
    fit = fitted(thinned(everything, METHOD))
    corrected = fit_to_all(fit, everything, METHOD)
    system = everything.system("sin")
    columns = system.evaluate(fit.network.nodes)
    before, after = (
        system.state_with(columns, own.network.weights, np.zeros(0)) for own in (fit, corrected)
    )
    assert corrected.residual == pytest.approx(after.norm, rel=1e-9)
    assert after.norm < before.norm
    least = scipy.optimize.least_squares(
        lambda weights: system.state_with(columns, weights[:, None], np.zeros(0)).residual,
        corrected.network.weights[:, 0],
    )
    assert after.norm <= 1.01 * np.sqrt(2 * least.cost)


@pytest.mark.usefixtures("few_points")
def test_ctrl_c_on_all_points_keeps_what_was_there(monkeypatch):
    everything = assembly_of(LINEAR, Sampling(500, 40))
    fit = fitted(thinned(everything, METHOD))

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(one_network, "correct_on_all", stop)
    corrected = fit_to_all(fit, everything, METHOD)
    assert corrected.status is Status.INTERRUPTED
    assert corrected.network is fit.network


def test_what_was_stopped_or_has_data_is_left_as_it_is():
    assembly = assembly_of(LINEAR)
    stopped = fitted(assembly).ended(Status.TIME_LIMIT)
    assert fit_to_all(stopped, assembly, METHOD) is stopped
    seen = assembly_of(
        Problem(SQUARE, LINEAR.equations, [], None, [Observations(u, [[0.5, 0.5]], [1.0])])
    )
    fit = fitted(seen)
    assert fit_to_all(fit, seen, METHOD) is fit
