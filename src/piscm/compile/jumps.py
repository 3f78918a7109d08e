"""Coefficients that jump where they must not: in front of the highest derivative.

SymPy drops the jump when it differentiates: ``(k*u.diff(x)).diff(x)`` with a Piecewise k is written
down as ``k*u.diff(x, 2)``, and the condition on the flux at the interface is gone. So such an
equation cannot be told from one that never had it, and is refused. Where something else jumps the
equation means what it says, but smooth nodes follow slowly.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.compile.blocks import Block
from piscm.compile.factors import JUMPING
from piscm.compile.numeric_code import function_of
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]

_POINTS, _LINES, _HALVINGS = 513, 4, 50
_REACH = 3.0  # fields and their derivatives are taken between minus this and this
_JUMP = 1e-6  # relative to the largest value


def check_jumps(domain: Domain, blocks: Sequence[Block], fields: Sequence[sympy.Expr]) -> None:
    """Raise `ProblemError` if the factor of a highest derivative jumps along its coordinate."""
    box = domain.bounding_box
    for block in blocks:
        compiled = block.compiled
        if block.kind != "equations" or not compiled.written[0].has(*JUMPING):
            continue
        for index, jet in enumerate(compiled.jets):
            for axis, order in enumerate(jet.orders):
                same = [other.orders[axis] for other in compiled.jets if other.field == jet.field]
                partial = compiled.partial(index)
                if not order or order < max(same) or not partial.has(*JUMPING):
                    continue
                symbol = domain.coordinates[axis]
                names = [symbol, *(s for s in compiled.symbols[domain.dimension :])]
                spans = [(box.lower[axis], box.upper[axis])] + [(-_REACH, _REACH)] * len(names)
                for name, span in zip(names, spans, strict=False):
                    where = _jump(partial, compiled.symbols, name, span, box.lower, box.upper)
                    if where is not None:
                        digit = np.round(where / box.width[axis], 9) * box.width[axis] + 0.0
                        place = f" near {name} = {digit:.4g}" if name is symbol else ""
                        raise ProblemError(_message(block, fields[jet.field], symbol, order, place))


def jumps_along(
    domain: Domain, blocks: Sequence[Block]
) -> Iterator[tuple[Block, sympy.Symbol, float]]:
    """Equations whose value jumps along a coordinate, with where."""
    box = domain.bounding_box
    for block in blocks:
        compiled = block.compiled
        expression = compiled.written[0]
        if block.kind != "equations" or not expression.has(*JUMPING):
            continue
        for axis, symbol in enumerate(domain.coordinates):
            span = (box.lower[axis], box.upper[axis])
            where = _jump(expression, compiled.symbols, symbol, span, box.lower, box.upper)
            if where is not None:
                yield block, symbol, where


def _jump(
    partial: sympy.Expr,
    symbols: Sequence[sympy.Symbol],
    along: sympy.Symbol,
    span: tuple[float, float],
    lower: Floats,
    upper: Floats,
) -> float | None:
    """Where an expression jumps along a symbol, the others held fixed; None if nowhere."""
    if not partial.has(along):
        return None
    function, rng = function_of(symbols, [partial], "A coefficient"), np.random.default_rng(0)
    column = list(symbols).index(along)

    def values(fixed: Floats, at: Floats) -> Floats:
        arguments = [np.full(len(at), value) for value in fixed]
        arguments[column] = at
        with np.errstate(all="ignore"):
            made = np.asarray(function(*arguments)[0], dtype=float)
        return np.asarray(np.nan_to_num(np.broadcast_to(made, at.shape), posinf=0.0, neginf=0.0))

    for _ in range(_LINES):
        fixed = rng.uniform(-_REACH, _REACH, len(symbols))
        fixed[: len(lower)] = rng.uniform(lower, upper)
        at = np.linspace(*span, _POINTS)
        own = values(fixed, at)
        step = int(np.argmax(np.abs(np.diff(own))))
        low, high, size = at[step], at[step + 1], np.abs(own).max()
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            three = values(fixed, np.array([low, middle, high]))
            if abs(three[1] - three[0]) >= abs(three[2] - three[1]):
                high = middle
            else:
                low = middle
        ends = values(fixed, np.array([low, high]))
        if abs(ends[1] - ends[0]) > _JUMP * size > 0:
            return float(middle)
    return None


def _message(block: Block, field: sympy.Expr, symbol: sympy.Symbol, order: int, place: str) -> str:
    name = str(field.func)
    derivative = f"{name}.diff({symbol})" if order == 1 else f"{name}.diff({symbol}, {order})"
    return (
        f"{block.compiled.where} multiplies {derivative} by a factor k that jumps{place}. SymPy "
        f"drops the jump when it differentiates, so what holds across it would be lost. Write k as "
        f"a symbol, k = coordinates('k'), and give its values in regions: Problem(regions=["
        f"Region(left, {{k: 1}}), Region(right, {{k: 10}})], equations=...), where left and right "
        f"are the domains on both sides, such as Box({{{symbol}: (0, 0.5)}}). {name} and its flux "
        f"are then continuous. If k was not under a derivative, divide the equation by k."
    )
