r"""The chain rule: a node's column of the design, from its derivatives and a block's partials.

A node h with the weight :math:`\beta_f` in field :math:`f` moves the residual R of a block by

.. math::

    \sum_\gamma \frac{\partial R}{\partial(D^\gamma u_f)} D^\gamma h
    = \sum_k g^{(k)}(w \cdot x + b) \sum_{|\gamma| = k} \frac{\partial R}{\partial(D^\gamma u_f)}
      \prod_j w_j^{\gamma_j},

and this file is the only place where that is written. The inner sum is a small matrix product.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.network.activations import Activation
from piscm.network.nodes import Feature, Nodes
from piscm.state import Leg


class Evaluated:
    """Nodes at points, in the precision of the nodes: what the features of all blocks share."""

    def __init__(
        self, nodes: Nodes, points: Any, wanted: Iterable[Feature], activation: Activation
    ) -> None:
        self._nodes = nodes
        self._factors: dict[Feature, Any] = {}
        orders: dict[tuple[bool, ...], set[int]] = {}
        for feature in wanted:
            orders.setdefault(feature.sees, set()).add(sum(feature.orders))
        self._derivatives = {
            (sees, order): values
            for sees, needed in orders.items()
            for order, values in nodes.derivatives(points, sees, needed, activation).items()
        }

    def derivative(self, sees: tuple[bool, ...], order: int, columns: slice) -> Any:
        """One derivative of the activation at some of the points, shape (nodes, points)."""
        return self._derivatives[sees, order][:, columns]

    def factor(self, feature: Feature) -> Any:
        """The product of weights that a feature brings out, shape (nodes,)."""
        if feature not in self._factors:
            self._factors[feature] = self._nodes.factor(feature)
        return self._factors[feature]

    def feature(self, leg: Leg, jet: int, room: Any) -> None:
        """Write what a jet of a leg is made of, shape (nodes, points)."""
        feature = leg.features[leg.jet_feature[jet]]
        values = self.derivative(feature.sees, sum(feature.orders), leg.columns)
        np.multiply(values, self.factor(feature)[:, None], out=room)

    def columns(
        self,
        field: int,
        legs: Sequence[Leg],
        partials: Sequence[NDArray[Any]],
        jets: Container[int],
        room: Any,
    ) -> None:
        """Write what some jets of a field contribute to the columns, shape (nodes, rows).

        Parameters
        ----------
        partials : for each leg an ndarray of shape (jets of the leg, points)
        """
        empty = True
        for leg, own in zip(legs, partials, strict=True):
            for sees, order, group in leg.groups.get(field, ()):
                members = [jet for jet in group if jet in jets]
                if not members:
                    continue
                values = self.derivative(sees, order, leg.columns)
                product = room if empty else np.empty_like(values)
                self._product(leg, members, own[members], values, product)
                if not empty:
                    room += product
                empty = False
        if empty:
            room[:] = 0.0

    def _product(self, leg: Leg, jets: list[int], partials: Any, values: Any, room: Any) -> None:
        """Jets of one order: their partials times their factors, times that derivative."""
        features = [leg.features[leg.jet_feature[jet]] for jet in jets]
        partials = partials.astype(values.dtype, copy=False)
        if len(jets) > 1:
            factors = np.stack([self.factor(feature) for feature in features], axis=1)
            np.multiply(values, factors @ partials, out=room)
        else:  # a matrix product of one column and one row is slow
            np.multiply(values, partials[0], out=room)
            if any(features[0].orders):
                room *= self.factor(features[0])[:, None]
