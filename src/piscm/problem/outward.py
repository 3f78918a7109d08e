"""Normals of a boundary that several domains have in common, as one of them sees it."""

import numpy as np

from piscm.problem.domain import Domain
from piscm.problem.numeric import Floats

# Both sides of a point are looked at from so far, of the largest width of the domain. Steps below
# what a domain takes for round-off tell nothing; the next larger one is tried then. Time may be
# wider than a hole by any factor.
_STEPS = 10.0 ** np.arange(-13, -6)


def outward(domain: Domain, points: Floats, normals: Floats) -> Floats:
    """Normals turned where they point into a domain from its boundary; inside they stay."""
    width = float(domain.bounding_box.width.max())
    turned, known = np.zeros((2, len(points)), dtype=bool)
    for step in _STEPS * width:
        ahead, behind = (domain.contains(points + sign * step * normals) for sign in (1, -1))
        turned |= ~known & ahead & ~behind
        known |= ahead != behind
        if known.all():
            break
    return np.where(turned[:, None], -normals, normals)
