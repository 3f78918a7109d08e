"""A shape cut into rings around its re-entrant corners.

Solutions look the same there at every distance: what a network resolves of one ring, the same nodes
resolve of the next one, a sixth as wide. A network for all of them would have to know of every
scale at once.
"""

from itertools import pairwise

import numpy as np

from piscm.problem.numeric import Floats
from piscm.shapes.ball import Disk
from piscm.shapes.shape import Shape
from piscm.shapes.singular import corners

# The first ring reaches so far, of what the corner has to itself; rings of neighbors never touch.
_REACH = 0.4
# Each is so many times narrower than the one around it.
_NARROWER = 6.0
# Rings around one corner, if there are not too many corners for that.
_RINGS = 3
_REGIONS = 6
# Points along each side that tell how far it is.
_LOOKS = 257


def rings(shape: Shape) -> list[Shape]:
    """What is away from all re-entrant corners, then the rings around each, outermost first.

    The last ring of a corner is whole. Empty if there is no such corner, or too many.
    """
    found = corners(shape) if shape.dimension == 2 else []
    count = min(_RINGS, (_REGIONS - 1) // len(found)) if found else 0
    if not count:
        return []
    x, y = shape.coordinates
    away, near = shape, []
    for corner in found:
        radii = _REACH * room(shape, corner.point) / _NARROWER ** np.arange(count)
        at = {x: float(corner.point[0]), y: float(corner.point[1])}
        disks = [Disk(at, float(radius)) for radius in radii]
        away = away - disks[0]
        near += [(shape & outer) - inner for outer, inner in pairwise(disks)]
        near.append(shape & disks[-1])
    return [away, *near]


def room(shape: Shape, corner: Floats) -> float:
    """How far it is from a corner to the end of its sides, and to the sides of others."""
    room = np.inf
    for run in shape.outline.runs:
        distances = np.linalg.norm(run.spot(np.linspace(0.0, 1.0, _LOOKS)).points - corner, axis=1)
        own = distances.min() < 1e-9 * shape.size
        room = min(room, float(distances.max() if own else distances.min()))
    return room
