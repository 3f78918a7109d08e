"""Bad options of Auto, Windows and tol get their message before any work."""

import numpy as np
import pytest
import sympy
from builders import decay_of

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Auto,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    Windows,
    coordinates,
    field,
    solve,
)

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u = field("u", t)
v = field("v", x, t)
DECAY = decay_of(u, end=1)
SMALL = PISC3(selection="orthogonal", max_nodes=10, candidates=20)
NOT_POSITIVE = [0, 0.0, -1, -1e-6, np.nan, np.inf, -np.inf, True, False, "1e-3", [1e-3], 1j]


def nothing_happens(nodes, residual):
    pytest.fail("work was done before the message")


@pytest.mark.parametrize("value", [*NOT_POSITIVE, None], ids=repr)
def test_tolerance_of_auto(refused, value):
    refused(lambda: Auto(tolerance=value), "Auto(tolerance=...)")


@pytest.mark.parametrize("value", NOT_POSITIVE, ids=repr)
def test_seconds(refused, value):
    refused(lambda: Auto(max_seconds=value), "Auto(max_seconds=...)")
    refused(lambda: PISC3(max_seconds=value), "PISC3(max_seconds=...)")


@pytest.mark.parametrize("value", [0, -1, 1.5, 10.0, np.nan, True, None, "many", [3], 10**9])
def test_counts(refused, value):
    refused(lambda: Auto(max_nodes=value), "Auto(max_nodes=...)")
    if value != "many":
        refused(lambda: Windows(t, value), "Windows(count=...)")


@pytest.mark.parametrize("value", ["relu", "", 3, True, ["sin"], np.sin])
def test_activation(refused, value):
    refused(lambda: Auto(activation=value), "activation")


def test_words_for_a_count(refused):
    for word in ("many", "", "Auto", "5"):
        refused(lambda word=word: Windows(t, word), "'auto'")


@pytest.mark.parametrize("value", ["t", 0, None, u, u.diff(t), 2 * t, [t], {t: 0}], ids=str)
def test_coordinates_that_are_none(refused, value):
    refused(lambda: Windows(value), "give a coordinate")


@pytest.mark.parametrize(
    "value", [PISC3, PISC1, Auto, "PISC3", 3, Windows(t), [SMALL], dict()], ids=str
)
def test_methods_of_windows(refused, value):
    refused(lambda: Windows(t, method=value), "PISC3()")


def test_windows_that_split_need_a_tolerance(refused):
    refused(lambda: Windows(t, "auto", method=PISC3()), "tolerance")
    assert Windows(t, "auto").each == Auto()
    assert Windows(t, "auto", method=PISC3(tolerance=1e-3)).each.tolerance == 1e-3


@pytest.mark.parametrize("method", [None, Auto(), SMALL, PISC1(), PISC2(), Windows(t, 2)], ids=str)
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, True, "1e-3", [1e-3], 1j], ids=repr)
def test_tol(refused, method, value):
    def call():
        solve(DECAY, method, tol=value, progress=nothing_happens)

    refused(call, "tolerance")


def test_a_tol_of_zero_is_for_methods_with_nodes_to_place(refused):
    refused(lambda: solve(DECAY, tol=0), "Auto(tolerance=...)")
    refused(lambda: solve(DECAY, Windows(t, "auto"), tol=0), "Auto(tolerance=...)")
    assert solve(DECAY, SMALL, tol=0, sampling=Sampling(20)).n_nodes == 10


@pytest.mark.parametrize("method", [PISC3, Auto, Windows, "auto", 3, t, {}], ids=str)
def test_what_is_no_method(refused, method):
    refused(
        lambda: solve(DECAY, method, progress=nothing_happens),
        "Auto(), Windows(t), Patches() or one of",
    )


def cannot_march(*conditions, box=None, observations=()):
    box = box or Box({x: (0, 1), t: (0, 1)})
    return Problem(box, [v.diff(t) - v.diff(x, 2)], list(conditions), None, list(observations))


START = Condition(v - 1, on={t: 0})
SEEN = [Observations(v, [[0.5, 0.5]], [1.0])]


@pytest.mark.parametrize(
    ("problem", "coordinate", "words"),
    [
        (DECAY, x, "x"),
        (DECAY, sympy.Symbol("s"), "s"),
        (cannot_march(START, Condition(v, on=[{x: 0}, {x: 1}])), x, "upper end, x = 1"),
        (cannot_march(Condition(v, on="boundary")), t, "upper end"),
        (cannot_march(START, Condition(v, on={t: 1})), t, "upper end, t = 1"),
        (cannot_march(START, Periodic(v, along=t)), t, "ties its two ends"),
        (cannot_march(START, Periodic(v, along=x)), x, "ties its two ends"),
        (cannot_march(Condition(v, on={x: 0})), t, "no condition holds on t = 0"),
        (cannot_march(observations=SEEN), t, "nothing to start from"),
    ],
)
@pytest.mark.parametrize("count", [3, "auto"])
def test_problems_that_cannot_be_marched(refused, problem, coordinate, words, count):
    method = Windows(coordinate, count)
    refused(lambda: solve(problem, method, progress=nothing_happens), words)


def test_too_few_initial_conditions_are_told(refused):
    """A condition in a later window cannot reach back: the first one would be anything."""
    middle = Problem(
        Box({t: (0, 1)}),
        [u.diff(t, 2) + u],
        [Condition(u, on={t: 0}), Condition(u - sympy.sin(0.75), on={t: 0.75})],
    )
    refused(lambda: solve(middle, Windows(t, 4, method=SMALL), progress=nothing_happens), "t")


def test_a_scale_that_does_not_fit(refused):
    method = Windows(t, 2, method=PISC3(scale=[1.0, 2.0, 3.0]))
    refused(lambda: solve(DECAY, method, progress=nothing_happens), "scale")


@pytest.mark.parametrize("method", [Auto(max_nodes=20), Windows(t, 2, method=SMALL)], ids=str)
def test_other_arguments_are_checked_as_ever(refused, method):
    for words, options in {
        "seed": {"seed": -1},
        "weights": {"weights": {"equation": 1.0}},
        "sampling": {"sampling": 100},
        "initial": {"initial": {v: 1}},
        "progress": {"progress": "yes"},
    }.items():
        refused(lambda options=options: solve(DECAY, method, **options), words)
    refused(lambda: solve("u' = u", method), "Problem")


# --- what NumPy calls a number is one ---------------------------------------------------------


def test_numbers_of_numpy_are_numbers(tmp_path):
    from piscm import load

    auto = Auto(tolerance=np.float32(1e-4), max_nodes=np.int64(30), max_seconds=np.float64(50))
    solution = solve(DECAY, auto, tol=np.float64(1e-5))
    assert solution.status.ok
    solution.save(tmp_path / "auto.npz")
    assert load(tmp_path / "auto.npz").method == solution.method


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_a_count_of_numpy_is_a_count(kind):
    plain = solve(DECAY, Windows(t, 2, method=SMALL), sampling=Sampling(30))
    same = solve(DECAY, Windows(t, kind(2), method=SMALL), sampling=Sampling(30))
    assert same.network.panels == plain.network.panels
    np.testing.assert_array_equal(same(t=[0.2, 0.9]), plain(t=[0.2, 0.9]))
