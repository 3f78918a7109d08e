r"""The chain rule: columns of the design matrix from derivatives of nodes and partials of blocks.

A node h with output weight :math:`\beta_f` in field :math:`f` changes the residual R of a block by
:math:`\beta_f` times

.. math::

    \sum_\gamma \frac{\partial R}{\partial(D^\gamma u_f)} D^\gamma h
    = \sum_k g^{(k)}(w \cdot x + b) \sum_{|\gamma| = k} \frac{\partial R}{\partial(D^\gamma u_f)}
      \prod_j w_j^{\gamma_j},

and this is the only file that implements it. The inner sum is a small matrix product.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.placement import PlacedLeg
from piscm.network.activations import Activation, Signed
from piscm.network.nodes import Feature, Nodes

_Seen = tuple[tuple[float, ...], tuple[float, ...]]
_Values = tuple[_Seen, int]
"""What the values of a feature depend on: how it sees the coordinates, and its total order."""


def _values_of(feature: Feature) -> _Values:
    return (feature.sees, feature.shift), sum(feature.orders)


class Evaluated:
    """Nodes evaluated at points, in their own precision; shared by the features of all blocks."""

    def __init__(
        self, nodes: Nodes, points: Any, wanted: Iterable[Feature], activation: Activation
    ) -> None:
        orders: dict[_Seen, set[int]] = {}
        for feature in wanted:
            orders.setdefault((feature.sees, feature.shift), set()).add(sum(feature.orders))
        self._nodes = nodes
        self._factors: dict[Feature, Any] = {}
        self._signed = {
            ((sees, shift), order): signed
            for (sees, shift), needed in orders.items()
            for order, signed in nodes.derivatives(points, sees, needed, activation, shift).items()
        }
        # Orders that differ only in sign share one array, listed under the first of them.
        self._alike: dict[_Values, _Values] = {
            own: next(o for o, other in self._signed.items() if other.values is signed.values)
            for own, signed in self._signed.items()
        }

    def _factor(self, feature: Feature) -> Any:
        """The signed product of hidden weights in front of a feature, shape (nodes,)."""
        if feature not in self._factors:
            factor, signed = self._nodes.factor(feature), self._of(feature)
            self._factors[feature] = factor if signed.sign > 0 else -factor
        return self._factors[feature]

    def _of(self, feature: Feature) -> Signed:
        return self._signed[_values_of(feature)]

    def feature(self, leg: PlacedLeg, jet: int, room: Any) -> None:
        """Write one jet of a leg for every node into `room`, shape (nodes, points)."""
        feature = leg.jet_features[jet]
        values = self._of(feature).values[:, leg.columns]
        np.multiply(values, self._factor(feature)[:, None], out=room)

    def columns(
        self,
        field: int,
        legs: Sequence[PlacedLeg],
        partials: Sequence[NDArray[Any]],
        room: Any,
    ) -> None:
        """Write the contribution of the jets of a field to the columns, shape (nodes, rows).

        Parameters
        ----------
        partials : one ndarray of shape (jets of the leg, points) for each leg
        """
        empty = True
        for leg, own in zip(legs, partials, strict=True):
            jets = range(len(leg.jet_features))
            if leg.reduction is None:
                empty = self._add(field, leg, own, jets, room, empty)
                continue
            at_points = np.empty((len(room), leg.size), dtype=room.dtype)
            self.at_points(field, leg, own, jets, at_points)
            rows = at_points @ leg.reduction.T.astype(room.dtype)
            room[:] = rows if empty else room + rows
            empty = False
        if empty:
            room[:] = 0.0

    def at_points(
        self, field: int, leg: PlacedLeg, partials: Any, jets: Sequence[int], room: Any
    ) -> None:
        """The same for one leg, before its points are reduced to rows: shape (nodes, points)."""
        if self._add(field, leg, partials, jets, room, True):
            room[:] = 0.0

    def _add(
        self,
        field: int,
        leg: PlacedLeg,
        partials: Any,
        jets: Sequence[int],
        room: Any,
        empty: bool,
    ) -> bool:
        """Add the jets of one leg; return whether `room` is still empty."""
        alike: dict[_Values, list[int]] = {}  # jets whose features have the same values
        for jet in jets:
            if leg.jet_fields[jet] == field:
                alike.setdefault(self._alike[_values_of(leg.jet_features[jet])], []).append(jet)
        for members in alike.values():
            if empty:
                self._sum(leg, members, partials[members], room)
            else:
                room += self._sum(leg, members, partials[members], None)
            empty = False
        return empty

    def _sum(self, leg: PlacedLeg, jets: list[int], partials: Any, room: Any) -> Any:
        """Sum jets that share values: their factors times their partials, times those values."""
        features = [leg.jet_features[jet] for jet in jets]
        values = self._of(features[0]).values[:, leg.columns]
        partials = partials.astype(values.dtype, copy=False)
        if len(jets) > 1:
            factors = np.stack([self._factor(feature) for feature in features], axis=1)
            return np.multiply(values, factors @ partials, out=room)
        # An outer product through matmul would be slow.
        product = np.multiply(values, partials[0], out=room)
        if any(features[0].orders):
            product *= self._factor(features[0])[:, None]
        return product
