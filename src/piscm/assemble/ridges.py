"""Points where steps and bumps are: enough of them that no node hides between two points.

A node varies within a distance of about 1 / |w| from the set where its argument vanishes, its
ridge. Every node gets its share of the points there, however steep it is: a front that is a
hundredth of the domain wide and takes half of the nodes takes half of these points as well. Nodes
that move from window to window take their points along.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Crowd
from piscm.assemble.thinning import random_half
from piscm.network.nodes import Nodes
from piscm.problem.domain import Domain

Floats = NDArray[np.float64]

# A step or bump has done nearly all of its variation when its argument is this large.
_REACH = 2.5


@dataclass(frozen=True)
class Ridges(Crowd):
    """The ridges of nodes in a domain."""

    nodes: Nodes
    domain: Domain

    def among(self, points: Floats, rng: np.random.Generator) -> Floats:
        """Half of the points are moved to ridges of random nodes, where these lie in the domain."""
        if len(points) < 2 or not len(self.nodes):
            return points
        width = self.domain.bounding_box.width
        free = np.ptp(points, axis=0) > 0
        moving = random_half(len(points), rng)
        which = rng.integers(len(self.nodes), size=len(moving))
        slopes = self.nodes.weights[which] * width * free
        squares = np.einsum("ij,ij->i", slopes, slopes)
        start = points[moving]
        now = np.einsum("ij,ij->i", self.nodes.weights[which], start) + self.nodes.biases[which]
        wanted = rng.uniform(-_REACH, _REACH, len(moving))
        with np.errstate(divide="ignore", invalid="ignore"):
            there = start + ((wanted - now) / squares)[:, None] * slopes * width
        inside = np.isfinite(there).all(axis=1)
        inside[inside] = self.domain.contains(there[inside])
        moved = points.copy()
        moved[moving[inside]] = there[inside]
        return moved
