"""More problems at the edge: resonance, contradictions, hidden rows and features, shapes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from sympy import (
    Float,
    Heaviside,
    Max,
    Rational,
    cos,
    erf,
    exp,
    floor,
    pi,
    sin,
    sqrt,
    tan,
)

from edge.problems import (
    ENDS,
    LEFT,
    LINE,
    PARABOLA,
    RIGHT,
    SQUARE,
    STRIP,
    TIME,
    Case,
    _decay,
    _line,
    _never,
    _solved,
    s,
    t,
    u,
    v,
    w,
    x,
    y,
    z,
)
from piscm import (
    Box,
    Condition,
    Problem,
    field,
    integral,
    normal_derivative,
)

r = field("r", t)
p, q = field("p", x, y), field("q", x, y)
LAPLACE = z.diff(x, 2) + z.diff(y, 2)
RIM = Condition(z, on="boundary")
LONG = Box({x: (0, 1), t: (0, 1)})
NEAR = pi**2 + Float(1e-3)
STRETCH = Box({x: (-1, 1)})


def _problem(domain: Any, equations: Any, *conditions: Any, **more: Any) -> Callable[[], Problem]:
    listed = equations if isinstance(equations, list) else [equations]
    return lambda: Problem(domain, listed, list(conditions), **more)


def _start(expression: Any, at: float = 0) -> Condition:
    return Condition(expression, on={t: at})


def _several() -> dict[str, Case]:
    def bratu(at: Any) -> list[Any]:
        roots = [
            scipy.optimize.brentq(lambda own: own - 2 * np.cosh(own / 4), *ends)
            for ends in ((0.1, 4), (5, 20))
        ]
        return [-2 * np.log(np.cosh((at - 0.5) * own / 2) / np.cosh(own / 4)) for own in roots]

    return {
        "several: Bratu": _solved(_line(u.diff(x, 2) + 2 * exp(u)), bratu, True),
        "several: no Bratu": _never(_line(u.diff(x, 2) + 5 * exp(u)), max_seconds=5),
        "several: eikonal": _never(_line(u.diff(x) ** 2 - 1), max_seconds=5, tol=1e-2),
        "several: Peano": _solved(
            _line(u.diff(x) ** 2 - 4 * u, [Condition(u, on={x: 0})]), [0 * x, x**2], True
        ),
        "several: no arc": _never(
            _problem(Box({x: (0, 4)}), u.diff(x, 2) - 1 - u.diff(x) ** 2, ENDS), max_seconds=5
        ),
        "several: pole inside": _never(
            _decay(s.diff(t) - 1 - s**2, Box({t: (0, 2)}), 0), max_seconds=8
        ),
        "several: pole near": _solved(_decay(s.diff(t) - 1 - s**2, Box({t: (0, 1.5)}), 0), tan(t)),
        "several: fold near": _solved(
            _decay(s * s.diff(t) + t, Box({t: (0, 0.9)})), sqrt(1 - t**2), True
        ),
        "several: fold passed": _never(
            _decay(s * s.diff(t) + t, Box({t: (0, 1.5)})), max_seconds=8
        ),
    }


def _resonance() -> dict[str, Case]:
    waves = w.diff(t, 2) - w.diff(x, 2)
    closed = Condition(w, on="boundary")
    return {
        "resonance: nothing": _never(_line(u.diff(x, 2) + pi**2 * u - sin(pi * x)), max_seconds=5),
        "resonance: a family": _never(_line(u.diff(x, 2) + pi**2 * u - sin(2 * pi * x))),
        "resonance: zero too": _never(_line(u.diff(x, 2) + pi**2 * u), True),
        "resonance: near": _solved(
            _line(u.diff(x, 2) + NEAR * u - sin(pi * x)), 1000 * sin(pi * x), True
        ),
        "resonance: in the plane": _never(
            _problem(SQUARE, LAPLACE + 2 * pi**2 * z - sin(2 * pi * x) * sin(pi * y), RIM),
            tol=1e-4,
            max_seconds=10,
        ),
        "resonance: wave between times": _never(_problem(LONG, waves, closed), True, tol=1e-3),
        "resonance: source between times": _never(
            _problem(LONG, waves - sin(2 * pi * x), closed), tol=1e-3, max_seconds=10
        ),
    }


def _contradictions() -> dict[str, Case]:
    bend = u.diff(x, 2) + 1
    mean = integral(u, over=x)
    slope = Condition(normal_derivative(z), on="boundary")
    return {
        "contradiction: slopes": _never(
            _line(u.diff(x, 2) - 1, [Condition(u.diff(x), on="boundary")]), max_seconds=5
        ),
        "contradiction: slopes, pinned": _never(
            _problem(SQUARE, LAPLACE - 1, slope, Condition(z, on={x: 0, y: 0})),
            tol=1e-3,
            max_seconds=8,
        ),
        "contradiction: inside": _never(
            _line(bend, [ENDS, Condition(u - 1, on={x: 0.5})]), max_seconds=5
        ),
        "contradiction: both ends": _never(
            _problem(TIME, s.diff(t) + s, _start(s - 1), _start(s - 1, 1)), max_seconds=5
        ),
        "contradiction: slight": _never(
            _problem(TIME, s.diff(t) + s, _start(s - 1), _start(s - 1.0001)), True, max_seconds=5
        ),
        "contradiction: mean": _never(_line(bend, [ENDS, Condition(mean - 1)]), max_seconds=5),
        "contradiction: mean, slight": _never(
            _line(bend, [ENDS, Condition(mean - 1 / 12 - 1e-4)]), max_seconds=5
        ),
        "contradiction: none": _solved(
            _line(bend, [ENDS, Condition(mean - Rational(1, 12))]), PARABOLA, True
        ),
        "contradiction: two equations": _never(
            _problem(LINE, [bend, u.diff(x) - 1], ENDS), max_seconds=5
        ),
        "contradiction: almost the same": _never(
            _problem(LINE, [bend, u.diff(x, 2) + 1.0003], ENDS), max_seconds=5
        ),
        "contradiction: constraint": _never(
            _problem(TIME, [s.diff(t) - r, s - sin(t)], _start(r - 5)), max_seconds=5
        ),
        "mean: instead of an end": _solved(
            _line(bend, [Condition(u, on={x: 0}), Condition(mean - Rational(1, 12))]),
            PARABOLA,
            True,
        ),
        "mean: fixes the constant": _solved(
            _problem(
                SQUARE,
                LAPLACE + pi**2 * cos(pi * x),
                slope,
                Condition(integral(z, over=SQUARE)),
            ),
            cos(pi * x) + 0 * y,
            tol=1e-4,
        ),
    }


def _hidden() -> dict[str, Case]:
    bend = u.diff(x, 2) + 1
    wall = 1 + 1e5 * exp(-(((s - 0.5) / 1e-5) ** 2))
    slit = 1e8 * exp(-(((x - 0.3) / 1e-5) ** 2))

    def held(at: Any) -> Any:  # the field stands still at the wall for a while
        own = np.concatenate(
            [np.linspace(0, 0.4999, 99), np.linspace(0.4999, 0.5001, 9999), np.linspace(0.5001, 1)]
        )
        times = own + np.sqrt(np.pi) / 2 * (scipy.special.erf((own - 0.5) / 1e-5) + 1)
        return np.interp(at, times, own)

    def after_pulse(at: Any) -> Any:  # its width squared is too small to matter
        risen = scipy.special.erf((at - 0.7) / 1e-4 - 5e-5) + 1
        return np.exp(-at) + np.exp(0.7 - at) * np.sqrt(np.pi) / 2 * risen

    return {
        "hidden: quiet rows": _solved(_line(exp(-100 * x) * bend), PARABOLA, max_seconds=8),
        "hidden: no rows": _never(_line(Max(0, Rational(1, 2) - x) ** 3 * bend), max_seconds=8),
        "hidden: wall in the field": _solved(
            _decay(s.diff(t) - 1 / wall, Box({t: (0, 2)}), 0), held, True
        ),
        "hidden: wall as a factor": _solved(
            _decay(s.diff(t) * wall - 1, Box({t: (0, 2)}), 0), held, True
        ),
        "hidden: slit": _never(
            _line(u.diff(x, 2) - slit * u, [Condition(u, on={x: 0}), Condition(u - 1, on={x: 1})])
        ),
        "hidden: needle": _never(
            _problem(SQUARE, LAPLACE + 1e6 * exp(-((x - 0.3) ** 2 + (y - 0.6) ** 2) / 1e-6), RIM),
            tol=1e-3,
            max_seconds=10,
        ),
        "hidden: hot spot on a face": _never(
            _problem(
                SQUARE,
                LAPLACE,
                Condition(z, on=[{x: 0}, {x: 1}, {y: 1}]),
                Condition(z - exp(-(((x - 0.35) / 1e-4) ** 2)) - sin(pi * x), on={y: 0}),
            ),
            True,
            tol=1e-4,
        ),
        "hidden: pulse": _solved(
            _decay(s.diff(t) + s - 1e4 * exp(-(((t - 0.7) / 1e-4) ** 2))), after_pulse, True
        ),
    }


def _rough() -> dict[str, Case]:
    def corner(at: Any, when: Any) -> Any:
        odd = np.arange(1, 800, 2)[:, None] * np.pi
        return np.sum(4 / odd * np.sin(odd * at) * np.exp(-(odd**2) * when), axis=0)

    def stairs(at: Any) -> Any:
        return np.maximum(0, at - 0.25) + np.maximum(0, at - 0.5) + np.maximum(0, at - 0.75)

    heat = w.diff(t) - w.diff(x, 2)
    return {
        "rough: corner": _solved(
            _problem(STRIP, heat, _start(w - 1), LEFT, RIGHT), corner, tol=1e-3, max_seconds=8
        ),
        "rough: step carried": _solved(
            _problem(
                Box({x: (0, 1), t: (0, 0.5)}),
                w.diff(t) + w.diff(x),
                _start(w - Heaviside(0.3 - x)),
                Condition(w - 1, on={x: 0}),
            ),
            lambda at, when: 1.0 * (at - when < 0.3),
            tol=1e-2,
            max_seconds=8,
        ),
        "rough: stairs": _solved(
            _decay(s.diff(t) - floor(4 * t), value=0), stairs, tol=1e-3, max_seconds=8
        ),
        "rough: front": _solved(
            _problem(
                STRETCH,
                1e-4 * u.diff(x, 2) + x * u.diff(x),
                Condition(u + 1, on={x: -1}),
                Condition(u - 1, on={x: 1}),
            ),
            erf(x / sqrt(2e-4)),
            tol=1e-4,
        ),
    }


def _sizes() -> dict[str, Case]:
    return {
        "size: a small field rides": _solved(
            _problem(
                LINE,
                [u.diff(x) - cos(x), v.diff(x) - 1e-8 * cos(x) * exp(u)],
                Condition(u, on={x: 0}),
                Condition(v - 1e-8, on={x: 0}),
            ),
            {u: sin(x), v: 1e-8 * exp(sin(x))},
            True,
        ),
        "size: thin and far": _solved(
            _problem(Box({t: (1e6, 1e6 + 1e-3)}), s.diff(t) + 1000 * s, _start(s - 1, 1e6)),
            lambda at: np.exp(-1000 * (at - 1e6)),
            True,
        ),
        "size: parsecs": _solved(
            _problem(Box({x: (0, 3e16)}), u.diff(x, 2) + Float("1e-32"), ENDS),
            5e-33 * x * (3e16 - x),
            True,
        ),
        "size: mixed units": _solved(
            _problem(
                Box({x: (0, 1e-6), t: (0, 1e4)}),
                w.diff(t) - 1e-17 * w.diff(x, 2),
                _start(w - 300 * sin(1e6 * pi * x)),
                Condition(w, on=[{x: 0}, {x: 1e-6}]),
            ),
            300 * sin(1e6 * pi * x) * exp(-(pi**2) * 1e-5 * t),
            tol=1e-4,
        ),
        "size: order six": _solved(
            _line(
                u.diff(x, 6) + u - (1 - pi**6) * sin(pi * x),
                [Condition(own, on="boundary") for own in (u, u.diff(x, 2), u.diff(x, 4))],
            ),
            sin(pi * x),
            True,
        ),
        "size: order eight": _solved(
            _line(
                u.diff(x, 8) - u,
                [Condition((u.diff(x, i) if i else u) - 1, on={x: 0}) for i in range(8)],
            ),
            exp(x),
        ),
    }


ATTACKS: dict[str, Case] = {
    **_several(),
    **_resonance(),
    **_contradictions(),
    **_hidden(),
    **_rough(),
    **_sizes(),
}
