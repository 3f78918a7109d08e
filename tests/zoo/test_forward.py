"""The forward benchmarks with a shock, waves, several fields: their solutions are what they say."""

from itertools import pairwise

import mpmath
import numpy as np
import pytest
import sympy
from builders import etdrk4

from piscm import Condition, Periodic, zoo
from piscm.problem.places import WholeBoundary
from piscm.zoo import cavity as driven
from piscm.zoo.references import burgers, cavity, kuramoto_sivashinsky

EXACT = ("sine-gordon", "reaction-diffusion", "kovasznay", "kdv")
NUMERICAL = ("burgers", "kuramoto-sivashinsky")
VISCOSITY = 0.01 / np.pi


def exact_solution(name, at):
    """The exact solutions in terms of exponentials, written apart from the zoo's own."""
    x, second = at
    e = sympy.exp
    if name == "sine-gordon":
        root = sympy.sqrt(3)
        swing = 2 * root * sympy.sin(second / 2) / (e(root * x / 2) + e(-root * x / 2))
        return {"u": 4 * sympy.atan(swing)}
    if name == "reaction-diffusion":
        ahead = e(2 * x - 3 * second)
        return {"u": ahead / (1 + ahead), "v": 1 / (1 + ahead) ** 2}
    if name == "kovasznay":
        rate = 20 - sympy.sqrt(400 + 4 * sympy.pi**2)
        angle = 2 * sympy.pi * second
        return {
            "u": 1 - e(rate * x) * sympy.cos(angle),
            "v": rate / (2 * sympy.pi) * e(rate * x) * sympy.sin(angle),
            "p": sympy.Rational(1, 2) - e(2 * rate * x) / 2,
        }
    phase = x - 4 * second + 2
    return {"u": 8 / (e(phase) + e(-phase)) ** 2}


def residual(expression, fields, at, points):
    """An expression with the exact solution put in, in 30 digits at some points."""
    value = expression.subs(fields).doit()
    return max(
        abs(value.evalf(30, subs=dict(zip(at, map(sympy.Float, point), strict=True))))
        for point in points
    )


def some_points(box, fixed=()):
    points = box.lower + np.random.default_rng(0).random((4, box.dimension)) * box.width
    for coordinate, value in dict(fixed).items():
        points[:, box.axis(coordinate)] = value
    return points.tolist()


def faces(condition, box):
    """The faces a condition is on, as the coordinate that is fixed there."""
    if condition.on != WholeBoundary():
        return condition.on.parts
    ends = zip(box.coordinates, box.lower, box.upper, strict=True)
    return [{symbol: end} for symbol, low, high in ends for end in (low, high)]


@pytest.mark.parametrize("name", EXACT)
def test_the_exact_solution_meets_equations_and_conditions(name):
    problem = zoo.load(name).problem
    box = problem.domain
    by_name = exact_solution(name, box.coordinates)
    fields = {item: by_name[str(item.func)] for item in problem.fields}
    for equation in problem.equations:
        assert residual(equation, fields, box.coordinates, some_points(box)) < 1e-20
    for condition in problem.conditions:
        for face in faces(condition, box):
            points = some_points(box, face)
            assert residual(condition.expression, fields, box.coordinates, points) < 1e-12


@pytest.mark.parametrize("name", EXACT)
def test_the_reference_is_the_exact_solution(name):
    benchmark = zoo.load(name)
    box = benchmark.problem.domain
    first, second = (np.linspace(*ends, 7) for ends in zip(box.lower, box.upper, strict=True))
    names = [symbol.name for symbol in box.coordinates]
    values = benchmark.reference(**dict(zip(names, (first[:, None], second), strict=True)))
    for field, formula in exact_solution(name, box.coordinates).items():
        expected = sympy.lambdify(box.coordinates, formula)(first[:, None], second)
        expected = np.broadcast_to(expected, (7, 7))  # pressure holds no y
        found = values[field] if isinstance(values, dict) else values
        assert found.shape == (7, 7)
        assert found.std() > 0.1 * np.abs(found).max()
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * np.abs(expected).max())


