"""What makes a solution rough is named: contradicting conditions, and jumps."""

import pytest
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Problem,
    Sampling,
    Status,
    coordinates,
    field,
    normal_derivative,
    solve,
    unknown,
    zoo,
)
from piscm.inference.obstacles import obstacles

x, t = coordinates("x t")
u, v, w = field("u", x, t), field("v", x, t), field("w", x)
k = unknown("k")
ROD = Box({x: (0, 1), t: (0, 0.3)})
HEAT = u.diff(t) - u.diff(x, 2)
HOT, COLD = Condition(u - 1, on={t: 0}), Condition(u, on=[{x: 0}, {x: 1}])


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([HOT, COLD], "u(x, t) on x = 0 and x = 1 contradicts what holds on t = 0"),
        ([COLD, HOT], "u(x, t) - 1 on t = 0 contradicts what holds on x = 0"),
        ([HOT, Condition(normal_derivative(u) + 3 * u, on={x: 1})], "(x = 1, t = 0)"),
        ([HOT, Condition(u**2 - 4, on={x: 1})], "u(x, t)**2 - 4 on x = 1"),
        ([Condition(k * u - k, on={t: 0}), COLD], ""),
        ([HOT, Condition(u - sympy.exp(-t), on=[{x: 0}, {x: 1}])], ""),
        ([HOT, Condition(u.diff(x), on=[{x: 0}, {x: 1}])], ""),
        ([HOT, Condition(u.diff(t) - 1, on={x: 0})], ""),
        ([Condition(u - sympy.sin(sympy.pi * x) / 3, on={t: 0}), COLD], ""),
        ([Condition(u - 0.1 * x - 0.3, on={t: 0}), Condition(u - 0.4, on={x: 1})], ""),
    ],
)
def test_conditions_that_contradict_each_other(conditions, words):
    unknowns = {k: 1.0} if any(item.expression.has(k) for item in conditions) else {}
    found = obstacles(Problem(ROD, [HEAT], conditions, unknowns=unknowns))
    assert len(found) == (1 if words else 0)
    assert all(words in text for text in found)


def test_of_several_fields_those_that_meet_are_compared():
    problem = Problem(
        ROD,
        [HEAT + u * v, v.diff(t) - v.diff(x, 2) - u * v],
        [
            HOT,
            Condition(v, on={t: 0}),
            Condition(v.diff(x) + 2 * u, on={x: 0}),
            Condition(v.diff(x), on={x: 1}),
            Condition(u.diff(x), on=[{x: 0}, {x: 1}]),
        ],
    )
    (text,) = obstacles(problem)
    assert text.startswith("2*u(x, t) + Derivative(v(x, t), x) on x = 0")


def test_a_load_on_a_part_of_a_beam():
    load = sympy.Heaviside(x - sympy.Rational(2, 5))
    ends = [Condition(w, on="boundary"), Condition(w.diff(x, 2), on="boundary")]
    (text,) = obstacles(Problem(Box({x: (0, 1)}), [w.diff(x, 4) - load], ends))
    assert "equation jumps near x = 0.4: solve in regions" in text
    assert not obstacles(Problem(Box({x: (0, 1)}), [w.diff(x, 4) - sympy.exp(x)], ends))


def test_problems_with_exact_solutions_have_none():
    for name in ("heat", "wave", "kdv", "schroedinger", "burgers", "helmholtz"):
        if name in zoo.names():
            assert not obstacles(zoo.load(name).problem), name


def test_a_run_that_fails_is_told():
    few = PISC3(selection="orthogonal", candidates=20, max_nodes=20)
    solution = solve(Problem(ROD, [HEAT], [HOT, COLD]), few, tol=1e-5, sampling=Sampling(100, 30))
    assert solution.status is Status.NODE_LIMIT
    assert "contradicts what holds on t = 0" in str(solution)


def test_check_names_them(run, tmp_path):
    path = tmp_path / "rod.toml"
    path.write_text(
        'equations = ["u_t = u_xx"]\nconditions = ["u(t=0) = 1", "u(x=0) = 0", "u_x(x=1) = 0"]\n'
        "domain = {x = [0, 1], t = [0, 1]}\n"
    )
    result = run("check", path)
    assert result.exit_code == 0
    assert "contradicts what holds on t = 0" in " ".join(result.stdout.split())
