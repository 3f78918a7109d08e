"""Names of rows in tables."""

import pytest

from piscm.problem.errors import fitted_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Derivative(u(x), x) on x = 0", "Derivative(u(x), x) on x = 0"),
        (
            "Derivative(u(x, t), x, t) + Derivative(u(x, t), (x, 2), t) + 3*u(x, t) on x = 0",
            "u_xt + u_xxt + 3*u(x, t) on x = 0",
        ),
        (
            "-Derivative(w_a(x), (x, 3)) + Derivative(w_b(x), (x, 3)) on the interface of a and b",
            "-w_a_xxx + w_b_xxx on a|b",
        ),
    ],
)
def test_long_names_are_written_shorter(name, short):
    assert fitted_name(name, 48) == short


def test_what_is_too_long_is_cut_before_its_place():
    short = fitted_name("u(x, t)" + " + 1" * 20 + " on x = 0 and x = 1", 48)
    assert len(short) == 48
    assert short.startswith("u(x, t) + 1")
    assert short.endswith("... on x = 0 and x = 1")
