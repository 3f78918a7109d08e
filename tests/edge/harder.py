"""Problems at the edge: growth, degenerate equations, unknowns, shapes."""

from typing import Any

import numpy as np
from sympy import cos, cosh, exp, log, pi, sin, sinh

from edge.attacks import LAPLACE, _problem, _start, p, q
from edge.problems import (
    HOT,
    LEFT,
    PARABOLA,
    RIGHT,
    SQUARE,
    STRIP,
    TIME,
    Case,
    _decay,
    _line,
    _never,
    _parabola,
    _seen,
    _solved,
    a,
    b,
    k,
    s,
    t,
    u,
    w,
    x,
    y,
    z,
)
from piscm import (
    Box,
    Condition,
    Disk,
    Interval,
    Observations,
    Polygon,
    field,
    integral,
    normal_derivative,
)

c, r = field("c", x, y, t), field("r", t)
DISK = Disk({x: 0, y: 0}, radius=1, name="rim")
PLATE = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim") - Disk(
    {x: 1, y: 0.5}, radius=0.2, name="hole"
)
ROD = Disk({x: 0, y: 0}, radius=1) * Interval(t, 0, 0.5)


def _growth() -> dict[str, Case]:
    pull = Box({t: (0, 2)})
    return {
        **{
            f"growth: rate {rate}": _solved(
                _decay(s.diff(t) - rate * (s - cos(t)) + sin(t), pull), cos(t), rate == 30
            )
            for rate in (30, 100)
        },
        "growth: saddle": _solved(
            _problem(
                Box({t: (0, 10)}), [s.diff(t) - r, r.diff(t) - 4 * s], _start(s - 1), _start(r + 2)
            ),
            {s: exp(-2 * t), r: -2 * exp(-2 * t)},
            max_seconds=10,
        ),
        "growth: high wave": _solved(
            _problem(
                Box({x: (0, 1), t: (0, 0.05)}),
                w.diff(t) + w.diff(x, 2),
                _start(w - sin(pi * x) - sin(5 * pi * x) / 1000),
                LEFT,
                RIGHT,
            ),
            exp(pi**2 * t) * sin(pi * x) + exp(25 * pi**2 * t) * sin(5 * pi * x) / 1000,
            tol=1e-4,
            max_seconds=10,
        ),
        "growth: backwards, no walls": _never(
            _problem(Box({x: (0, 1), t: (0, 0.1)}), w.diff(t) + w.diff(x, 2), HOT), True, tol=1e-3
        ),
        "growth: heat from its end": _solved(
            _problem(
                STRIP,
                w.diff(t) - w.diff(x, 2),
                _start(w - exp(-(pi**2) / 5) * sin(pi * x), 0.2),
                LEFT,
                RIGHT,
            ),
            exp(-(pi**2) * t) * sin(pi * x),
            tol=1e-4,
            max_seconds=10,
        ),
        "growth: Cauchy and Laplace": _solved(
            _problem(
                SQUARE,
                LAPLACE,
                Condition(z, on=[{y: 0}, {x: 0}, {x: 1}]),
                Condition(z.diff(y) - sin(pi * x), on={y: 0}),
            ),
            sin(pi * x) * sinh(pi * y) / pi,
            tol=1e-4,
        ),
        "growth: Cauchy alone": _solved(
            _problem(
                SQUARE,
                LAPLACE,
                Condition(z - sin(3 * x), on={y: 0}),
                Condition(z.diff(y), on={y: 0}),
            ),
            sin(3 * x) * cosh(3 * y),
            tol=1e-4,
            max_seconds=10,
        ),
    }


def _degenerate() -> dict[str, Case]:
    start = Condition(u, on={x: 0})
    return {
        "degenerate: any slope": _never(_line(x * u.diff(x) - u, [start]), True),
        "degenerate: any bend": _never(_line(x * u.diff(x) - 2 * u + x, [start])),
        "degenerate: from the end": _solved(
            _line(x * u.diff(x) - u, [Condition(u - 1, on={x: 1})]), x, True
        ),
        "degenerate: turning point": _never(
            _line((x - 0.5) * u.diff(x), [start, Condition(u - 1, on={x: 1})]),
            tol=1e-3,
            max_seconds=5,
        ),
        "degenerate: Legendre": _solved(
            _line(((1 - x**2) * u.diff(x)).diff(x) + 2 * u, [start, Condition(u - 1, on={x: 1})]), x
        ),
        "degenerate: Euler": _solved(
            _line(x**2 * u.diff(x, 2) - 2 * u, [Condition(u - 1, on={x: 1})]), x**2, True
        ),
        "degenerate: root": _solved(_line(2 * u * u.diff(x) - 1, [start]), x**0.5, tol=1e-3),
    }


