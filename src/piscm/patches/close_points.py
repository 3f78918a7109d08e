"""Points where something may hide: near the faces of a box, near the re-entrant corners of a shape.

Trials with as many nodes miss the same thing there and agree with each other. What they leave of
the equations tells: a layer, or a gradient that is infinite at a corner.
"""

from dataclasses import replace

import numpy as np

from piscm.assemble.grading import graded
from piscm.assemble.sites import Points, Site
from piscm.fit.members import FINEST
from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.shapes.rings import room
from piscm.shapes.shape import Shape
from piscm.shapes.singular import corners

# The nearest points to a corner, relative to the straight part of its sides.
_NEAREST = 1e-4


def close_points(points: Points, domain: Domain, rng: np.random.Generator) -> Points:
    """The same points, half of them moved to where something may hide, if there is such a place.

    Points with normals, which have to stay on their face, stay.
    """
    if isinstance(domain, Box):
        close = graded(points, domain, FINEST, rng)
        return close.changed(lambda number, site: _or_kept(points.sites[number], site))
    if not isinstance(domain, Shape) or domain.dimension != 2:
        return points
    wide = [(corner.point, room(domain, corner.point)) for corner in corners(domain)]
    if not wide:
        return points
    return points.changed(lambda _, site: _or_kept(site, _towards(wide, site, rng)))


def _or_kept(kept: Site, moved: Site) -> Site:
    return moved if kept.legs[0].normals is None else kept


def _towards(corners: list[tuple[np.ndarray, float]], site: Site, rng: np.random.Generator) -> Site:
    """Every second point replaced by one at a log-uniform distance from a corner.

    It lies between the corner and another point near it: straight sides are not crossed.
    """
    leg = site.legs[0]
    if not site.resampled or len(site.legs) > 1 or leg.sums is not None:
        return site
    placed = leg.points.copy()
    for number, (corner, width) in enumerate(corners):
        near = leg.points[np.linalg.norm(leg.points - corner, axis=1) < width]
        own = np.arange(2 * number, len(placed), 2 * len(corners))
        if len(near):
            nearness = _NEAREST ** rng.random((len(own), 1))
            placed[own] = corner + nearness * (rng.choice(near, len(own)) - corner)
    return Site((replace(leg, points=placed),), site.resampled)
