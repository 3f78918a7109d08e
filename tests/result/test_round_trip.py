"""What is saved comes back exactly, and a failed save leaves the old file alone."""

import numpy as np
import pytest
import sympy
from sympy import Heaviside, Max, Min, Piecewise, Rational, exp, pi, sqrt

import piscm
from piscm import (
    PISC2,
    PISC3,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)

pytestmark = pytest.mark.usefixtures("at_once")

x = coordinates("x")
u = field("u", x)
k = unknown("k")
POINTS = np.linspace(0, 1, 7)
SAMPLING = Sampling(interior=8, boundary=4)


def solved(equation, coordinate=x, unknowns=None, method=None, **more):
    f = next(iter(equation.atoms(sympy.core.function.AppliedUndef)))
    conditions = [Condition(f - Rational(1, 3), on={coordinate: 0}), Periodic(f, along=coordinate)]
    data = [Observations(0.1 * f, [0.25, 0.5], [1.0, 1 / 3], weight=0.7)]
    problem = Problem(Box({coordinate: (0, sqrt(2))}), [equation], conditions, unknowns, data)
    method = method or PISC3(max_nodes=3, candidates=5)
    return solve(problem, method, **{"sampling": SAMPLING, **more})


def returned(solution, path):
    """The solution after a round trip, which must not have changed it."""
    solution.save(path)
    loaded = piscm.load(path)
    assert repr(loaded) == repr(solution)
    assert loaded.problem.equations == solution.problem.equations
    old, new = solution.problem, loaded.problem
    for name in ("conditions", "observations"):
        for a, b in zip(getattr(old, name), getattr(new, name), strict=True):
            assert (a.expression, a.weight) == (b.expression, b.weight)
    assert np.array_equal(old.observations[0].points, new.observations[0].points)
    assert np.array_equal(old.observations[0].values, new.observations[0].values)
    assert np.array_equal(old.domain.upper, new.domain.upper)
    points = {solution.problem.domain.coordinates[0].name: POINTS}
    assert np.array_equal(loaded(**points), solution(**points))
    assert np.array_equal(loaded.residual(POINTS), solution.residual(POINTS))
    assert loaded.history.tobytes() == solution.history.tobytes()
    assert loaded.unknowns.keys() == solution.unknowns.keys()
    assert all(loaded.unknowns[n].value == solution.unknowns[n].value for n in loaded.unknowns)
    for name in ("method", "sampling", "seed", "status", "seconds", "block_residuals"):
        assert getattr(loaded, name) == getattr(solution, name)
    assert float(loaded.residual) == float(solution.residual)
    return loaded


@pytest.mark.parametrize(
    "term",
    [
        Piecewise((1, x < Rational(1, 2)), (u, True)),
        Piecewise((1, (x > 0.1) & (x < 0.2)), (2, (x > 0.8) | sympy.Eq(x, 0.5)), (u, True)),
        Piecewise((1, (x > 0.5) & (u > 0)), (u, True)),
        Piecewise((u, ~sympy.Eq(x, 0.5)), (1, True)),
        Max(u, 0),
        Max(u, x, Rational(1, 3)),
        Min(u, Max(x, 0.5)),
        Heaviside(u),
        Heaviside(x - Rational(1, 2), 0) * u,
        sqrt(1 + u**2),
        (1 + u**2) ** Rational(2, 3),
        Rational(1, 3) * u + sqrt(2) * u + sympy.cbrt(2) * x,
        0.1 * u + 1e-300 * x + 1e22 * u**2,
        Rational(10**30, 3**60) * u,
        10**90 * u,
        np.float32(0.1) * u,
        pi * u + sympy.E * u + sympy.log(2) * u,
        sympy.EulerGamma * u,
        sympy.GoldenRatio * u,
        sympy.Catalan * u,
        sympy.TribonacciConstant.n() * u / (3 * (x + 1) ** 2),
        Piecewise((u, ~((x > 0.1) & (x < 0.2))), (1, True)),
        exp(-u) + 2**u + exp(1 + x) * u,
        abs(u) + sympy.sign(u) + sympy.atan2(u, x + 1) + sympy.besselj(Rational(1, 2), x + 1) * u,
        (1 - u**2) * u.diff(x),
        3 * (1.0 * x + 1) * u,
        u / (3 * (x + 1)),
        u.diff(x, 3),
        sum(sympy.sin(i * x) for i in range(1, 231)),
    ],
    ids=lambda term: str(term)[:40],
)
def test_expressions(term, tmp_path):
    returned(solved(u.diff(x) - u - term), tmp_path / "a.npz")


