"""Wrong options of a method, and odd ones that are taken."""

import numpy as np
import pytest
import sympy
from builders import solved_in_no_time

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Sampling,
    coordinates,
    field,
)

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u, v = field("u", x), field("v", x)
a = sympy.Symbol("a")
HUGE = 10**400


BAD_COUNTS = [0, -1, 1.5, 2.0, "3", None, True, np.nan, [3], np.array([3])]
BAD_NUMBERS = [0, -1, np.nan, np.inf, "a", True, 1j, HUGE]
RAGGED = [[1.0], [1.0, 0.5]]
BAD_LADDERS = [[], None, 3, "12", [-1], [np.nan], [np.inf], ["1"], [True], [[1.0]], {1}, RAGGED]


@pytest.mark.parametrize("kind", [PISC1, PISC2, PISC3])
@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("max_nodes", BAD_COUNTS),
        ("candidates", BAD_COUNTS),
        ("scale", [*BAD_NUMBERS, [], [1, -1], [1, np.nan], [[1, 2]], {1}, RAGGED]),
        ("truncation", [*BAD_NUMBERS, None, [], [1e-3], (1e-10, 1e-5)]),
        ("max_seconds", [*BAD_NUMBERS, [], [1, 2]]),
        ("tolerance", [*BAD_NUMBERS[1:], None, [0.1]]),
        ("ranges", [*BAD_LADDERS, [0], np.array(3.0)]),
        ("dampings", [*BAD_LADDERS, [0], [2]]),
        ("contractions", [*BAD_LADDERS, [0], [2]]),
        ("steps", [*BAD_LADDERS, [2]]),
        ("activation", ["relu", "SIN", "", None, 3, np.sin, ["sin"], {}]),
    ],
)
def test_options_of_a_method(refused, kind, option, values):
    for value in values:
        refused(lambda value=value: kind(**{option: value}), option)


@pytest.mark.parametrize("window", BAD_COUNTS)
def test_the_window(refused, window):
    refused(lambda: PISC2(window=window), "window")


@pytest.mark.parametrize(
    "options",
    [
        {"max_nodes": np.int64(3), "candidates": np.int32(5), "tolerance": np.float32(0.1)},
        {"scale": np.array(2.0)},
        {"scale": np.array([2.0]), "ranges": np.array([1, 2]), "steps": [1]},
        {"scale": (2,), "ranges": (1,), "truncation": np.float64(1e-8)},
    ],
)
def test_numpy_options_are_taken(options):
    method = PISC3(**{"max_nodes": 3, "candidates": 5, **options})
    assert solved_in_no_time(method=method, sampling=Sampling(interior=np.int64(9))).n_nodes <= 3
