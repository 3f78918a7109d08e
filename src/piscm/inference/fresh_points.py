"""Points at which a solution is looked at once more, beside those that were fitted."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np
from sympy import Symbol

from piscm.assemble.grading import NEAREST, graded, has_layers
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points, Site, draw_points, join
from piscm.assemble.towards_edges import towards_edges
from piscm.assemble.windows import Part, at_the_end
from piscm.network.activations import activation_named
from piscm.network.network import Network
from piscm.problem.box import Box
from piscm.problem.place import Legs
from piscm.problem.problem import Problem

FittedPoints = Mapping[tuple[str, Hashable], Legs]
"""The fitted points of one window, by the name and the place of the block."""

# Points of all conditions on lines, and on faces of two and more dimensions, for each point inside.
# Twice as many on faces change the ratio of estimate and error by 1 %, and cost a fifth of the time
# in three dimensions.
_ON_LINES, _ON_FACES = 0.5, 0.75


@dataclass(frozen=True)
class FreshPoints:
    """How fresh points are drawn.

    Attributes
    ----------
    part : Part
    layers : bool
        Whether half of them are graded towards the faces, as the nodes are.
    end : Symbol or None
        The coordinate at whose end more are put, for steep nodes.
    """

    part: Part
    layers: bool
    end: Symbol | None

    @classmethod
    def around(cls, own: Network, part: Part, along: Symbol | None) -> "FreshPoints":
        """Those that see what the nodes of a solution can do."""
        domain = part.problem.domain
        localized = activation_named(own.activation).localized
        layers = localized and isinstance(domain, Box) and has_layers(own.nodes, domain)
        return cls(part, layers, along if localized and domain.dimension > 1 else None)

    def __call__(self, interior: int, rng: np.random.Generator) -> tuple[Points, Points]:
        """Evenly spread points, so many of each equation; and the same moved to where they see."""
        problem = self.part.problem
        sampling = Sampling(interior, _boundary(problem, interior))
        even = draw_points(problem.domain, self.part.blocks, sampling, rng, finer=True)
        placed = even
        domain = problem.domain
        if self.layers:
            placed = graded(placed, domain.bounding_box, NEAREST, rng)
        elif isinstance(domain, Box) and domain.dimension > 1 and self.end is None:
            placed = towards_edges(placed, self.part.blocks, domain, rng)
        if self.end is not None:
            placed = at_the_end(placed, self.part, self.end, rng)
        return even, placed


def beside(part: Part, fresh: Points, fitted: FittedPoints) -> Points:
    """Fresh points added to the fitted ones, which are dense where the nodes are steep."""
    keys = {n: block.key for block, n in zip(part.blocks, fresh.of_block, strict=True)}

    def joined(number: int, site: Site) -> Site:
        known = fitted.get(keys[number], ())
        if not site.resampled or len(known) != len(site.legs):
            return site
        return Site(join(known, site.legs))

    return fresh.changed(joined)


def by_block(part: Part, points: Points) -> FittedPoints:
    """Points as those of fitted blocks."""
    return dict(zip((block.key for block in part.blocks), points, strict=True))


def _boundary(problem: Problem, interior: int) -> int:
    """Points of each condition: fewer on a line than on a face, and where conditions are many."""
    flat = problem.domain.dimension <= 2
    each = (_ON_LINES if flat else _ON_FACES) * interior / max(1, len(problem.conditions))
    return int(np.clip(each, interior // 8, interior // 4 if flat else interior // 2))
