"""Problems at the edge: each says what must come out of it.

``solved(problem, truth)`` may end in any status, but if it is ok, it must be right within ten times
its estimate. ``never(problem)`` has no single answer, so it must not be ok. ``refused(make)``
raises before any work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Piecewise,
    Rational,
    cos,
    cosh,
    exp,
    log,
    pi,
    sign,
    sin,
    sqrt,
    tanh,
)

from piscm import Box, Condition, Observations, Periodic, Problem, coordinates, field, unknown

x, y, t = coordinates("x y t")
u, v = field("u", x), field("v", x)
w, z, s = field("w", x, t), field("z", x, y), field("s", t)
a, b, k = unknown("a"), unknown("b"), unknown("k")
LINE, TIME = Box({x: (0, 1)}), Box({t: (0, 1)})
STRIP, SQUARE = Box({x: (0, 1), t: (0, 0.2)}), Box({x: (0, 1), y: (0, 1)})
ENDS = Condition(u, on="boundary")
WHERE = np.linspace(0.05, 0.95, 30)[:, None]


@dataclass(frozen=True)
class Case:
    """A problem, what is asked of it, and options of `solve`."""

    make: Callable[[], Problem]
    truth: Any = None  # an expression in the coordinates
    kind: str = "solved"
    options: dict[str, Any] | None = None
    fast: bool = False


def _seen(function: Callable[[Any], Any], noise: float = 0.0) -> list[Observations]:
    values = function(WHERE[:, 0]) + noise * np.random.default_rng(0).standard_normal(len(WHERE))
    return [Observations(u, points=WHERE, values=values)]


def _parabola(at: Any) -> Any:
    return at * (1 - at) / 2


def _line(equation: Any, conditions: Any = (ENDS,), **more: Any) -> Callable[[], Problem]:
    return lambda: Problem(LINE, [equation], list(conditions), **more)


def _decay(equation: Any, box: Box = TIME, value: Any = 1) -> Callable[[], Problem]:
    return lambda: Problem(box, [equation], [Condition(s - value, on={t: box.lower[0]})])


def _heat(*conditions: Any, **more: Any) -> Callable[[], Problem]:
    diffusivity = k if more.get("unknowns") else 1
    equation = w.diff(t) - diffusivity * w.diff(x, 2)
    return lambda: Problem(STRIP, [equation], list(conditions), **more)


HOT, LEFT, RIGHT = (
    Condition(w - sin(pi * x), on={t: 0}),
    Condition(w, on={x: 0}),
    Condition(w, on={x: 1}),
)
COOLED = exp(-(pi**2) * t) * sin(pi * x)
PARABOLA = x * (1 - x) / 2
BEND = u.diff(x, 2) + 1
JUMP = Piecewise((1, x < 0.5), (10, True))


def _solved(make: Any, truth: Any, fast: bool = False, **options: Any) -> Case:
    return Case(make, truth, "solved", options, fast)


def _never(make: Any, fast: bool = False, **options: Any) -> Case:
    return Case(make, None, "never", options, fast)


def _refused(make: Any) -> Case:
    return Case(make, None, "refused", {}, True)


STARTS = {
    "kink": Min(x, 1 - x),
    "step": Heaviside(x - 0.3),
    "sign": sign(x - 0.5),
    "root": sqrt(x),
    "cusp": Abs(x - 0.5) ** Rational(3, 2),
    "stairs": sympy.floor(7 * x),
    "wild": 1e6 * cos(40 * x),
    "ramp": Max(0, x - 0.5),
}


def _starts() -> dict[str, Case]:
    return {
        f"start: {name}": _solved(_line(BEND), PARABOLA, name in ("kink", "step"), initial={u: own})
        for name, own in STARTS.items()
    }


def _fields() -> dict[str, Case]:
    neumann = [Condition(u.diff(x) - 0.5, on={x: 0}), Condition(u.diff(x) + 0.5, on={x: 1})]
    slope = Condition(u.diff(x), on="boundary")
    return {
        "field: one end": _never(_line(BEND, [Condition(u, on={x: 0})]), True),
        "field: slopes alone": _never(_line(BEND, neumann), True),
        "field: same end twice": _never(_line(BEND, [Condition(u, on={x: 0})] * 2), True),
        "field: resonance": _never(_line(u.diff(x, 2) + pi**2 * u - 1, [slope])),
        "field: beam lacks one": _never(
            _line(u.diff(x, 4) - 1, [ENDS, Condition(u.diff(x), on={x: 0})])
        ),
        "field: free constant": _never(
            _line(u.diff(x) - 1, [Condition(u.diff(x) - 1, on={x: 0})]), True
        ),
        "field: no start": _never(_heat(LEFT, Condition(w - 1, on={x: 1})), True, tol=1e-4),
        "field: no ends": _never(_heat(HOT), tol=1e-3),
        "field: one side": _never(_heat(HOT, LEFT), True, tol=1e-3),
        "field: wave lacks speed": _never(
            lambda: Problem(
                Box({x: (0, 1), t: (0, 1)}), [w.diff(t, 2) - w.diff(x, 2)], [HOT, LEFT, RIGHT]
            ),
            tol=1e-2,
        ),
        "field: no inflow": _never(
            lambda: Problem(
                Box({x: (0, 1), t: (0, 1)}),
                [w.diff(t) + w.diff(x)],
                [Condition(w - sin(6 * x), on={t: 0})],
            ),
            tol=1e-3,
        ),
        "field: three sides": _never(
            lambda: Problem(
                SQUARE,
                [z.diff(x, 2) + z.diff(y, 2) + 1],
                [Condition(z, on={x: 0}), Condition(z, on={x: 1}), Condition(z, on={y: 0})],
            ),
            tol=1e-2,
        ),
        "field: equation twice": _never(
            lambda: Problem(
                LINE, [u.diff(x, 2) + v, u.diff(x, 2) + v], [ENDS, Condition(v, on="boundary")]
            ),
            True,
        ),
        "field: half a system": _never(
            lambda: Problem(
                Box({x: (0, 2)}), [u.diff(x) - v, v.diff(x) + u], [Condition(u - 1, on={x: 0})]
            ),
            True,
        ),
        "field: oscillator lacks speed": _never(
            lambda: Problem(Box({t: (0, 5)}), [s.diff(t, 2) + s], [Condition(s - 1, on={t: 0})]),
            True,
        ),
        "field: periodic constant": _never(
            _line(
                u.diff(x, 2) - cos(2 * pi * x),
                [Periodic(u, along=x), Periodic(u.diff(x), along=x)],
            )
        ),
        "field: periodic value alone": _never(
            _line(u.diff(x, 2) + u - cos(2 * pi * x), [Periodic(u, along=x)])
        ),
        "field: contradiction": _never(
            _line(BEND, [ENDS, Condition(u - 1, on={x: 0})]), max_seconds=5
        ),
        "field: contradictory slopes": _never(
            _line(BEND, [Condition(u.diff(x), on="boundary"), Condition(u, on={x: 0})]),
            max_seconds=5,
        ),
    }


def _unknowns() -> dict[str, Case]:
    zero = _seen(lambda at: 0 * at)
    return {
        "unknown: both factors": _never(
            _line(a * u.diff(x, 2) + b, unknowns={a: 1, b: 0.5}, observations=_seen(_parabola)),
            True,
        ),
        "unknown: common factor": _never(
            _line(a * (u.diff(x, 2) + 1), unknowns={a: 1}, observations=_seen(_parabola)), True
        ),
        "unknown: equation vanishes": _never(
            _line(k * u.diff(x, 2), unknowns={k: 1}, observations=_seen(_parabola)), True
        ),
        "unknown: vanishes at one": _never(
            _line((k - 1) * u.diff(x, 2), unknowns={k: 3}, observations=_seen(_parabola))
        ),
        "unknown: loose tolerance": _never(
            _line(k * u.diff(x, 2), unknowns={k: 1}, observations=_seen(_parabola)), tol=1e-2
        ),
        "unknown: zero data": _never(
            _line(u.diff(x, 2) + k * u, unknowns={k: 1}, observations=zero), True
        ),
        "unknown: only the sum": _never(
            _line(u.diff(x, 2) + a + b, unknowns={a: 0.3, b: 0.3}, observations=_seen(_parabola))
        ),
        "unknown: only the product": _never(
            _line(u.diff(x, 2) + a * b, unknowns={a: 0.5, b: 0.5}, observations=_seen(_parabola))
        ),
        **{
            f"unknown: no data, tol {tol:g}": _never(
                _heat(HOT, LEFT, RIGHT, unknowns={k: 0.1}), tol == 1e-2, tol=tol
            )
            for tol in (1e-2, 1e-4, 1e-6)
        },
        "unknown: determined": _solved(
            _line(k * u.diff(x, 2) + 1, unknowns={k: 0.5}, observations=_seen(_parabola)),
            PARABOLA,
            True,
        ),
        "unknown: noisy": _solved(
            _line(k * u.diff(x, 2) + 1, unknowns={k: 0.5}, observations=_seen(_parabola, 1e-3)),
            PARABOLA,
            tol=1e-2,
        ),
        "unknown: eigenvalue": _solved(
            _line(
                u.diff(x, 2) + k * u, [ENDS, Condition(u.diff(x) - 1, on={x: 0})], unknowns={k: 9}
            ),
            sin(pi * x) / pi,
        ),
    }


def _jumps() -> dict[str, Case]:
    rise = [Condition(u, on={x: 0}), Condition(u - 1, on={x: 1})]
    return {
        "jump: flux form lost": _refused(_solving(_line((JUMP * u.diff(x)).diff(x), rise))),
        "jump: sign in front": _refused(
            _solving(_line((2 + sign(x - 0.3)) * u.diff(x, 2) - 1, rise))
        ),
        "jump: first order": _refused(
            _solving(_line(JUMP * u.diff(x) - 1, [Condition(u, on={x: 0})]))
        ),
        "jump: with the field": _refused(
            _solving(_line(Piecewise((1, u < 0.5), (2, True)) * u.diff(x, 2), rise))
        ),
        "jump: flux as a field": _solved(
            lambda: Problem(LINE, [u.diff(x) - v / JUMP, v.diff(x)], rise),
            Piecewise((20 * x / 11, x < 0.5), (1 - 2 * (1 - x) / 11, True)),
            tol=1e-2,
            max_seconds=10,
        ),
        "jump: in the source": _solved(
            _line(u.diff(x, 2) - Piecewise((0, x < 0.5), (8, True))),
            Piecewise((-x, x < 0.5), (4 * (x - 0.5) ** 2 - x, True)),
            tol=1e-2,
            max_seconds=10,
        ),
        "jump: kink in front": _solved(
            _line(((1 + Abs(x - 0.5)) * u.diff(x)).diff(x), rise),
            Rational(1, 2) + sign(x - 0.5) * log(1 + Abs(x - 0.5)) / (2 * log(1.5)),
            tol=1e-3,
            max_seconds=10,
        ),
        "jump: continuous pieces": _solved(
            _line(Piecewise((1 + x, x < 0.5), (1.5, True)) * (u.diff(x, 2) + 1)), PARABOLA, tol=1e-3
        ),
    }


def _solving(make: Callable[[], Problem]) -> Callable[[], Any]:
    """Only `solve` refuses some problems."""
    from piscm import solve

    return lambda: solve(make())


def _between() -> dict[str, Case]:
    spike = 1e5 * exp(-(((x - 0.3) / 1e-5) ** 2))
    fast = 3000 * cos(3000 * t)
    return {
        "between: spike": _never(_line(u.diff(x, 2) + spike), True),
        "between: spike beside more": _never(_line(u.diff(x, 2) + 1 + spike)),
        "between: narrow start": _never(
            _heat(Condition(w - exp(-(((x - 0.37) / 1e-5) ** 2)), on={t: 0}), LEFT, RIGHT), tol=1e-3
        ),
        "between: fast source": _solved(_decay(s.diff(t) - fast, value=0), sin(3000 * t), tol=1e-2),
        "between: faster source": _never(
            _decay(s.diff(t) - 1e6 * cos(1e6 * t), value=0), max_seconds=10
        ),
        "between: fast coefficient": _solved(
            _decay(s.diff(t) + cos(200 * t) * s * 100),
            exp(-sin(200 * t) / 2),
            tol=1e-3,
        ),
    }


def _scales() -> dict[str, Case]:
    tiny = sympy.Float("1e-300")
    ramp = exp(-t)
    return {
        "scale: tiny equation": _refused(_solving(_decay(tiny * (s.diff(t) + s)))),
        "scale: tiny value": _refused(_solving(_decay(s.diff(t) + s, value=tiny))),
        "scale: huge value": _refused(_solving(_decay(s.diff(t) + s, value=10**200))),
        "scale: far away": _refused(lambda: Box({t: (1e15, 1e15 + 8)})),
        "scale: too wide": _refused(lambda: Box({t: (0, 1e300)})),
        "scale: small": _solved(
            _decay(1e-30 * (s.diff(t) + s), value=sympy.Float(1e-20)), 1e-20 * ramp, True
        ),
        "scale: large": _solved(_decay(1e25 * (s.diff(t) + s), value=10**12), 1e12 * ramp, True),
        "scale: far in time": _solved(
            _decay(s.diff(t) + s, Box({t: (1000, 1001)})), exp(1000 - t), True
        ),
        "scale: nanometers": _solved(
            lambda: Problem(
                Box({x: (0, 1e-9)}), [u.diff(x, 2) + 1e18], [Condition(u, on="boundary")]
            ),
            5e17 * x * (1e-9 - x),
            True,
        ),
        "scale: fields apart": _solved(
            lambda: Problem(
                Box({x: (0, 1)}),
                [u.diff(x) - 1e-6 * v, v.diff(x) + 1e6 * u],
                [Condition(u, on={x: 0}), Condition(v - 1e6, on={x: 0})],
            ),
            {u: sin(x), v: 1e6 * cos(x)},
        ),
    }


def _plain() -> dict[str, Case]:
    bump = 1 / (1 + 25 * (x - 0.5) ** 2)
    return {
        "plain: growth": _solved(_decay(s.diff(t) - s, Box({t: (0, 10)})), exp(t)),
        "plain: slow growth": _solved(_decay(s.diff(t) - s, Box({t: (0, 3)})), exp(t), True),
        "plain: long decay": _solved(_decay(s.diff(t) + s, Box({t: (0, 20)})), exp(-t), True),
        "plain: logistic": _solved(
            _decay(s.diff(t) - s * (1 - s), Box({t: (0, 6)}), 0.1), 1 / (1 + 9 * exp(-t))
        ),
        "plain: blow-up near": _solved(
            _decay(s.diff(t) - s**2, Box({t: (0, 0.95)})), 1 / (1 - t), max_seconds=20
        ),
        "plain: blow-up inside": _never(
            _decay(s.diff(t) - s**2, Box({t: (0, 1.5)})), max_seconds=5
        ),
        "plain: disk, polar": _solved(
            _line(x * u.diff(x, 2) + u.diff(x) + x, [Condition(u, on={x: 1})]),
            (1 - x**2) / 4,
            True,
        ),
        "plain: Lane and Emden": _solved(
            _line(u.diff(x, 2) + 2 * u.diff(x) / x + u**5, [Condition(u - 1, on={x: 0})]),
            1 / sqrt(1 + x**2 / 3),
        ),
        "plain: layer": _solved(
            _line(-0.01 * u.diff(x, 2) + u.diff(x) - 1),
            x - (exp((x - 1) / 0.01) - exp(-1 / sympy.Float(0.01))) / (1 - exp(-100)),
        ),
        "plain: two layers": _solved(
            _line(-1e-4 * u.diff(x, 2) + u - 1),
            1 - cosh((x - 0.5) / 0.01) / sympy.cosh(50).evalf(),
            tol=1e-4,
        ),
        "plain: near resonance": _solved(
            _line(u.diff(x, 2) + 9.8 * u - 1),
            (1 - cos(sqrt(9.8) * x) - (1 - cos(sqrt(9.8))) / sin(sqrt(9.8)) * sin(sqrt(9.8) * x))
            / 9.8,
            True,
        ),
        "plain: heat": _solved(_heat(HOT, LEFT, RIGHT), COOLED, True),
        "plain: heat, loose": _solved(_heat(HOT, LEFT, RIGHT), COOLED, True, tol=1e-2),
        "plain: backward heat": _solved(
            lambda: Problem(
                Box({x: (0, 1), t: (0, 0.1)}), [w.diff(t) + w.diff(x, 2)], [HOT, LEFT, RIGHT]
            ),
            exp(pi**2 * t) * sin(pi * x),
            tol=1e-4,
        ),
        "plain: advection": _solved(
            lambda: Problem(
                Box({x: (0, 1), t: (0, 1)}),
                [w.diff(t) + w.diff(x)],
                [Condition(w - sin(6 * x), on={t: 0}), Condition(w + sin(6 * t), on={x: 0})],
            ),
            sin(6 * (x - t)),
            tol=1e-4,
        ),
        "plain: steep wave": _solved(
            lambda: Problem(
                Box({x: (-1, 1), t: (0, 0.5)}),
                [w.diff(t) + w * w.diff(x) - w.diff(x, 2) / 20],
                [
                    Condition(w - (1 - tanh(5 * x)) / 2, on={t: 0}),
                    Condition(w - (1 - tanh(5 * (x - t / 2))) / 2, on={x: -1}),
                    Condition(w - (1 - tanh(5 * (x - t / 2))) / 2, on={x: 1}),
                ],
            ),
            (1 - tanh(5 * (x - t / 2))) / 2,
            tol=1e-4,
        ),
        "plain: bump": _solved(
            lambda: Problem(
                LINE,
                [u.diff(x, 2) - bump.diff(x, 2) + (u - bump) ** 3],
                [Condition(u - bump, on="boundary")],
            ),
            bump,
        ),
        "plain: Bratu": _solved(_line(u.diff(x, 2) + exp(u) - exp(PARABOLA) + 1), PARABOLA),
        "plain: Poisson in 2-D": _solved(
            lambda: Problem(
                SQUARE,
                [z.diff(x, 2) + z.diff(y, 2) + 2 * pi**2 * sin(pi * x) * sin(pi * y)],
                [Condition(z, on="boundary")],
            ),
            sin(pi * x) * sin(pi * y),
        ),
        "plain: oscillations": _solved(
            lambda: Problem(
                Box({t: (0, 60)}),
                [s.diff(t, 2) + s],
                [Condition(s - 1, on={t: 0}), Condition(s.diff(t), on={t: 0})],
            ),
            cos(t),
        ),
        "plain: solved by zero": _solved(_line(u.diff(x, 2) - u**3), 0 * x, True),
    }


CASES: dict[str, Case] = {
    **_starts(),
    **_fields(),
    **_unknowns(),
    **_jumps(),
    **_between(),
    **_scales(),
    **_plain(),
}
