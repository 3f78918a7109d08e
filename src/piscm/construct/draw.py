"""How hidden nodes are drawn."""

import numpy as np
from numpy.typing import NDArray

from piscm.network.nodes import Nodes
from piscm.problem.domain import Box
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]

# Without a scale from the user, hidden weights reach this many radians over half a box ...
DEFAULT_REACH = 8.0
# ... or, where every node draws a scale of its own for each coordinate, from here to there.
_FREE_REACHES = (1.0, 64.0)


class Draw:
    """Draws hidden nodes: uniform weights and biases, in physical units or relative to the box."""

    def __init__(self, box: Box, scale: object) -> None:
        self._relative = scale is None
        self._box = box
        reach = np.atleast_1d(np.asarray(DEFAULT_REACH if scale is None else scale, dtype=float))
        if reach.shape not in ((1,), (box.dimension,)):
            raise ProblemError(
                f"scale holds {reach.size} numbers; give one, or one for each of the "
                f"{box.dimension} coordinates."
            )
        self._reach = np.broadcast_to(reach, (box.dimension,))

    def __call__(self, count: int, factor: float, rng: np.random.Generator) -> Nodes:
        """Weights and biases from plus or minus `factor` times the scale."""
        reach = factor * self._reach
        weights = rng.uniform(-1.0, 1.0, (count, len(reach))) * reach
        biases = rng.uniform(-1.0, 1.0, count) * reach.max()
        if self._relative:
            return self._physical(weights, biases)
        return Nodes(weights, biases)

    def free(self, count: int, factor: float, rng: np.random.Generator) -> Nodes:
        """Each node with a scale of its own for each coordinate, unless the user gave one.

        The factor widens the range at its upper end.
        """
        if not self._relative:
            return self(count, factor, rng)
        size = (count, self._box.dimension)
        low, high = np.log(_FREE_REACHES[0]), np.log(factor * _FREE_REACHES[1])
        reach = np.exp(rng.uniform(low, high, size))
        weights = reach * rng.uniform(-1.0, 1.0, size)
        centers = rng.uniform(-1.0, 1.0, size)
        phases = rng.uniform(-np.pi, np.pi, count)
        return self._physical(weights, phases - np.einsum("kj,kj->k", weights, centers))

    def _physical(self, weights: Floats, biases: Floats) -> Nodes:
        """From the coordinates of the box, -1 to 1, to the user's."""
        weights = weights / (self._box.width / 2)
        return Nodes(weights, biases - weights @ ((self._box.lower + self._box.upper) / 2))
