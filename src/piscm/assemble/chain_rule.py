r"""The chain rule: a node's column of the design, from its derivatives and a block's partials.

A node h with the weight :math:`\beta_f` in field :math:`f` moves the residual R of a block by

.. math::

    \sum_\gamma \frac{\partial R}{\partial(D^\gamma u_f)} D^\gamma h
    = \sum_k g^{(k)}(w \cdot x + b) \sum_{|\gamma| = k} \frac{\partial R}{\partial(D^\gamma u_f)}
      \prod_j w_j^{\gamma_j},

and this file is the only place where that is written. The inner sum is a small matrix product.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.placement import Leg
from piscm.network.activations import Activation, Signed
from piscm.network.nodes import Feature, Nodes


class Evaluated:
    """Nodes at points, in the precision of the nodes: what the features of all blocks share."""

    def __init__(
        self, nodes: Nodes, points: Any, wanted: Iterable[Feature], activation: Activation
    ) -> None:
        orders: dict[tuple[bool, ...], set[int]] = {}
        for feature in wanted:
            orders.setdefault(feature.sees, set()).add(sum(feature.orders))
        self._nodes = nodes
        self._factors: dict[Feature, Any] = {}
        self._signed = {
            (sees, order): signed
            for sees, needed in orders.items()
            for order, signed in nodes.derivatives(points, sees, needed, activation).items()
        }

    def _factor(self, feature: Feature) -> Any:
        """The product of weights that a feature brings out, with its sign, shape (nodes,)."""
        if feature not in self._factors:
            factor, signed = self._nodes.factor(feature), self._of(feature)
            self._factors[feature] = factor if signed.sign > 0 else -factor
        return self._factors[feature]

    def _of(self, feature: Feature) -> Signed:
        return self._signed[feature.sees, sum(feature.orders)]

    def feature(self, leg: Leg, jet: int, room: Any) -> None:
        """Write what a jet of a leg is made of, shape (nodes, points)."""
        feature = leg.jet_features[jet]
        values = self._of(feature).values[:, leg.columns]
        np.multiply(values, self._factor(feature)[:, None], out=room)

    def columns(
        self,
        field: int,
        legs: Sequence[Leg],
        partials: Sequence[NDArray[Any]],
        jets: Sequence[int],
        room: Any,
    ) -> None:
        """Write what some jets of a field contribute to the columns, shape (nodes, rows).

        Parameters
        ----------
        partials : for each leg an ndarray of shape (jets of the leg, points)
        """
        empty = True
        for leg, own in zip(legs, partials, strict=True):
            alike: dict[int, list[int]] = {}  # jets whose features have the same values
            for jet in jets:
                if leg.jet_fields[jet] == field:
                    alike.setdefault(id(self._of(leg.jet_features[jet]).values), []).append(jet)
            for members in alike.values():
                if empty:
                    self._sum(leg, members, own[members], room)
                else:
                    room += self._sum(leg, members, own[members], None)
                empty = False
        if empty:
            room[:] = 0.0

    def _sum(self, leg: Leg, jets: list[int], partials: Any, room: Any) -> Any:
        """Jets with the same values: their factors times their partials, times these values."""
        features = [leg.jet_features[jet] for jet in jets]
        values = self._of(features[0]).values[:, leg.columns]
        partials = partials.astype(values.dtype, copy=False)
        if len(jets) > 1:
            factors = np.stack([self._factor(feature) for feature in features], axis=1)
            return np.multiply(values, factors @ partials, out=room)
        # A matrix product of one column and one row would be slow.
        product = np.multiply(values, partials[0], out=room)
        if any(features[0].orders):
            product *= self._factor(features[0])[:, None]
        return product
