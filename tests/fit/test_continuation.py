"""Continuation in stiffness: what is made easier, and where it is tried."""

from dataclasses import replace

import numpy as np
import sympy

from piscm import Box, Condition, Problem, coordinates, field, solve
from piscm.assemble.weighting import EVEN
from piscm.fit.continuation import stiffened
from piscm.fit.piece import task_for
from piscm.fit.portfolio import Portfolio
from piscm.network.start import Start

x = coordinates("x")
u, v = field("u", x), field("v", x)


def corner(width, place=0.745):
    """|x - place| with its corner rounded off: Gauss–Newton from zero stalls if it is sharp."""

    def exact(at):
        return 1 + width * np.log(np.cosh((at - place) / width))

    ends = [Condition(u - float(exact(end)), on={x: end}) for end in (0.0, 1.0)]
    small = sympy.Float(width)
    problem = Problem(Box({x: (0, 1)}), [small * u.diff(x, 2) + u.diff(x) ** 2 - 1], ends)
    return problem, exact


def test_the_highest_derivatives_of_every_equation_grow():
    conditions = [Condition(u, on={x: 0}), Condition(u - 1, on={x: 1}), Condition(v, on={x: 0})]
    problem = Problem(
        Box({x: (0, 1)}),
        [u.diff(x, 2) / 100 + u * u.diff(x) + v.diff(x), v.diff(x) - u**2],
        conditions,
    )
    first, second = stiffened(problem, 4.0).equations
    assert sympy.simplify(first - (u.diff(x, 2) / 25 + u * u.diff(x) + v.diff(x))) == 0
    assert sympy.simplify(second - (4 * v.diff(x) - u**2)) == 0
    assert stiffened(problem, 1.0) is problem


def test_a_sharp_corner_is_reached_from_a_rounder_one():
    problem, exact = corner(0.01)
    at = np.linspace(0, 1, 501)
    solution = solve(problem, seed=0)
    assert solution.status.ok
    assert any("continuation" in note for note in solution.tried)
    assert np.abs(solution(x=at) - exact(at)).max() < 1e-5


def test_nothing_is_continued_where_the_direct_way_does():
    problem, _ = corner(0.1)
    solution = solve(problem, seed=0)
    assert solution.status.ok
    assert not any("continuation" in note for note in solution.tried)


def test_what_was_found_may_be_worse_than_what_is_there():
    problem, _ = corner(0.1)
    rng = np.random.default_rng(0)
    task = task_for(problem, None, Start(problem), EVEN, rng)
    run = Portfolio(task, 1e-9, ("sin",), rng, lambda *_: None)
    found = run.run()
    worse = replace(run.contest.leader, held_out=0.04)
    again = run.led_by([worse], "continuation")
    assert again.piece.error <= found.piece.error
    assert "continuation" in again.piece.tried
