"""Sizes that floating-point arithmetic can hold: squares must neither vanish nor overflow."""

from collections.abc import Sequence

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.compile.blocks import Block
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError

_SMALLEST, _LARGEST = 1e-100, 1e100
_POINTS = 64
_SMALL_FIELD = 0.01  # a field at which even a high power is moderate


def check_scales(domain: Domain, blocks: Sequence[Block]) -> None:
    """Raise `ProblemError` for equations and conditions of a size that cannot be squared."""
    rng = np.random.default_rng(0)
    sources = {}
    for block in blocks:
        leg = draw_points(domain, [block], Sampling(_POINTS, _POINTS), rng)[0][0]
        compiled = block.compiled
        points = compiled.seen(leg)
        sizes = []
        for constant in (0.0, _SMALL_FIELD):
            jets = np.full((len(compiled.jets), len(points)), constant)
            values = compiled.value(points, jets, np.ones(compiled.unknown_count))
            if block.data is not None:
                values = values - np.resize(block.data, len(points))
            finite = np.abs(values[np.isfinite(values)])
            sizes.append(float(finite.max(initial=0.0)))
        sources[sizes[0]] = block
        if max(sizes) and not _SMALLEST < max(sizes) < _LARGEST:
            raise _refused(block, max(sizes))
    largest = max(sources)
    if 0.0 < largest < _SMALLEST:  # so is the solution
        raise _refused(sources[largest], largest)


def _refused(block: Block, size: float) -> ProblemError:
    return ProblemError(
        f"{block.compiled.where} has terms of the size {size:.0e}, whose squares floating-point "
        "numbers cannot hold: divide it by a constant, or choose other units."
    )
