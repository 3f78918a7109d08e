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
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# Random waves whose rows tell how loud a point is. Each of them is faint somewhere; together with
# the same wave a quarter of a period on it is equally loud everywhere, unless the equation is not.
# By how much rows differ is told by the waves alone, which rather say too much.
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
    shifted = Nodes(waves.weights, waves.biases + np.pi / 2)
    linearization = system.linearize(space.state)
    alone, later = (_squares(system.evaluate(own).at(linearization)) for own in (waves, shifted))
    sizes, paired = (np.sqrt(np.median(own, axis=0)) for own in (alone, alone + later))
    factors, uneven = np.ones(system.rows), False
    for placed in system.placed:
        here = sizes[placed.rows]
        if placed.block.kind != "equations" or not np.isfinite(here).all():
            continue
        if not _root_mean_square(paired[placed.rows]) > _LOUDER * paired[placed.rows].min():
            continue
        uneven, loud = True, _root_mean_square(here)
        factors[placed.rows] = loud / np.maximum(here, np.finfo(float).eps * loud)
    return factors if uneven else None


def _squares(design: Floats) -> Floats:
    """Of all fields together, for each wave and row."""
    return np.asarray(np.einsum("kfn,kfn->kn", design, design))


def _root_mean_square(sizes: Floats) -> float:
    return float(np.sqrt(np.mean(sizes**2)))
