"""Row scaling: weights that balance rows of every kind.

The rows of a fourth-order equation are thousands of times larger than those of a condition on the
field itself, so the conditions would be ignored. Every block is therefore divided by the root mean
square of its rows for a typical node (the median over a pool of random waves). The residual is then
in the units of the fields and about as large as their error.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sites import Points, Site
from piscm.assemble.system import System
from piscm.assemble.weighting import EVEN, Emphasis, divisors
from piscm.compile.blocks import Block
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.network import Network
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_POOL = 200
# Points of each site that are enough for a root mean square.
_ENOUGH = 1000


@dataclass(frozen=True)
class RowScaling:
    """The size of the rows of each block for a typical node.

    Attributes
    ----------
    sizes : tuple of float
        In the order of the blocks.
    names : tuple of str
        Their names; a condition that a window cuts in two stands there twice.
    """

    sizes: tuple[float, ...]
    names: tuple[str, ...]

    def named(self, block: Block) -> float:
        """The size of the rows of the first block with the name of this one."""
        return self.sizes[self.names.index(block.name)]

    def emphasis(self, blocks: Sequence[Block], points: Points) -> Emphasis:
        """The factors that compensate for the sizes; each block then has its mean square."""
        shared = divisors(blocks, points)
        return {
            number: np.array([shared[block.kind] / (rows * size**2)])
            for number, (block, rows, size) in enumerate(
                zip(blocks, points.rows, self.sizes, strict=True)
            )
        }


def row_scaling(
    problem: Problem,
    blocks: Sequence[Block],
    points: Points,
    start: Start,
    rng: np.random.Generator,
    near: Network | None = None,
    fields: Floats | None = None,
) -> RowScaling:
    """Row sizes for random waves, whatever nodes the network has: one measure for all.

    Parameters
    ----------
    near : Network, optional
        Where the equations are linearized; at the start if omitted.
    fields : ndarray, shape (fields,), optional
        The size of each field, if the waves are to be as large as they are: rows are then measured
        relative to them, and a small field counts as much as a large one.
    """
    points = _enough(points, rng)
    system = System(problem, blocks, points, EVEN, activation_named("sin"), start)
    state = system.start()
    if near is not None and not system.is_linear:
        other = System(problem, blocks, points, EVEN, activation_named(near.activation), start)
        state = other.state_with(other.evaluate(near.nodes), near.weights, near.unknowns)
    linearization = system.linearize(state)
    if not linearization.finite:
        linearization = system.linearize(system.start())
    columns = system.evaluate(Draw(problem.domain, None).free(_POOL, 1.0, rng))
    design = columns.at(linearization)
    sizes = [1.0] * len(blocks)
    for placed in system.placed:
        own = design[:, :, placed.rows] / placed.root_weight
        if fields is not None:
            own = own * fields[:, None]
        squares = np.einsum("kfn,kfn->k", own, own) / own.shape[-1]
        typical = float(np.sqrt(np.median(squares)))
        if np.isfinite(typical) and typical > 0:
            sizes[placed.number] = typical
    return RowScaling(tuple(sizes), tuple(block.name for block in blocks))


def _enough(points: Points, rng: np.random.Generator) -> Points:
    def some(_: int, site: Site) -> Site:
        if not site.resampled or site.rows <= _ENOUGH:
            return site
        return site.some(np.sort(rng.choice(site.rows, _ENOUGH, replace=False)))

    return points.changed(some)
