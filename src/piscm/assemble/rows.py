"""The rows of all blocks of a window for a network, every site evaluated once.

`Model.residual` gives the rows of one block and evaluates the nodes for it alone. Blocks of one
place share their points here, and the jets of one order are one matrix product: derivatives of
nodes are never multiplied out.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points
from piscm.budget.clock import check_time
from piscm.compile.blocks import Block
from piscm.compile.expression import Jet
from piscm.network.activations import activation_named
from piscm.network.network import Network
from piscm.network.nodes import feature_of

Floats = NDArray[np.float64]

# Nodes times points at a time; bounds the memory of an evaluation for any number of points.
_CHUNK = 1_000_000


def rows_of(network: Network, blocks: Sequence[Block], points: Points) -> list[Floats]:
    """The unweighted rows of every block, for a network without windows of its own."""
    assert network.panels is None
    made: list[Floats | None] = [None] * len(blocks)
    for number, site in enumerate(points.sites):
        own = [index for index, which in enumerate(points.of_block) if which == number]
        values: dict[int, list[Floats]] = {index: [] for index in own}
        for place, leg in enumerate(site.legs):
            each = {index: blocks[index].of_leg(place) for index in own}
            jets = _jets(network, {jet for part in each.values() for jet in part.jets}, leg.points)
            for index, compiled in each.items():
                start = network.jets_beside(compiled, leg.points)
                there = [row + jets[jet] for row, jet in zip(start, compiled.jets, strict=True)]
                stacked = np.array(there).reshape(start.shape)
                values[index].append(compiled.value(compiled.seen(leg), stacked, network.unknowns))
        for index in own:
            made[index] = blocks[index].residual(site.legs, values[index])
    return [rows for rows in made if rows is not None]


def _jets(network: Network, jets: Iterable[Jet], points: Floats) -> dict[Jet, Floats]:
    """What the nodes add to every jet at the points."""
    problem, nodes = network.problem, network.nodes
    activation = activation_named(network.activation)
    wanted = {jet: feature_of(jet, problem) for jet in jets}
    made = {jet: np.zeros(len(points)) for jet in wanted}
    if not len(nodes):
        return made
    step = max(1, _CHUNK // len(nodes))
    for first in range(0, len(points), step):
        check_time()
        here = slice(first, first + step)
        for sees, shift in {(feature.sees, feature.shift) for feature in wanted.values()}:
            group = {j: own for j, own in wanted.items() if (own.sees, own.shift) == (sees, shift)}
            orders = {sum(feature.orders) for feature in group.values()}
            derivatives = nodes.derivatives(points[here], sees, orders, activation, shift)
            for order, signed in derivatives.items():
                alike = [jet for jet, feature in group.items() if sum(feature.orders) == order]
                factors = [
                    signed.sign * nodes.factor(group[jet]) * network.weights[:, jet.field]
                    for jet in alike
                ]
                for jet, values in zip(alike, np.array(factors) @ signed.values, strict=True):
                    made[jet][here] = values
    return made