NAMES = [
    *("lambda", "in", "None", "True", "E", "I", "S", "N", "sin", "diff", "Derivative", "sqrt"),
    *("Piecewise", "Eq", "abs", "a_keyword", "x_1", "__class__", "λ", "µ", "ϕ", "Lambda", "Float"),
]


def as_coordinate(name):
    y = coordinates(name)
    f = field("f", y)
    return solved(f.diff(y) - y * f, coordinate=y)


def as_field(name):
    f = field(name, x)
    return solved(f.diff(x) - x * f)


def as_unknown(name):
    q = unknown(name)
    return solved(u.diff(x) - q * u**2, unknowns={q: 1.0})


def as_symbol(name):
    """With a symbol of SymPy's own in the place of `coordinates`."""
    y = sympy.Symbol(name)
    f = field("f", y)
    return solved(f.diff(y) - y * f, coordinate=y)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("role", [as_coordinate, as_field, as_unknown])
def test_a_name_is_refused_or_comes_back(role, name, tmp_path):
    try:
        solution = role(name)
    except ProblemError as error:
        assert repr(name) in str(error)  # noqa: PT017 - one or the other
    else:
        returned(solution, tmp_path / "a.npz")


@pytest.mark.parametrize("role", [as_field, as_unknown])
def test_lambda_is_a_name(role, tmp_path):
    returned(role("lambda"), tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["a b", r"\theta", "x'", "pi", "2x"])
def test_a_symbol_of_sympy_is_refused_or_comes_back(name, tmp_path):
    try:
        solution = as_symbol(name)
    except ProblemError as error:
        assert repr(name)[1:-1] in str(error)  # noqa: PT017 - one or the other
    else:
        returned(solution, tmp_path / "a.npz")


@pytest.mark.parametrize(
    "options",
    [
        {"method": PISC2(max_nodes=3, window=2, candidates=5, scale=[2.0], ranges=(1, 2.5))},
        {"method": PISC3(max_nodes=np.int64(3), candidates=5, scale=np.array([2.0]))},
        {"method": PISC3(max_nodes=3, tolerance=np.float32(0.1), scale=np.float64(2))},
        {"method": PISC3(max_nodes=3, ranges=np.array([1, 2]), max_seconds=60)},
        {"sampling": Sampling(interior=np.int64(9), boundary=3, rule="grid")},
        {"initial": {u: 1 + x * Rational(1, 3) + exp(1)}, "seed": np.int64(3)},
        {"tol": 10.0},
    ],
)
def test_options(options, tmp_path):
    solution = solved(u.diff(x) - k * u, unknowns={k: 0.5}, **options)
    loaded = returned(solution, tmp_path / "a.npz")
    assert type(loaded.method) is type(solution.method)


def test_a_solution_without_nodes(tmp_path):
    problem = Problem(Box({x: (0, 1)}), [u.diff(x)], [Condition(u, on={x: 0})])
    solve(problem, PISC3(max_nodes=2), sampling=SAMPLING).save(tmp_path / "a.npz")
    assert np.array_equal(piscm.load(tmp_path / "a.npz")(x=POINTS), np.zeros(7))


def test_a_loaded_solution_knows_the_symbols_of_another_session(tmp_path):
    solution = solved(u.diff(x) - k * u, unknowns={k: 0.5})
    loaded = returned(solution, tmp_path / "a.npz")
    y = sympy.Symbol("x")
    f = sympy.Function("u")(y)
    assert np.array_equal(loaded(f.diff(y) + y, x=POINTS), solution(u.diff(x) + x, x=POINTS))


@pytest.mark.parametrize("failure", [OSError("disk full"), KeyboardInterrupt()])
def test_a_save_that_fails_midway_leaves_the_old_file(failure, tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    solution = solved(u.diff(x) - u)
    solution.save(path)
    before = path.read_bytes()

    def write_half(file, *args, **arrays):
        file.write(before[: len(before) // 2])
        raise failure

    for name in ("savez", "savez_compressed"):
        monkeypatch.setattr(np, name, write_half)
    with pytest.raises(type(failure)):
        solution.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_save_into_no_folder_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        solved(u.diff(x) - u).save(tmp_path / "nowhere" / "a.npz")
