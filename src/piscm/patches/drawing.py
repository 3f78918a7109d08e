"""Points of a problem in patches: as many as each of them needs."""

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import MOST_POINTS, Sampling
from piscm.assemble.sites import Points, Site, draw_points
from piscm.assemble.windows import Part
from piscm.budget.clock import check_time
from piscm.compile.blocks import Block
from piscm.patches.grid import Grid
from piscm.patches.levels import Resolution
from piscm.problem.place import Leg
from piscm.problem.places import Interior, Slices

Integers = NDArray[np.intp]


def drawn_points(
    part: Part, grid: Grid, resolution: Resolution, rng: np.random.Generator
) -> tuple[Points, Sampling]:
    """Points of every block, as many as its patches need."""
    domain, shape = part.problem.domain, np.array(grid.shape)
    sites: list[Site] = []
    keys: dict[object, int] = {}
    of_block = []
    least, most = min(resolution.points), 1
    interior = least * len(grid)
    for block in part.blocks:
        if block.place.key not in keys:
            check_time()
            boundary = resolution.boundary or resolution.faces * _faces_met(block, shape)
            most = max(most, boundary)
            sampling = Sampling(min(interior, MOST_POINTS), min(boundary, MOST_POINTS))
            site = grid.spread(draw_points(domain, [block], sampling, rng)).sites[0]
            if isinstance(block.place, Interior):
                site = _more(site, grid, resolution, least, rng)
            keys[block.place.key] = len(sites)
            sites.append(site)
        of_block.append(keys[block.place.key])
    points = Points(tuple(sites), tuple(of_block))
    total = min(sum(resolution.points), MOST_POINTS)
    return points, Sampling(total, min(most, MOST_POINTS))


def _more(
    site: Site, grid: Grid, resolution: Resolution, least: int, rng: np.random.Generator
) -> Site:
    """More points in patches that ask for more than the least number."""
    found = [site.legs[0].points]
    draw = Sampling().unit_points(rng)
    for number, count in enumerate(resolution.points):
        if count > least:
            inside = grid.box(number).sample_inside(count - least, draw)
            found.append(inside[grid.domain.contains(inside)])
    return site if len(found) == 1 else Site((Leg(np.concatenate(found)),))


def _faces_met(block: Block, shape: Integers) -> int:
    """About how many faces of cells the place of a condition has."""
    if isinstance(block.place, Slices):
        coordinates = block.compiled.coordinates
        each = [
            int(np.prod([n for c, n in zip(coordinates, shape, strict=False) if c not in part]))
            for part in block.place.parts
        ]
        return max(1, sum(each))
    return int(2 * sum(np.prod(shape) // count for count in shape))
