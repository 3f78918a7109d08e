r"""The chain rule: a node's column of the design, from its derivatives and a block's partials.

A node h with the weight :math:`\beta_f` in field :math:`f` moves the residual R of a block by

.. math::

    \sum_\gamma \frac{\partial R}{\partial(D^\gamma u_f)} D^\gamma h
    = \sum_k g^{(k)}(w \cdot x + b) \sum_{|\gamma| = k} \frac{\partial R}{\partial(D^\gamma u_f)}
      \prod_j w_j^{\gamma_j},

and this file is the only place where that is written. The inner sum is a small matrix product.
"""

from collections.abc import Container, Iterable
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

    def features(self, leg: Leg) -> Any:
        """Every feature of a leg at its points, shape (features, nodes, points)."""
        shape = (len(leg.features), len(self._nodes), leg.columns.stop - leg.columns.start)
        made = np.empty(shape, dtype=self._nodes.weights.dtype)
        for room, feature in zip(made, leg.features, strict=True):
            values = self.derivative(feature.sees, sum(feature.orders), leg.columns)
            np.multiply(values, self.factor(feature)[:, None], out=room)
        return made


def add_columns(
    target: Any,
    nodes: Evaluated,
    leg: Leg,
    partials: NDArray[Any],
    jets: Container[int],
    empty: set[int],
) -> None:
    """Add what some jets of a leg contribute to the nodes' columns, shape (nodes, fields, rows).

    Fields in `empty` have nothing written yet; they are taken out once they have.
    """
    for (field, sees, order), group in leg.groups.items():
        members = [jet for jet in group if jet in jets]
        if not members:
            continue
        values = nodes.derivative(sees, order, leg.columns)
        factors = [nodes.factor(leg.features[leg.jet_feature[jet]]) for jet in members]
        weights = partials[members].astype(values.dtype, copy=False)
        room = target[:, field] if field in empty else np.empty_like(values)
        if len(members) == 1:  # a matrix product of one row and one column is slow
            np.multiply(values, weights[0], out=room)
            if order:
                room *= factors[0][:, None]
        else:
            np.multiply(values, np.stack(factors, axis=1) @ weights, out=room)
        if field in empty:
            empty.discard(field)
        else:
            target[:, field] += room
