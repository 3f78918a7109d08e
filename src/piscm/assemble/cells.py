"""Points spread over the cells of a grid: as many in a thin one as in a wide one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.grading import shared
from piscm.assemble.sites import Points, Site
from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.problem.place import Leg

Floats = NDArray[np.float64]
Edges = Sequence[Sequence[float] | Floats]
"""For each coordinate the ends of the cells, in increasing order."""

# Cells are of equal size up to round-off, relative to the domain.
_ALIKE = 1e-12


def uneven(domain: Domain, edges: Edges) -> bool:
    """Whether a grid in a box has cells of different sizes; shapes keep their points."""
    return isinstance(domain, Box) and not all(
        np.allclose(np.diff(own), width / (len(own) - 1), 0.0, _ALIKE * width)
        for own, width in zip(edges, domain.width, strict=True)
    )


def over_cells(points: Floats, edges: Edges) -> Floats:
    """Points that are spread evenly over a box, moved so that every cell has as many."""
    moved = [
        np.interp(along, np.linspace(own[0], own[-1], len(own)), own)
        for along, own in zip(points.T, edges, strict=True)
    ]
    return np.stack(moved, axis=1)


def spread_over_cells(points: Points, edges: Edges) -> Points:
    """The points of all blocks, moved in the same way; those of faces and lines stay on them."""

    def moved(_: int, site: Site) -> Site:
        if not site.resampled or len(site.legs[0].points) < 2:
            return site
        return replace(site, legs=tuple(_moved(leg, edges) for leg in site.legs))

    return points.changed(moved)


def _moved(leg: Leg, edges: Edges) -> Leg:
    points = np.where(shared(leg.points), leg.points, over_cells(leg.points, edges))
    return replace(leg, points=points)
