"""Coefficients that jump where they must not: in front of the highest derivative.

SymPy drops the jump when it differentiates: ``(k*u.diff(x)).diff(x)`` with a Piecewise k is written
down as ``k*u.diff(x, 2)``, and the condition on the flux at the interface is gone. So such an
equation cannot be told from one that never had it, and is refused. Where something else jumps the
equation means what it says, but smooth nodes follow slowly.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import sympy

from piscm.compile.blocks import Block
from piscm.compile.switches import JUMPING, Switches
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.mosaic import Mosaic
from piscm.problem.regional_places import InRegion


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
                switches = Switches(partial, compiled.symbols, _home(domain, block))
                for name in (symbol, *compiled.symbols[domain.dimension :]):
                    where = switches.jump(name)
                    if where is not None:
                        digit = np.round(where / box.width[axis], 9) * box.width[axis] + 0.0
                        place = f" near {name} = {digit:.4g}" if name is symbol else ""
                        raise ProblemError(_message(block, fields[jet.field], symbol, order, place))


def jumps_along(
    domain: Domain, blocks: Sequence[Block]
) -> Iterator[tuple[Block, sympy.Symbol, float]]:
    """Equations whose value jumps along a coordinate, with where."""
    for block in blocks:
        expression = block.compiled.written[0]
        if block.kind != "equations" or not expression.has(*JUMPING):
            continue
        switches = Switches(expression, block.compiled.symbols, _home(domain, block))
        for symbol in domain.coordinates:
            where = switches.jump(symbol)
            if where is not None:
                yield block, symbol, where


def _home(domain: Domain, block: Block) -> Domain:
    """Where an equation holds: one region, if there are several."""
    if isinstance(domain, Mosaic) and isinstance(block.place, InRegion):
        return domain.members[block.place.number]
    return domain


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
