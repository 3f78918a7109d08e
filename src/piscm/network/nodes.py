r"""Hidden nodes and their exact derivatives.

A node is :math:`h(x) = g(w \cdot x + b)`, so for a multi-index :math:`\gamma`

.. math:: D^\gamma h(x) = g^{(|\gamma|)}(w \cdot x + b) \prod_j w_j^{\gamma_j}.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.compile.expression import Jet
from piscm.network.activations import Activation, Signed

Floats = NDArray[np.float64]


class Feature(NamedTuple):
    """One derivative of the hidden nodes, as seen by a field.

    For a field that does not depend on every coordinate, the hidden weights of the missing ones are
    zero; `sees` has a flag for each coordinate.
    """

    sees: tuple[bool, ...]
    orders: tuple[int, ...]


def feature_of(
    jet: Jet, fields: Sequence[AppliedUndef], coordinates: Sequence[sympy.Symbol]
) -> Feature:
    """The node feature that a jet is a linear combination of."""
    sees = tuple(coordinate in fields[jet.field].args for coordinate in coordinates)
    return Feature(sees, jet.orders)


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

    def some(self, which: Any) -> "Nodes":
        """Some of the nodes, by index or slice."""
        return Nodes(self.weights[which], self.biases[which])

    @classmethod
    def none(cls, dimension: int) -> "Nodes":
        """An empty batch."""
        return cls(np.zeros((0, dimension)), np.zeros(0))

    def derivatives(
        self, points: Floats, sees: tuple[bool, ...], orders: Iterable[int], activation: Activation
    ) -> dict[int, Signed]:
        """``g^(k)(w·x + b)`` for every order k: a sign, and values of shape (nodes, points)."""
        arguments = (self.weights * np.array(sees, dtype=self.weights.dtype)) @ points.T
        arguments += self.biases[:, None]
        return activation.derivatives(arguments, orders)

    def factor(self, feature: Feature) -> Floats:
        """The product of hidden weights in front of a derivative, shape (nodes,)."""
        product = np.ones(len(self), dtype=self.weights.dtype)
        for weight, sees, order in zip(self.weights.T, feature.sees, feature.orders, strict=True):
            if order:
                product *= weight**order if sees else 0.0
        return product

    def features(
        self, points: Floats, wanted: Iterable[Feature], activation: Activation
    ) -> dict[Feature, Floats]:
        """Every wanted derivative at every point, each of shape (nodes, points)."""
        made: dict[Feature, Floats] = {}
        wanted = list(wanted)
        for sees in {feature.sees for feature in wanted}:
            group = [feature for feature in wanted if feature.sees == sees]
            orders = {sum(feature.orders) for feature in group}
            derivatives = self.derivatives(points, sees, orders, activation)
            for feature in group:
                sign, values = derivatives[sum(feature.orders)]
                if any(feature.orders):
                    values = values * (sign * self.factor(feature))[:, None]
                made[feature] = values
        return made


def concatenate(batches: Iterable[Nodes]) -> Nodes:
    """All nodes as one batch, in order."""
    batches = list(batches)
    return Nodes(
        np.concatenate([batch.weights for batch in batches]),
        np.concatenate([batch.biases for batch in batches]),
    )
