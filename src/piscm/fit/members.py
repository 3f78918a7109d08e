"""The members of the portfolio: ways to draw all nodes of a network at once."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.network.activations import activation_named
from piscm.network.nodes import Nodes
from piscm.problem.box import Box

Floats = NDArray[np.float64]

# Of a graded member, the fraction of nodes that are steep near a face.
_STEEP = 0.7
# A step is as wide as it is far from the face, within this factor (natural logarithm) ...
_SPREAD = 1.0
# ... and points go this many times nearer to the face than nodes, to see the steepest.
NEARER = 4.0


@dataclass(frozen=True)
class Member:
    """How nodes are drawn.

    Attributes
    ----------
    activation : str
    scales : tuple of float
        One for each coordinate: how many radians a wave has over half a box, or how many of its
        widths a step or a bump, at most.
    nearest : float or None
        The least distance of points from a face, in widths of the box, for layers there; None
        spreads points evenly.
    """

    activation: str
    scales: tuple[float, ...]
    nearest: float | None = None

    def scaled(self, axis: int, factor: float) -> "Member":
        """The same with another scale along one coordinate."""
        scales = list(self.scales)
        scales[axis] *= factor
        return replace(self, scales=tuple(scales))

    @property
    def finer(self) -> "Member":
        """The same with scales larger by the square root of 2."""
        return replace(self, scales=tuple(np.sqrt(2.0) * scale for scale in self.scales))

    def draw(
        self, count: int, box: Box, rng: np.random.Generator, centers: Floats | None = None
    ) -> Nodes:
        """Nodes whose random numbers are the same whatever the scales.

        Half of those with a location are put at `centers`, physical points, if there are any.
        """
        size, half = (count, box.dimension), box.width / 2
        weights = rng.uniform(-1.0, 1.0, size) * np.array(self.scales)
        places = rng.uniform(-1.0, 1.0, size)
        phases = rng.uniform(-np.pi, np.pi, count)
        if activation_named(self.activation).localized:
            if centers is not None and len(centers):
                chosen = centers[rng.integers(len(centers), size=count // 2)]
                places[: count // 2] = (chosen - box.center) / half
            if self.nearest is not None:
                _steepen(weights, places, NEARER * self.nearest, rng)
            phases = np.zeros(count)
        weights = weights / half
        physical = box.center + half * places
        return Nodes(weights, phases - np.einsum("kj,kj->k", weights, physical))

    def __str__(self) -> str:
        scales = " × ".join(f"{scale:.2g}" for scale in self.scales)
        layer = "" if self.nearest is None else f" with layers to {self.nearest:.0e}"
        return f"{self.activation} of scale {scales}{layer}"


def _steepen(weights: Floats, places: Floats, nearest: float, rng: np.random.Generator) -> None:
    """Put most nodes near a face, steep across it; weights and places relative to half a box."""
    count = int(_STEEP * len(weights))
    rows = len(weights) - count + np.arange(count)
    axes = rng.integers(weights.shape[1], size=count)
    distances = np.exp(rng.uniform(np.log(2.0 * nearest), 0.0, count))
    signs = rng.choice([-1.0, 1.0], (2, count))
    places[rows, axes] = signs[0] * (1.0 - distances)
    slopes = np.exp(rng.uniform(-_SPREAD, _SPREAD, count)) / distances
    weights[rows, axes] = signs[1] * slopes
