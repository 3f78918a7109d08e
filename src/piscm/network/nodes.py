r"""Hidden nodes and their exact derivatives.

A node is :math:`h(x) = g(w \cdot x + b)`, so for a multi-index :math:`\gamma`

.. math:: D^\gamma h(x) = g^{(|\gamma|)}(w \cdot x + b) \prod_j w_j^{\gamma_j}.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from piscm.network.activations import Activation

Floats = NDArray[np.float64]


class Feature(NamedTuple):
    """One derivative of the hidden nodes, as seen by a field.

    A field that does not depend on every coordinate sees nodes whose weights for the missing
    ones are zero; `sees` holds a flag for each coordinate.
    """

    sees: tuple[bool, ...]
    orders: tuple[int, ...]


@dataclass(frozen=True)
class Nodes:
    """A batch of hidden nodes in physical coordinates.

    Attributes
    ----------
    weights : ndarray, shape (nodes, coordinates)
    biases : ndarray, shape (nodes,)
    """

    weights: Floats
    biases: Floats

    def __len__(self) -> int:
        return len(self.biases)

    def features(
        self, points: Floats, wanted: Iterable[Feature], activation: Activation
    ) -> dict[Feature, Floats]:
        """Every wanted derivative at every point, each of shape (nodes, points)."""
        made: dict[Feature, Floats] = {}
        wanted = list(wanted)
        for sees in {feature.sees for feature in wanted}:
            weights = self.weights * np.array(sees)
            group = [feature for feature in wanted if feature.sees == sees]
            arguments = weights @ points.T + self.biases[:, None]
            derivatives = activation(arguments, {sum(feature.orders) for feature in group})
            for feature in group:
                value = derivatives[sum(feature.orders)]
                if any(feature.orders):
                    factor = np.prod(weights ** np.array(feature.orders), axis=1)
                    value = value * factor[:, None]
                made[feature] = value
        return made


def concatenate(batches: Iterable[Nodes]) -> Nodes:
    """One batch of all the nodes, in order."""
    batches = list(batches)
    return Nodes(
        np.concatenate([batch.weights for batch in batches]),
        np.concatenate([batch.biases for batch in batches]),
    )
