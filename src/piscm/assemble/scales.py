"""Sizes that floating-point arithmetic can hold: squares must neither vanish nor overflow."""

from collections.abc import Sequence

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.compile.blocks import Block
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError

_SMALLEST, _LARGEST = 1e-100, 1e100
_LOOK = 64


def check_scales(domain: Domain, blocks: Sequence[Block]) -> None:
    """Raise `ProblemError` for equations and conditions of a size that cannot be squared."""
    rng = np.random.default_rng(0)
    for block in blocks:
        points = draw_points(domain, [block], Sampling(_LOOK, _LOOK), rng)[0][0].points
        compiled = block.compiled
        sizes = []
        for constant in (0.0, 1.0):
            jets = np.full((len(compiled.jets), len(points)), constant)
            values = compiled.value(points, jets, np.ones(compiled.unknown_count))
            if block.data is not None:
                values = values - np.resize(block.data, len(points))
            finite = np.abs(values[np.isfinite(values)])
            sizes.append(float(finite.max(initial=0.0)))
        for size in sizes:
            if size and not _SMALLEST < size < _LARGEST:
                raise ProblemError(
                    f"{block.compiled.where} has terms of the size {size:.0e}, whose squares "
                    "floating-point numbers cannot hold: divide it by a constant, or choose other "
                    "units."
                )
