"""Which block has its rows at which points.

Blocks at the same place share one *site*: its points are drawn once, and every node is evaluated
there once for all of them. `Points` refers to the site of each block by number, so nothing depends
on the identity of arrays.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import CHOICE, Crowd, Density, Sampling
from piscm.budget.budget import check_memory
from piscm.budget.clock import check_time
from piscm.compile.blocks import Block
from piscm.problem.domain import Domain
from piscm.problem.place import Leg, Legs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Site:
    """The points of one place.

    Attributes
    ----------
    legs : Legs
    resampled : bool
        Whether new points of the place can be drawn; observations have only their own.
    """

    legs: Legs
    resampled: bool = True

    @property
    def rows(self) -> int:
        """The number of rows of each of its blocks."""
        return self.legs[0].rows

    def some(self, rows: slice | NDArray[np.intp]) -> "Site":
        """The same site with some of its rows."""
        return replace(self, legs=tuple(_some_rows(leg, rows) for leg in self.legs))

    def joined(self, other: "Site") -> "Site":
        """The same site with the points of another one added."""
        return replace(self, legs=join(self.legs, other.legs))


def join(legs: Legs, others: Legs) -> Legs:
    """Legs with the points of others added."""
    return tuple(_joined(leg, other) for leg, other in zip(legs, others, strict=True))


def _joined(leg: Leg, other: Leg) -> Leg:
    if leg.sums is None:
        sums = None
    elif np.array_equal(leg.points, other.points):
        return replace(leg, sums=np.concatenate([leg.sums, other.sums]))
    else:
        from scipy.sparse import block_diag

        sums = block_diag([leg.sums, other.sums], format="csr")
    points = np.concatenate([leg.points, other.points])
    return Leg(points, leg.sign, sums, _together(leg.normals, other.normals))


def _together(normals: Floats | None, others: Floats | None) -> Floats | None:
    return None if normals is None or others is None else np.concatenate([normals, others])


def _some_rows(leg: Leg, rows: slice | NDArray[np.intp]) -> Leg:
    if leg.sums is None:
        normals = None if leg.normals is None else leg.normals[rows]
        return replace(leg, points=leg.points[rows], normals=normals)
    sums = leg.sums[rows]
    if isinstance(sums, np.ndarray):
        return replace(leg, sums=sums)  # every row still needs all the points
    used = np.unique(sums.indices)  # sparse: rows have points of their own
    normals = None if leg.normals is None else leg.normals[used]
    return Leg(leg.points[used], leg.sign, sums[:, used], normals)


@dataclass(frozen=True)
class Points:
    """The points of all blocks.

    Attributes
    ----------
    sites : tuple of Site
    of_block : tuple of int
        The number of each block's site.
    """

    sites: tuple[Site, ...]
    of_block: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.of_block)

    def __getitem__(self, block: int) -> Legs:
        """The legs of a block."""
        return self.site(block).legs

    def __iter__(self) -> Iterator[Legs]:
        return (self.sites[number].legs for number in self.of_block)

    def site(self, block: int) -> Site:
        """The site of a block."""
        return self.sites[self.of_block[block]]

    @property
    def rows(self) -> tuple[int, ...]:
        """The number of rows of each block."""
        return tuple(self.sites[number].rows for number in self.of_block)

    def changed(self, change: Callable[[int, Site], Site]) -> "Points":
        """The same points with every site replaced by ``change(number, site)``."""
        sites = tuple(change(number, site) for number, site in enumerate(self.sites))
        return replace(self, sites=sites)

    def first(self, count: int) -> "Points":
        """At most `count` points of every site whose points were drawn."""
        return self.changed(lambda _, site: site.some(slice(count)) if site.resampled else site)


def draw_points(
    domain: Domain,
    blocks: Sequence[Block],
    sampling: Sampling,
    rng: np.random.Generator,
    density: Density | Crowd | None = None,
    finer: bool = False,
) -> Points:
    """Points for every block; given a density, half of those inside and on faces follow it.

    With `finer`, integrals are taken with more points than in a fit.
    """
    many = max(sampling.interior, sampling.boundary)
    # Sobol points come in powers of two, and are mapped to the domain and chosen from.
    copies = 4 if density is None else 4 * CHOICE
    check_memory(8.0 * copies * many * domain.dimension, f"{many} points", "give fewer (Sampling)")
    drawing = replace(sampling.drawing(rng, density), finer=finer)
    numbers: dict[Hashable, int] = {}
    sites: list[Site] = []
    for block in blocks:
        if block.place.key not in numbers:
            check_time()
            numbers[block.place.key] = len(sites)
            sites.append(Site(block.place.sample(domain, drawing), block.place.resampled))
    return Points(tuple(sites), tuple(numbers[block.place.key] for block in blocks))
