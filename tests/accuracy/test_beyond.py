"""Problems beyond the paper's, each against an exact or an independent solution."""

import numpy as np
import pytest
import sympy
from medians import medians_hold
from scipy.integrate import solve_ivp

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
)

x, y, z, t = coordinates("x y z t")
pi, sin, cos, exp = sympy.pi, sympy.sin, sympy.cos, sympy.exp


def within(bar, problem, exact, *, nodes, scale, interior=400, boundary=60, **options):
    """Whether the largest error of any field at random points is, as the median over seeds."""
    names = [symbol.name for symbol in problem.domain.coordinates]
    box = problem.domain
    points = box.lower + np.random.default_rng(99).random((1000, box.dimension)) * box.width
    at = dict(zip(names, points.T, strict=True))

    def measured(seed):
        solution = solve(
            problem,
            PISC3(max_nodes=nodes, scale=scale),
            sampling=Sampling(interior=interior, boundary=boundary),
            seed=seed,
            **options,
        )
        errors = [np.abs(solution(f, **at) - truth(**at)).max() for f, truth in exact.items()]
        return [(max(errors), bar)]

    return medians_hold(measured)


def function(expression, *symbols):
    compiled = sympy.lambdify(symbols, expression, "numpy")
    return lambda **at: compiled(*(at[symbol.name] for symbol in symbols))


@pytest.mark.slow
def test_lorenz():
    """Three ODEs over a short time, against Runge-Kutta."""
    a, b, c = (field(name, t) for name in "abc")
    problem = Problem(
        Box({t: (0, 0.3)}),
        [
            a.diff(t) - 10 * (b - a),
            b.diff(t) - a * (28 - c) + b,
            c.diff(t) - a * b + sympy.Rational(8, 3) * c,
        ],
        [Condition(item - 1, on={t: 0}) for item in (a, b, c)],
    )

    def rate(_, s):
        return [10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8 / 3 * s[2]]

    path = solve_ivp(rate, (0, 0.3), [1, 1, 1], "DOP853", rtol=1e-12, atol=1e-12, dense_output=True)
    exact = {item: (lambda t, i=i: path.sol(t)[i]) for i, item in enumerate((a, b, c))}
    # The rest at zero solves the equations too: the initial values have to speak up.
    assert within(1e-4, problem, exact, nodes=80, scale=40.0, weights={"conditions": 100})


def test_beam():
    """A fourth-order equation: clamped at one end, bending moment and shear at the other."""
    w = field("w", x)
    exact = exp(x) * sin(2 * x)
    problem = Problem(
        Box({x: (0, 1)}),
        [w.diff(x, 4) + (1 + x) * w - (exact.diff(x, 4) + (1 + x) * exact)],
        [
            Condition(w - exact, on={x: 0}),
            Condition(w.diff(x) - exact.diff(x), on={x: 0}),
            Condition(w.diff(x, 2) - exact.diff(x, 2), on={x: 1}),
            Condition(w.diff(x, 3) - exact.diff(x, 3), on={x: 1}),
        ],
    )
    assert within(1e-6, problem, {w: function(exact, x)}, nodes=60, scale=6.0)


@pytest.mark.slow
def test_nonlinear_poisson_in_three_dimensions():
    u = field("u", x, y, z)
    exact = sin(pi * x) * sin(pi * y) * cos(z)

    def laplace(f):
        return f.diff(x, 2) + f.diff(y, 2) + f.diff(z, 2)

    problem = Problem(
        Box({x: (0, 1), y: (0, 1), z: (0, 1)}),
        [laplace(u) - u**3 - (laplace(exact) - exact**3)],
        [Condition(u - exact, on="boundary")],
    )
    exact = {u: function(exact, x, y, z)}
    assert within(2e-3, problem, exact, nodes=250, scale=3.5, interior=800, boundary=480)


def test_robin_and_nonlinear_conditions():
    """u'' = exp(u): Robin at one end, radiation u' + u^4 = data at the other."""
    u = field("u", x)
    exact = 1 / (1 + x)
    problem = Problem(
        Box({x: (0, 1)}),
        [u.diff(x, 2) - exp(u) - (exact.diff(x, 2) - exp(exact))],
        [
            Condition(u.diff(x) + 3 * u - 2, on={x: 0}),
            Condition(u.diff(x) + u**4 - (exact.diff(x) + exact**4).subs(x, 1), on={x: 1}),
        ],
    )
    start = {u: sympy.Rational(1, 2)}
    assert within(1e-6, problem, {u: function(exact, x)}, nodes=40, scale=4.0, initial=start)


def test_wave():
    u = field("u", x, t)
    exact = sin(pi * x) * cos(pi * t)
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [sympy.Eq(u.diff(t, 2), u.diff(x, 2))],
        [
            Condition(sympy.Eq(u, sin(pi * x)), on={t: 0}),
            Condition(u.diff(t), on={t: 0}),
            Condition(u, on=[{x: 0}, {x: 1}]),
        ],
    )
    assert within(1e-5, problem, {u: function(exact, x, t)}, nodes=120, scale=4.0)


@pytest.mark.slow
def test_two_fields_in_space_and_time():
    """A reaction-diffusion pair that feeds on each other, with periodic ends."""
    u, v = field("u", x, t), field("v", x, t)
    exact_u, exact_v = exp(-t) * sin(x), exp(-2 * t) * cos(x)

    def first(a, b):
        return a.diff(t) - a.diff(x, 2) + a * b

    def second(a, b):
        return b.diff(t) - b.diff(x, 2) - a**2 + a.diff(x) * b

    problem = Problem(
        Box({x: (0, 2 * pi), t: (0, 1)}),
        [first(u, v) - first(exact_u, exact_v), second(u, v) - second(exact_u, exact_v)],
        [
            Condition(u - exact_u, on={t: 0}),
            Condition(v - exact_v, on={t: 0}),
            *(Periodic(f, along=x) for f in (u, v, u.diff(x), v.diff(x))),
        ],
    )
    exact = {u: function(exact_u, x, t), v: function(exact_v, x, t)}
    assert within(1e-4, problem, exact, nodes=120, scale=2.5)


@pytest.mark.parametrize("activation", ["sin", "tanh", "sigmoid", "gaussian"])
def test_every_activation(activation):
    u = field("u", x)
    problem = Problem(Box({x: (-1, 1)}), [u.diff(x) + 2 * x * u], [Condition(u - 1, on={x: 0})])
    points = np.linspace(-1, 1, 50)

    def measured(seed):
        method = PISC3(max_nodes=30, scale=3.0, activation=activation)
        solution = solve(problem, method, sampling=Sampling(interior=100), seed=seed)
        return [(np.abs(solution(x=points) - np.exp(-(points**2))).max(), 1e-5)]

    assert medians_hold(measured)


def test_observations_alone_single_out_a_solution():
    """No condition: a sum of two fields and a slope, observed at scattered points."""
    u, v = field("u", t), field("v", t)
    times = np.linspace(0.1, 2.9, 12)
    problem = Problem(
        Box({t: (0, 3)}),
        [u.diff(t) - v, v.diff(t) + u],
        [],
        observations=[
            Observations(u + v, times, np.sin(times) + np.cos(times)),
            Observations(u.diff(t), times[:3], np.cos(times[:3])),
        ],
    )
    exact = {u: function(sin(t), t), v: function(cos(t), t)}
    assert within(1e-5, problem, exact, nodes=40, scale=3.0)