def _more_unknowns() -> dict[str, Case]:
    at = np.random.default_rng(0).random((50, 2)) * [1, 0.2]
    steady = [Observations(w, points=at, values=at[:, 0])]
    rate = s.diff(t) + k * s

    def data(values: Any, **more: Any) -> list[Observations]:
        points = np.linspace(0.05, 0.95, 30)[:, None]
        return [Observations(s, points=points, values=values(points[:, 0]), **more)]

    one = [Observations(s, points=[[0.5]], values=[0.5])]
    return {
        "unknown: steady state": _never(
            _problem(
                STRIP,
                w.diff(t) - k * w.diff(x, 2),
                _start(w - x),
                LEFT,
                Condition(w - 1, on={x: 1}),
                unknowns={k: 0.1},
                observations=steady,
            ),
            True,
            tol=1e-4,
        ),
        "unknown: no effect": _never(
            _line(
                u.diff(x, 2) + 1 + k * (u - PARABOLA),
                unknowns={k: 1},
                observations=_seen(_parabola),
            ),
            True,
        ),
        "unknown: faint effect": _never(
            _line(u.diff(x, 2) + 1 + 1e-12 * k * u, unknowns={k: 1}, observations=_seen(_parabola))
        ),
        "unknown: wrong model": _never(
            _line(
                u.diff(x, 2) + k,
                unknowns={k: 1},
                observations=_seen(lambda at: np.sin(3 * np.pi * at)),
            ),
            tol=1e-3,
        ),
        "unknown: held at its bound": _never(
            _line(
                u.diff(x, 2) + k,
                unknowns={k: (1, 0.5, 2)},
                observations=_seen(lambda at: 5 * at * (1 - at)),
            ),
            tol=1e-3,
        ),
        "unknown: one datum": _solved(
            _problem(TIME, rate, _start(s - 1), unknowns={k: 1}, observations=one),
            exp(-2 * t * log(2)),
            True,
        ),
        "unknown: one datum for two": _never(
            _problem(TIME, rate, _start(s - a), unknowns={k: 1, a: 1}, observations=one), True
        ),
        "unknown: rates alike": _never(
            _problem(
                TIME,
                s.diff(t) + (a + b) * s,
                _start(s - 1),
                unknowns={a: 1, b: 0.5},
                observations=data(lambda at: np.exp(-2 * at)),
            )
        ),
        "unknown: rate and start": _solved(
            _problem(
                TIME,
                rate,
                _start(s - a),
                unknowns={k: 1, a: 1},
                observations=data(lambda at: 2 * np.exp(-3 * at)),
            ),
            2 * exp(-3 * t),
        ),
        "unknown: five percent": _solved(
            _line(k * u.diff(x, 2) + 1, unknowns={k: 0.5}, observations=_seen(_parabola, 0.006)),
            PARABOLA,
            tol=0.2,
        ),
    }


def _shapes() -> dict[str, Case]:
    slope = Condition(normal_derivative(z), on="boundary")
    heat = c.diff(t) - c.diff(x, 2) - c.diff(y, 2)
    side, floor_ = Condition(c, on=ROD.boundary("side")), Condition(c, on={t: 0})
    return {
        "shape: disk": _solved(
            _problem(DISK, LAPLACE + 4, Condition(z, on="boundary")),
            1 - x**2 - y**2,
            True,
            tol=1e-4,
        ),
        "shape: half a rim": _never(
            _problem(DISK, LAPLACE + 1, Condition(z, on=DISK.boundary(where=x < 0))), True, tol=1e-3
        ),
        "shape: bare hole": _never(
            _problem(PLATE, LAPLACE + 1, Condition(z, on=PLATE.boundary("rim"))), True, tol=1e-3
        ),
        "shape: slopes": _never(_problem(DISK, LAPLACE + x, slope), tol=1e-3),
        "shape: contradictory slopes": _never(
            _problem(DISK, LAPLACE + 1, slope, Condition(z, on={x: 0, y: 0})),
            tol=1e-3,
            max_seconds=8,
        ),
        "shape: contradictory mean": _never(
            _problem(
                DISK,
                LAPLACE + 4,
                Condition(z, on="boundary"),
                Condition(integral(z, over=DISK) - 3),
            ),
            tol=1e-3,
            max_seconds=8,
        ),
        "shape: rod": _solved(
            _problem(ROD, heat - (1 - x**2 - y**2) - 4 * t, side, floor_),
            t * (1 - x**2 - y**2),
            tol=1e-3,
        ),
        "shape: rod without start": _never(_problem(ROD, heat - 1, side), tol=1e-2),
        "shape: rod without side": _never(_problem(ROD, heat - 1, floor_), True, tol=1e-2),
        "shape: flow without pressure": _never(
            _problem(
                SQUARE,
                [
                    z.diff(x, 2) + z.diff(y, 2) - p.diff(x),
                    q.diff(x, 2) + q.diff(y, 2) - p.diff(y),
                    z.diff(x) + q.diff(y),
                ],
                Condition(z - y * (1 - y), on="boundary"),
                Condition(q, on="boundary"),
            ),
            tol=1e-3,
            max_seconds=15,
        ),
    }


HARDER: dict[str, Case] = {**_growth(), **_degenerate(), **_more_unknowns(), **_shapes()}