@pytest.mark.parametrize("name", NUMERICAL)
def test_a_numerical_reference_meets_the_conditions(name):
    benchmark = zoo.load(name)
    x = np.linspace(-1, 1, 101)
    t = np.linspace(0, benchmark.problem.domain.upper[1], 101)
    started = benchmark.reference(x=x, t=0.0)
    np.testing.assert_allclose(started, -np.sin(np.pi * x), rtol=0, atol=1e-14)
    soon = benchmark.reference(x=x, t=1e-15)
    np.testing.assert_allclose(soon, started, rtol=0, atol=1e-12)
    for end in (-1.0, 1.0):  # odd and periodic: it vanishes at both ends
        np.testing.assert_allclose(benchmark.reference(x=end, t=t), 0, atol=1e-13)


def fourier(points, steps, end, growth, convection):
    """Integrate u_t + c u u_x = growth(k) u from -sin(pi x) by Fourier modes and ETDRK4."""
    x = -1 + 2 * np.arange(points) / points
    index = np.arange(points // 2 + 1)
    k = np.pi * index
    slope = -0.5j * convection * k * (index < points // 3)

    def source(modes):
        return slope * np.fft.rfft(np.fft.irfft(modes, points) ** 2)

    start = np.fft.rfft(-np.sin(np.pi * x))
    return x, np.fft.irfft(etdrk4(start, growth(k), source, end / steps, steps), points)


@pytest.mark.parametrize(("end", "steps"), [(0.3, 900), (1.0, 3000)])
def test_burgers_agrees_with_fourier_modes(end, steps):
    x, u = fourier(2048, steps, end, lambda k: -VISCOSITY * k**2, convection=1.0)
    np.testing.assert_allclose(burgers.reference(x, end, VISCOSITY), u, rtol=0, atol=5e-10)


@pytest.mark.parametrize("viscosity", [VISCOSITY, 0.1])
@pytest.mark.parametrize(
    ("x", "t"), [(1e-3, 1.0), (-0.02, 0.5), (0.3, 0.9), (5e-3, 1 / np.pi), (0.9, 1e-12)]
)
def test_burgers_agrees_with_quadrature_in_many_digits(x, t, viscosity):
    with mpmath.workdps(30):
        spread, contrast = mpmath.sqrt(4 * viscosity * t), 1 / (2 * mpmath.pi * viscosity)

        def weight(z):
            return mpmath.exp(-(z**2) - contrast * mpmath.cospi(x - spread * z))

        pieces = list(range(-14, 15, 2))
        total = mpmath.quad(weight, pieces)
        moment = mpmath.quad(lambda z: weight(z) * mpmath.sinpi(x - spread * z), pieces)
        expected = float(-moment / total)
    assert burgers.reference(x, t, viscosity) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize(("end", "steps"), [(0.1, 2000), (0.4, 8000)])
def test_kuramoto_sivashinsky_agrees_with_an_exponential_integrator(end, steps):
    x, u = fourier(128, steps, end, lambda k: 0.5 * k**2 - 0.005 * k**4, convection=5.0)
    np.testing.assert_allclose(kuramoto_sivashinsky.reference(x, end), u, rtol=0, atol=3e-10)


def test_kuramoto_sivashinsky_converges():
    differences = [difference for _, difference in kuramoto_sivashinsky.convergence()]
    assert all(a > b for a, b in pairwise(differences))
    assert differences[0] > 1e-8
    assert differences[-1] < 5e-11


@pytest.mark.parametrize("name", NUMERICAL)
def test_numerical_references_broadcast_and_stay_inside(name):
    reference = zoo.load(name).reference
    x, t = np.linspace(-1, 1, 151)[:, None], np.linspace(0, 0.4, 101)
    grid = reference(x=x, t=t)
    assert grid.shape == (151, 101)
    assert grid.dtype == np.float64
    assert reference(x=x[7, 0], t=t[9]) == pytest.approx(grid[7, 9], abs=1e-13)
    assert reference(x=np.empty((0, 3)), t=0.1).shape == (0, 3)
    for outside in ({"x": 1.01, "t": 0.1}, {"x": 0.0, "t": 1.1}, {"x": 0.0, "t": np.nan}):
        with pytest.raises(ValueError, match="outside the domain"):
            reference(**outside)


@pytest.mark.parametrize("name", [*EXACT, *NUMERICAL])
def test_every_one_is_listed_and_described(name):
    assert name in zoo.names()
    benchmark = zoo.load(name)
    assert benchmark.name == name
    assert benchmark.title
    assert benchmark.source
    assert not benchmark.truth
    coordinate, values = benchmark.sections
    box = benchmark.problem.domain
    axis = [symbol.name for symbol in box.coordinates].index(coordinate)
    assert all(box.lower[axis] < value < box.upper[axis] for value in values)


def test_conditions_are_of_the_kinds_they_should_be():
    kinds = {name: zoo.load(name).problem.conditions for name in (*EXACT, *NUMERICAL)}
    assert [type(c) for c in kinds["kuramoto-sivashinsky"]] == [Condition] + 4 * [Periodic]
    assert [c.on for c in kinds["kovasznay"][:2]] == [WholeBoundary(), WholeBoundary()]


@pytest.mark.parametrize("name", ["helmholtz", "reaction-diffusion", "kovasznay"])
def test_the_relative_error_is_that_of_all_fields_together(name):
    benchmark = zoo.load(name)

    def off_by_a_thousandth(item, **at):
        values = benchmark.reference(**at)
        return 1.001 * (values[str(item.func)] if isinstance(values, dict) else values)

    assert benchmark.relative_error(off_by_a_thousandth) == pytest.approx(1e-3)
    assert benchmark.relative_error(lambda item, **at: 0 * at["x"]) == pytest.approx(1)
    sizes = [benchmark.rmse(found) for found in (off_by_a_thousandth, lambda _, **at: 0 * at["x"])]
    assert sizes[0] == pytest.approx(1e-3 * sizes[1])


def test_the_driven_cavity_has_the_published_velocities():
    at, reference = np.linspace(0.01, 0.99, 2001), cavity.cavity(100.0)
    (along, _), (_, up) = reference.velocity(0.5, at), reference.velocity(at, 0.5)
    found = (along.min(), up.max(), up.min())
    np.testing.assert_allclose(found, driven.EXTREMES, rtol=1e-4)
    table, upward = driven.GHIA_U.T, driven.GHIA_V.T
    assert np.abs(reference.velocity(0.5, table[0])[0] - table[1]).max() < 0.01
    assert np.abs(reference.velocity(upward[0], 0.5)[1] - upward[1]).max() < 0.01


def test_the_faster_cavity_has_the_published_velocities():
    reference = cavity.cavity(400.0)
    table, upward = driven.GHIA_U_400.T, driven.GHIA_V_400.T
    assert np.abs(reference.velocity(0.5, table[0])[0] - table[1]).max() < 0.01
    assert np.abs(reference.velocity(upward[0], 0.5)[1] - upward[1]).max() < 0.01


def test_what_is_stored_of_the_faster_cavity_solves_its_equation():
    rng, reference = np.random.default_rng(0), cavity.cavity(400.0)
    flow = reference.flow(*rng.uniform(0.15, 0.85, (2, 400)))
    inertia = 400 * (flow.along * flow.curl_x + flow.up * flow.curl_y)
    assert np.linalg.norm(flow.twice - inertia) < 1e-3 * np.linalg.norm(inertia)
    side = rng.uniform(0.05, 0.95, 50)
    for end in (0.0, 1.0):
        still = np.full(50, end)
        upright, level = reference.flow(still, side), reference.flow(side, still)
        assert np.abs([upright.stream, level.stream]).max() < 1e-4
        assert np.abs([upright.up, level.along - end]).max() < 1e-4


def test_taylor_flows_of_problem_and_reference_are_the_same():
    x, y = driven.x, driven.y
    points = np.random.default_rng(0).uniform(0.1, 0.9, (2, 20))
    flow = cavity._taylor(*points)
    stream, curl = driven.taylor(), driven.curl()
    for own, expression in zip(flow, (stream, stream.diff(y), -stream.diff(x)), strict=False):
        np.testing.assert_allclose(sympy.lambdify((x, y), expression)(*points), own, atol=1e-12)
    for own, expression in ((flow.curl_x, curl.diff(x)), (flow.curl_y, curl.diff(y))):
        np.testing.assert_allclose(sympy.lambdify((x, y), expression)(*points), own, rtol=1e-9)
    laplacian = stream.diff(x, 2) + stream.diff(y, 2) - curl
    assert np.abs(sympy.lambdify((x, y), laplacian)(*points)).max() < 1e-9
