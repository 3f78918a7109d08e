"""How hidden nodes are drawn."""

import numpy as np
from numpy.typing import NDArray

from piscm.network.nodes import Nodes
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]

# Without a scale from the user, hidden weights reach this many radians over half a box ...
DEFAULT_REACH = 8.0
# ... or, if every node draws its own scale for each coordinate, between these bounds.
_FREE_REACHES = (1.0, 64.0)
# Steps and bumps may be steeper than waves are short: a front is one step, but thousands of waves.
_STEEPEST = 512.0
# Selected nodes show what is needed: this fraction of the candidates takes the weights of a kept
# node, each multiplied by a log-normal factor with this spread. Some problems in the zoo gain a
# digit by it, others four.
_ALIKE = 0.8
_VARIATION = 0.5


class Draw:
    """Draws hidden nodes: uniform weights and biases, in physical units or relative to the box."""

    def __init__(self, domain: Domain, scale: object) -> None:
        self._relative = scale is None
        self._box = box = domain.bounding_box
        reach = np.atleast_1d(np.asarray(DEFAULT_REACH if scale is None else scale, dtype=float))
        if reach.shape not in ((1,), (box.dimension,)):
            raise ProblemError(
                f"scale holds {reach.size} numbers; give one, or one for each of the "
                f"{box.dimension} coordinates."
            )
        self._reach = np.broadcast_to(reach, (box.dimension,))

    def __call__(self, count: int, factor: float, rng: np.random.Generator) -> Nodes:
        """Weights and biases up to plus or minus `factor` times the scale."""
        reach = factor * self._reach
        weights = rng.uniform(-1.0, 1.0, (count, len(reach))) * reach
        biases = rng.uniform(-1.0, 1.0, count) * reach.max()
        if self._relative:
            return self._physical(weights, biases)
        return Nodes(weights, biases)

    def free(
        self,
        count: int,
        factor: float,
        rng: np.random.Generator,
        kept: Nodes | None = None,
        centers: Floats | None = None,
    ) -> Nodes:
        """Nodes with their own scale for each coordinate, unless the user gave one.

        Parameters
        ----------
        factor : float
            Widens the range of scales at its upper end.
        kept : Nodes, optional
            Nodes selected before; most of the new ones are variations of them.
        centers : ndarray, shape (count, coordinates), optional
            Locations of steps and bumps; waves, which have no location, do not use them.
        """
        taken = 0 if kept is None or not len(kept) else int(_ALIKE * count)
        alike = kept.weights[rng.integers(len(kept), size=taken)] if kept and taken else None
        if not self._relative:
            nodes = self(count, factor, rng)
            if alike is not None:
                nodes.weights[:taken] = _varied(alike, rng)
            return nodes
        size, half = (count, self._box.dimension), self._box.width / 2
        widest = _FREE_REACHES[1] if centers is None else _STEEPEST
        low, high = np.log(_FREE_REACHES[0]), np.log(factor * widest)
        weights = np.exp(rng.uniform(low, high, size)) * rng.uniform(-1.0, 1.0, size)
        if alike is not None:
            weights[:taken] = _varied(alike, rng) * half
        if centers is None:
            places = rng.uniform(-1.0, 1.0, size)
        else:
            places = (centers - (self._box.lower + half)) / half
        phases = rng.uniform(-np.pi, np.pi, count)
        return self._physical(weights, phases - np.einsum("kj,kj->k", weights, places))

    def _physical(self, weights: Floats, biases: Floats) -> Nodes:
        """Convert nodes from box coordinates, -1 to 1, to the user's."""
        weights = weights / (self._box.width / 2)
        return Nodes(weights, biases - weights @ self._box.center)


def _varied(weights: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(weights * np.exp(_VARIATION * rng.standard_normal(weights.shape)))
