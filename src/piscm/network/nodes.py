r"""Hidden nodes and their exact derivatives.

A node is :math:`h(x) = g(w \cdot x + b)`, so for a multi-index :math:`\gamma`

.. math:: D^\gamma h(x) = g^{(|\gamma|)}(w \cdot x + b) \prod_j w_j^{\gamma_j}.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.compile.expression import Jet
from piscm.network.activations import Activation, Signed
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


class Feature(NamedTuple):
    """One derivative of the hidden nodes, as seen by a field.

    Nodes are functions of ``sees * x + shift``. For a field that does not depend on every
    coordinate, `sees` is zero for the missing ones. For a field of one region it stretches the
    region to the whole domain, so that its nodes are its own, wherever it lies.
    """

    sees: tuple[float, ...]
    orders: tuple[int, ...]
    shift: tuple[float, ...] = ()


def feature_of(jet: Jet, problem: Problem) -> Feature:
    """The node feature that a jet is a linear combination of."""
    item, coordinates = problem.fields[jet.field], problem.domain.coordinates
    sees = tuple(coordinate in item.args for coordinate in coordinates)
    home = problem.home_of(item)
    if home is None:
        return Feature(sees, jet.orders)
    own, whole = home.bounding_box, problem.domain.bounding_box
    stretch = np.where(sees, whole.width / own.width, 0.0)
    shift = np.where(sees, whole.center - stretch * own.center, 0.0)
    return Feature(tuple(map(float, stretch)), jet.orders, tuple(map(float, shift)))


def seen_by(item: AppliedUndef, problem: Problem, points: Floats) -> Floats:
    """Points as the nodes of a field see them."""
    index = problem.fields.index(item)
    feature = feature_of(Jet(index, (0,) * problem.domain.dimension), problem)
    shift = np.array(feature.shift) if feature.shift else 0.0
    return np.asarray(points * np.array(feature.sees) + shift)


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
        self,
        points: Floats,
        sees: tuple[float, ...],
        orders: Iterable[int],
        activation: Activation,
        shift: tuple[float, ...] = (),
    ) -> dict[int, Signed]:
        """``g^(k)(w·x + b)`` for every order k: a sign, and values of shape (nodes, points)."""
        kind = self.weights.dtype
        arguments = (self.weights * np.array(sees, dtype=kind)) @ points.T
        arguments += self.biases[:, None]
        if shift:
            arguments += (self.weights @ np.array(shift, dtype=kind))[:, None]
        return activation.derivatives(arguments, orders)

    def factor(self, feature: Feature) -> Floats:
        """The product of hidden weights in front of a derivative, shape (nodes,)."""
        product = np.ones(len(self), dtype=self.weights.dtype)
        for weight, sees, order in zip(self.weights.T, feature.sees, feature.orders, strict=True):
            if order:
                product *= (weight * sees) ** order
        return product

    def features(
        self, points: Floats, wanted: Iterable[Feature], activation: Activation
    ) -> dict[Feature, Floats]:
        """Every wanted derivative at every point, each of shape (nodes, points)."""
        made: dict[Feature, Floats] = {}
        wanted = list(wanted)
        for sees, shift in {(feature.sees, feature.shift) for feature in wanted}:
            group = [own for own in wanted if (own.sees, own.shift) == (sees, shift)]
            orders = {sum(feature.orders) for feature in group}
            derivatives = self.derivatives(points, sees, orders, activation, shift)
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
