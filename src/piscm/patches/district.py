"""What is done on a district: a branch of the elimination tree with a few patches.

Everything here is a function of plain data, so it may run in any process.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piscm.linalg.elimination import Merged, Tree, Values, merged
from piscm.linalg.threads import one_thread
from piscm.patches.local import Current, Leaf, Noise, energies, leaf
from piscm.patches.patch import UNKNOWNS, Common, Patch

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class District:
    """A branch of the tree, with everything that is computed on its patches."""

    common: Common
    tree: Tree
    patches: dict[int, Patch]
    sizes: dict[int, int]
    holders: dict[int, frozenset[int]]

    def __sizeof__(self) -> int:
        # A scheduler asks, to decide what is moved and what is not.
        legs = [
            leg for own in self.patches.values() for site in own.points.sites for leg in site.legs
        ]
        ties = [tie for own in self.patches.values() for tie in own.ties]
        nodes = sum(own.nodes.weights.nbytes for own in self.patches.values())
        return (
            nodes + sum(leg.points.nbytes for leg in legs) + sum(tie.basis.nbytes for tie in ties)
        )


@dataclass(frozen=True)
class Factored:
    """A district with all weights and inner traces eliminated."""

    leaves: dict[int, Leaf]
    merged: Merged

    def weights(self, values: Values, sizes: dict[int, int]) -> dict[int, Floats]:
        """The weights of its patches, given the traces around it; inner ones are added to them."""
        self.merged.fill(values, sizes)
        return {number: own.weights(values) for number, own in self.leaves.items()}

    def __sizeof__(self) -> int:
        own = sum(leaf.triangle.nbytes + leaf.top.nbytes for leaf in self.leaves.values())
        steps = sum(step.triangle.nbytes + step.rest.nbytes for step in self.merged.steps)
        return own + steps + self.merged.share.rows.nbytes


def factored(district: District, currents: dict[int, Current], noise: Sequence[Noise]) -> Factored:
    """Eliminate in a district; runs in any process."""
    with one_thread():
        made = {
            number: leaf(district.common, patch, currents[number], district.sizes, noise)
            for number, patch in district.patches.items()
        }
        shares = {number: own.share for number, own in made.items()}
        return Factored(made, merged(district.tree, shares, district.holders, district.sizes))


def measured(
    district: District,
    currents: dict[int, Current],
    steps: dict[int, Floats],
    move: Floats,
    traces: tuple[Values, Values],
    lengths: Floats,
) -> dict[int, Floats]:
    """The squared residuals of every patch of a district after steps of some lengths."""
    found = {}
    with one_thread():
        for number, patch in district.patches.items():
            own = [g for g in patch.groups if g != UNKNOWNS]
            values, changes = (
                np.concatenate([part[group] for group in own]) if own else np.zeros(0)
                for part in traces
            )
            step = (steps[number], move)
            found[number] = energies(
                district.common,
                patch,
                currents[number],
                step,
                (values, changes),
                district.sizes,
                lengths,
            )
    return found


@dataclass(frozen=True)
class Inside:
    """What is found in a district.

    Attributes
    ----------
    weights : dict of int to ndarray, shape (nodes, fields, right-hand sides)
        Of each of its patches.
    traces : Values
        Those inside it.
    squares : dict of int to ndarray, shape (2,)
        The squared residual of each of its patches, if it was asked for.
    """

    weights: dict[int, Floats]
    traces: Values
    squares: dict[int, Floats] = field(default_factory=dict)

    @property
    def slim(self) -> "Inside":
        """The same for the first right-hand side alone."""
        return Inside(
            {number: own[:, :, :1] for number, own in self.weights.items()},
            {group: own[:, :1] for group, own in self.traces.items()},
        )


def solved_in(
    district: District, part: Factored, values: Values, unknowns: Floats | None
) -> Inside:
    """What is found in a district, given the traces around it; with the unknowns, residuals."""
    inner = {group: values[group] for group in part.merged.share.groups}
    known = set(inner)
    with one_thread():
        weights = part.weights(inner, district.sizes)
    found = Inside(weights, {group: own for group, own in inner.items() if group not in known})
    if unknowns is None:
        return found
    return replace(found, squares=residuals_in(district, found, values, unknowns))


def residuals_in(
    district: District, found: Inside, values: Values, unknowns: Floats
) -> dict[int, Floats]:
    """The squared residuals of every patch of a district, at what was found."""
    own = {number: np.ascontiguousarray(new[:, :, 0]) for number, new in found.weights.items()}
    every = {**values, **found.traces}
    first = {group: every[group][:, 0] for group in district.sizes}
    squares = measured(
        district,
        {number: Current(new, unknowns) for number, new in own.items()},
        {number: np.zeros_like(new) for number, new in own.items()},
        np.zeros_like(unknowns),
        (first, {group: np.zeros_like(new) for group, new in first.items()}),
        np.zeros(1),
    )
    return {number: new[0] for number, new in squares.items()}
