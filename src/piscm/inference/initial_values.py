"""Initial value problems in time alone, which the theory of ordinary equations settles.

If the equations can be solved for the highest derivative of every field, and the conditions at one
end of the time for all lower ones, there is exactly one solution. Whether they can is seen from two
small matrices of partials. Looking for free moves by numbers is harder: fields that are small, or
for a long time almost constant, are hardly noticed.
"""

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.marching import order_along, runs_backward
from piscm.assemble.windows import Part
from piscm.compile.blocks import Block
from piscm.compile.expression import Jet
from piscm.network.network import Network

Floats = NDArray[np.float64]

# A matrix whose rows and columns have unit length can be inverted if no singular value is below
# this.
_SINGULAR = 1e-8


def is_initial_value_problem(part: Part, network: Network, points: Floats) -> bool:
    """Whether the equations in time alone and the conditions at one end determine all fields."""
    problem = part.problem
    domain, fields = problem.domain, problem.fields
    if domain.dimension > 1 or problem.unknowns or len(problem.equations) != len(fields):
        return False
    time = domain.coordinates[0]
    equations = [block for block in part.blocks if block.kind == "equations"]
    conditions = [block for block in part.blocks if block.kind == "conditions"]
    if any(block.integrands for block in (*equations, *conditions)):
        return False
    low, high = domain.span(time)
    start = high if runs_backward(problem, time) else low
    if any(block.place.values_of(time) != {start} for block in conditions):
        return False
    orders = [order_along(problem, item, time) for item in fields]
    highest = [Jet(index, (order,)) for index, order in enumerate(orders)]
    lower = [Jet(index, (k,)) for index, order in enumerate(orders) for k in range(order)]
    at_start = np.array([[start]])
    return len(conditions) == len(lower) and all(
        _invertible(network, *task)
        for task in (
            (equations, highest, np.concatenate([points, at_start])),
            (conditions, lower, at_start),
        )
    )


def _invertible(network: Network, blocks: list[Block], jets: list[Jet], points: Floats) -> bool:
    """Whether the partials of some blocks by as many jets are a regular matrix at all points."""
    matrices = np.zeros((len(points), len(blocks), len(jets)))
    for row, block in enumerate(blocks):
        partials = network.partials(block.compiled, points)
        for jet, own in zip(block.compiled.jets, partials, strict=True):
            if jet in jets:
                matrices[:, row, jets.index(jet)] = own
    if not jets or not np.isfinite(matrices).all():
        return not jets
    for axis in (1, 2):
        lengths = np.linalg.norm(matrices, axis=axis, keepdims=True)
        matrices = matrices / np.where(lengths > 0, lengths, 1.0)
    return bool(np.linalg.svd(matrices, compute_uv=False).min() > _SINGULAR)
