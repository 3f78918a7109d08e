"""Points where something may hide: near the faces of a box, and where gradients may be infinite.

Trials with as many nodes miss the same thing there and agree with each other. What they leave of
the equations tells: a layer, or a gradient that is infinite at a corner.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from piscm.assemble.grading import graded
from piscm.assemble.sites import Points, Site
from piscm.fit.members import FINEST
from piscm.inference.singular_places import SingularPlace
from piscm.problem.box import Box
from piscm.problem.domain import Domain

# The nearest points to a place, relative to its surroundings.
_NEAREST = 1e-4


def close_points(
    points: Points,
    domain: Domain,
    singular: Sequence[SingularPlace],
    rng: np.random.Generator,
) -> Points:
    """The same points, half of them moved to where something may hide, if there is such a place.

    Points with normals, which have to stay on their face, stay.
    """
    if not isinstance(domain, Box) and not singular:
        return points
    close = graded(points, domain, FINEST, rng) if isinstance(domain, Box) else points
    if singular:
        close = close.changed(lambda _, site: _towards(singular, site, rng))
    return close.changed(lambda number, site: _or_kept(points.sites[number], site))


def _or_kept(kept: Site, moved: Site) -> Site:
    return moved if kept.legs[0].normals is None else kept


def _towards(places: Sequence[SingularPlace], site: Site, rng: np.random.Generator) -> Site:
    """Every second point replaced by one at a log-uniform distance from a place.

    It lies between the place and another point near it: straight sides are not crossed.
    """
    leg = site.legs[0]
    if not site.resampled or len(site.legs) > 1 or leg.sums is not None:
        return site
    placed = leg.points.copy()
    for number, place in enumerate(places):
        off = leg.points - place.nearest(leg.points)
        near = leg.points[np.linalg.norm(off, axis=1) < place.width]
        own = np.arange(2 * number, len(placed), 2 * len(places))
        if len(near):
            nearness = _NEAREST ** rng.random((len(own), 1))
            chosen = rng.choice(near, len(own))
            center = place.nearest(chosen)
            placed[own] = center + nearness * (chosen - center)
    flat = np.ptp(leg.points, axis=0) == 0  # a face, which its points do not leave
    placed[:, flat] = leg.points[:, flat]
    return Site((replace(leg, points=placed),), site.resampled)
