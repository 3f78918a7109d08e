"""Layers that meet in corners are followed by thin patches, and nothing else is changed by them."""

import numpy as np
import pytest
import sympy

from piscm import (
    Auto,
    Box,
    Condition,
    Problem,
    Sampling,
    Status,
    coordinates,
    field,
    solve,
    zoo,
)
from piscm.budget.clock import OutOfTimeError
from piscm.inference.error_estimate import ErrorEstimate
from piscm.march.layered import distances, layered_edges, one_or_other
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.paper.at_once import near_faces
from piscm.result.method import Outcome
from piscm.zoo import layers

x, y = coordinates("x y")
u = field("u", x, y)


@pytest.mark.parametrize(
    ("made", "power", "seed"),
    [
        (layers.in_corner, 2, 0),
        pytest.param(layers.in_corner, 3, 1, marks=pytest.mark.slow),
        (layers.convection_2d, 3, 0),
        pytest.param(layers.at_all_sides, 2, 0, marks=pytest.mark.slow),
        # Its source is 1 but for round-off along nearly all lines.
        pytest.param(layers.at_all_sides, 3, 3, marks=pytest.mark.slow),
    ],
)
def test_layers_in_a_square(made, power, seed):
    benchmark = made(sympy.Rational(1, 10**power))
    solution = solve(benchmark.problem, seed=seed)
    assert solution.status.ok
    assert isinstance(solution.network, Patchwork)
    error, largest = near_faces(solution, benchmark)
    assert error < 1e-6
    assert largest < 1e-5
    assert solution.error_estimate.relative > error / 3
    assert str(solution.network) in str(solution)


def test_cells_end_where_layers_have_faded():
    edges = layered_edges(layers.in_corner().problem)
    assert edges == (pytest.approx((0, 0.8, 0.95, 1), rel=1e-3),) * 2
    sides = layered_edges(layers.at_all_sides().problem)
    assert sides == (pytest.approx((0, 0.05, 0.2, 0.8, 0.95, 1), rel=1e-3),) * 2
    assert layered_edges(layers.in_corner(sympy.Rational(1, 10)).problem) is None


def test_thin_and_wide_layers_at_one_side():
    assert distances([1e3, 1.1e3, 1e5]) == pytest.approx([5e-5, 2e-4, 4.5e-3, 1.8e-2], rel=0.02)


@pytest.mark.slow
def test_a_singularity_in_a_corner_is_followed():
    """The torsion of a bar, with reaction: u_xx + u_yy is 1 and 0 in each corner."""
    small = sympy.Rational(1, 50)
    equation = -(small**2) * (u.diff(x, 2) + u.diff(y, 2)) + u - 1
    problem = Problem(Box({x: (0, 1), y: (0, 1)}), [equation], [Condition(u, on="boundary")])
    solution = solve(problem)
    assert solution.status.ok
    at = np.linspace(0, 1, 11)[1:-1]
    hat = 1 - np.cosh((at - 0.5) * 50) / np.cosh(25)
    assert np.abs(solution(x=at, y=0.5) - hat).max() < 1e-5  # from x = 0.5 the ends are far away
    assert max(solution.network.tiles.shape) > 5


def test_an_activation_of_the_user_is_kept():
    solution = solve(layers.in_corner().problem, Auto(activation="tanh", max_seconds=0.5))
    assert isinstance(solution.network, Network)


def test_on_a_line_one_network_comes_first():
    assert isinstance(solve(zoo.load("boundary-layer").problem).network, Network)


def outcome(status, error):
    known = ErrorEstimate(error, {"u": error})
    return Outcome(None, status, 0.0, (), None, Sampling(), error=known, tried=(status.name,))


def chosen(first, second):
    return one_or_other(None, lambda _: first, lambda _: second)


def test_the_second_way_is_for_what_the_first_did_not_resolve():
    met, lost = outcome(Status.CONVERGED, 1e-7), outcome(Status.HOPELESS, 1e-2)
    free = outcome(Status.UNDETERMINED, np.inf)
    assert chosen(met, lost) is met
    assert chosen(free, met) is free
    assert chosen(None, lost) is lost
    assert chosen(lost, None) is lost
    assert chosen(lost, met).status is Status.CONVERGED
    assert chosen(lost, met).tried == ("HOPELESS", "CONVERGED")
    assert chosen(lost, outcome(Status.HOPELESS, 0.1)).error.relative == 1e-2


def test_what_was_found_before_a_stop_is_kept():
    lost, stopped = outcome(Status.HOPELESS, 1e-2), outcome(Status.TIME_LIMIT, np.inf)
    found = chosen(lost, stopped)
    assert (found.status, found.error.relative) == (Status.TIME_LIMIT, 1e-2)

    def too_late(_):
        raise OutOfTimeError

    assert one_or_other(None, lambda _: lost, too_late).status is Status.TIME_LIMIT
    with pytest.raises(OutOfTimeError):
        one_or_other(None, lambda _: None, too_late)
