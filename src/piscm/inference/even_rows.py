"""Rows of an equation that are louder at some points than at others.

An equation may be multiplied by anything known: ``x**2*(u.diff(x, 2) + 1)`` has the solutions that
``u.diff(x, 2) + 1`` has. Its rows are then loud where the factor is large, and a residual that is
small everywhere may belong to a large error where they are faint.
"""

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.weighting import EVEN
from piscm.inference.richer import RicherSpace
from piscm.network.draw import Draw

Floats = NDArray[np.float64]

# Random waves whose rows tell how loud a point is.
_WAVES = 21
# Rows that differ by less than this lead to the same correction.
_LOUDER = 10.0


def even_rows(space: RicherSpace) -> Floats | None:
    """What to multiply each row by, so that all of an equation are what its mean square is.

    None if they are so already; or if they are scaled point by point, as rows in layers are.
    """
    if space.draw.layers:
        return None
    problem, own = space.part.problem, space.own
    assembly = Assembly(space.part, space.sites, EVEN, own.start, space.scaling)
    system = assembly.system("sin")
    waves = Draw(problem.domain, None).free(_WAVES, 1.0, np.random.default_rng(0))
    design = system.evaluate(waves).at(system.linearize(space.state))
    sizes = np.sqrt(np.median(np.einsum("kfn,kfn->kn", design, design), axis=0))
    factors, uneven = np.ones(system.rows), False
    for placed in system.placed:
        here = sizes[placed.rows]
        if placed.block.kind != "equations" or not np.isfinite(here).all():
            continue
        loud = float(np.sqrt(np.mean(here**2)))
        least = max(float(here.min()), np.finfo(float).tiny)
        if not loud > _LOUDER * least:
            continue
        uneven = True
        factors[placed.rows] = loud / np.maximum(here, np.finfo(float).eps * loud)
    return factors if uneven else None
