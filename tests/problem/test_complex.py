"""Complex fields: two real ones behind one name."""

import pickle

import numpy as np
import pytest
import sympy
from sympy import Abs, I, conjugate, exp, im, re

import piscm
from piscm import (
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
    integral,
    solve,
)

x, t = coordinates("x t")
psi = field("psi", x, t, complex=True)
a, b = field("psi_re", x, t), field("psi_im", x, t)
BOX = Box({x: (-6, 6), t: (0, 0.5)})
ENDS = [{x: -6}, {x: 6}]
START = exp(-(x**2) / 2 + I * x)
METHOD = PISC3(max_nodes=20, scale=2.0)


def wave(**more):
    return Problem(
        BOX,
        [I * psi.diff(t) + psi.diff(x, 2) / 2 - Abs(psi) ** 2 * psi],
        [Condition(psi - START, on={t: 0}), Condition(psi, on=ENDS)],
        **more,
    )


def by_hand():
    square = a**2 + b**2
    return Problem(
        BOX,
        [-b.diff(t) + a.diff(x, 2) / 2 - square * a, a.diff(t) + b.diff(x, 2) / 2 - square * b],
        [
            Condition(a - exp(-(x**2) / 2) * sympy.cos(x), on={t: 0}),
            Condition(b - exp(-(x**2) / 2) * sympy.sin(x), on={t: 0}),
            Condition(a, on=ENDS),
            Condition(b, on=ENDS),
        ],
    )


def test_it_is_the_system_split_by_hand():
    one, other = wave(), by_hand()
    assert [str(sympy.expand(e)) for e in one.equations] == [
        str(sympy.expand(e)) for e in other.equations
    ]
    assert [str(own) for own in one.conditions] == [str(own) for own in other.conditions]
    values = [
        solve(own, METHOD, sampling=Sampling(200, 30))(a, x=0.3, t=0.2) for own in (one, other)
    ]
    assert values[0] == pytest.approx(float(values[1]), abs=1e-6)


@pytest.fixture(scope="module")
def solution():
    return solve(wave(), METHOD, sampling=Sampling(200, 30))


def test_values_are_complex(solution):
    at = {"x": np.linspace(-1, 1, 5), "t": 0.2}
    values = solution(**at)
    assert values.dtype == complex
    assert np.array_equal(values, solution(a, **at) + 1j * solution(b, **at))
    assert np.allclose(solution(Abs(psi) ** 2, **at), np.abs(values) ** 2)
    assert np.allclose(solution(im(conjugate(psi) * psi.diff(x)), **at).imag, 0)
    assert np.array_equal(solution("re(psi_x)", **at), solution(re(psi.diff(x)), **at))
    step = 1e-5
    slope = (solution(x=0.1 + step, t=0.2) - solution(x=0.1 - step, t=0.2)) / (2 * step)
    assert solution(psi.diff(x), x=0.1, t=0.2) == pytest.approx(complex(slope), abs=1e-6)
    mean = solution.integral(psi, over=x, t=0.2)
    assert mean == pytest.approx(
        complex(solution.integral(a, over=x, t=0.2), solution.integral(b, over=x, t=0.2))
    )
    assert repr(solution).startswith("Solution for psi(x, t)")


def test_saved_pickled_and_written(solution, tmp_path):
    solution.save(tmp_path / "psi.npz")
    for again in (piscm.load(tmp_path / "psi.npz"), pickle.loads(pickle.dumps(solution))):
        assert again(x=0.3, t=0.1) == solution(x=0.3, t=0.1)
        assert again(psi.diff(t), x=0.3, t=0.1) == solution(psi.diff(t), x=0.3, t=0.1)
    wave().to_toml(tmp_path / "psi.toml")
    again = Problem.from_file(tmp_path / "psi.toml")
    assert again.shown_fields == (psi,)
    assert [sympy.expand(e) for e in again.equations] == [sympy.expand(e) for e in wave().equations]


def test_in_a_problem_file(tmp_path):
    (tmp_path / "psi.toml").write_text(
        'complex = ["psi"]\nequations = ["I*psi_t + psi_xx/2 - abs(psi)^2*psi"]\n'
        'conditions = ["psi(t=0) = exp(-x^2/2 + I*x)", "psi(x=-6) = 0", "psi(x=6) = 0"]\n'
        '[domain]\nx = [-6, 6]\nt = [0, 0.5]\n[fields]\npsi = ["x", "t"]\n'
    )
    read = Problem.from_file(tmp_path / "psi.toml")
    assert [sympy.expand(e) for e in read.equations] == [sympy.expand(e) for e in wave().equations]


def test_pictures_show_modulus_and_real_part(solution):
    pytest.importorskip("matplotlib")
    drawn = solution.plot()
    assert len(drawn) == 2
    assert len(solution.plot(at={"t": 0.1}).lines) == 2


def test_conditions_data_starts_and_integrals():
    values = np.array([1 + 2j, 3j])
    data = Observations(psi, points=[[0, 0.1], [1, 0.2]], values=values, noise=0.1)
    problem = wave(observations=[data])
    assert [list(np.asarray(own.values)) for own in problem.observations] == [[1, 0], [2, 3]]
    tied = Problem(
        BOX,
        [I * psi.diff(t) + psi.diff(x, 2)],
        [
            Condition(psi - START, on={t: 0}),
            Periodic(psi, along=x),
            Periodic(psi.diff(x), along=x),
            Condition(integral(Abs(psi) ** 2, over=BOX)),
        ],
    )
    assert len(tied.conditions) == 7
    started = solve(wave(), PISC3(max_nodes=1, scale=1.0), initial={psi: START})
    assert started(x=0.5, t=0.1) == pytest.approx(np.exp(-0.125 + 0.5j), abs=0.5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Problem(BOX, [I * a.diff(t)], [Condition(a, on={t: 0})]), "complex=True"),
        (
            lambda: wave(observations=[Observations(psi, points=[[0, 0.1]], values=[1.0])]),
            "values .* are real",
        ),
        (lambda: psi.diff(coordinates("y")), "does not depend on y"),
    ],
)
def test_mistakes(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def test_a_complex_number_has_no_standard_error(solution):
    with pytest.raises(ProblemError):
        solution.std(psi, x=0.1, t=0.1)


@pytest.mark.slow
def test_a_free_packet_spreads():
    free = Problem(
        BOX,
        [I * psi.diff(t) + psi.diff(x, 2) / 2],
        [Condition(psi - exp(-(x**2) / 2), on={t: 0}), Condition(psi, on=ENDS)],
    )
    found = solve(free, tol=1e-5, max_seconds=100)
    at = np.linspace(-3, 3, 13)
    exact = np.exp(-(at**2) / (2 * (1 + 0.5j))) / np.sqrt(1 + 0.5j)
    assert found.status.ok
    assert np.abs(found(x=at, t=0.5) - exact).max() < 1e-5
