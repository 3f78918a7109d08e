r"""The chain rule: a node's column of the design, from its derivatives and a block's partials.

A node h with the weight :math:`\beta_f` in field :math:`f` moves the residual R of a block by

.. math::

    \sum_\gamma \frac{\partial R}{\partial(D^\gamma u_f)} D^\gamma h
    = \sum_k g^{(k)}(w \cdot x + b) \sum_{|\gamma| = k} \frac{\partial R}{\partial(D^\gamma u_f)}
      \prod_j w_j^{\gamma_j},

and this file is the only place where that is written. The inner sum is a small matrix product.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.network.activations import Activation
from piscm.network.nodes import Feature, Nodes
from piscm.state import Leg

Derivatives = Mapping[tuple[tuple[bool, ...], int], Any]
"""By the coordinates that a field sees and the order: arrays of shape (nodes, points)."""


def derivatives_of(
    nodes: Nodes, points: Any, wanted: Iterable[Feature], activation: Activation
) -> Derivatives:
    """The derivatives of the activation that some features need, in the precision of the nodes."""
    orders: dict[tuple[bool, ...], set[int]] = {}
    for feature in wanted:
        orders.setdefault(feature.sees, set()).add(sum(feature.orders))
    return {
        (sees, order): values
        for sees, needed in orders.items()
        for order, values in nodes.derivatives(points, sees, needed, activation).items()
    }


def add_columns(
    target: Any,
    nodes: Nodes,
    derivatives: Derivatives,
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
        factors = nodes.factors(leg.features[leg.jet_feature[jet]] for jet in members)
        columns = factors @ partials[members].astype(factors.dtype, copy=False)
        columns *= derivatives[sees, order][:, leg.columns]
        if field in empty:
            target[:, field] = columns
            empty.discard(field)
        else:
            target[:, field] += columns


def features_of(nodes: Nodes, derivatives: Derivatives, leg: Leg) -> Any:
    """Every feature of a leg at its points, shape (features, nodes, points)."""
    factors = nodes.factors(leg.features)
    return np.stack(
        [
            derivatives[feature.sees, sum(feature.orders)][:, leg.columns] * factor[:, None]
            for feature, factor in zip(leg.features, factors.T, strict=True)
        ]
    )
