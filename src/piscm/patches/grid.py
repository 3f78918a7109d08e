"""A domain cut into the cells of a grid, and the order in which they are eliminated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.cells import over_cells, spread_over_cells, uneven
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points
from piscm.linalg.elimination import Tree
from piscm.problem.box import Box
from piscm.problem.domain import Domain

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]
Cell = tuple[int, ...]
Edges = tuple[tuple[float, ...], ...]
"""For each coordinate the ends of the cells, in increasing order."""

# Cells of a shape are found by so many points in each cell of its bounding box, on average.
_LOOKS = 64
# Where a cell at a face is cut near it. Where a function is rough at a corner, cells as wide as
# this part of the next ones have about the same error each.
_AT_FACE = 1 / 6


@dataclass(frozen=True)
class Face:
    """A face that two patches have in common; `first` lies below it along `axis`."""

    axis: int
    first: int
    second: int


@dataclass(frozen=True)
class Grid:
    """The cells of a grid that meet the domain, each with a number: the patches.

    Attributes
    ----------
    domain : Domain
    edges : tuple of ndarray
        For each coordinate the ends of the cells.
    cells : tuple of Cell
        The cells that meet the domain.
    """

    domain: Domain
    edges: tuple[Floats, ...]
    cells: tuple[Cell, ...]

    @classmethod
    def of(cls, domain: Domain, edges: Edges) -> "Grid":
        """The cells between given ends."""
        arrays = tuple(np.array(own) for own in edges)
        return cls._meeting(domain, arrays)

    @classmethod
    def even(cls, domain: Domain, shape: Sequence[int]) -> "Grid":
        """Cells of equal size, so many along each coordinate."""
        return cls.of(domain, even_edges(domain, shape))

    @classmethod
    def _meeting(cls, domain: Domain, edges: tuple[Floats, ...]) -> "Grid":
        shape = [len(own) - 1 for own in edges]
        every = [tuple(map(int, cell)) for cell in np.ndindex(*shape)]
        if isinstance(domain, Box):
            return cls(domain, edges, tuple(every))
        draw = Sampling().unit_points(np.random.default_rng(0))
        points = domain.sample_inside(_LOOKS * len(every), draw)
        met = {tuple(map(int, cell)) for cell in np.unique(_cells(edges, points), axis=0)}
        return cls(domain, edges, tuple(cell for cell in every if cell in met))

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(own) - 1 for own in self.edges)

    @cached_property
    def numbers(self) -> dict[Cell, int]:
        """The patch of each cell that meets the domain."""
        return {cell: number for number, cell in enumerate(self.cells)}

    @cached_property
    def owner(self) -> Integers:
        """The patch of every cell; of one that does not meet the domain, the nearest patch."""
        met = np.array(self.cells)
        found = np.empty(self.shape, dtype=np.intp)
        for cell in np.ndindex(*self.shape):
            number = self.numbers.get(cell)
            if number is None:
                number = int(np.argmin(np.abs(met - np.array(cell)).sum(axis=1)))
            found[cell] = number
        return found

    def patches_of(self, points: Floats) -> Integers:
        """The patch of each point."""
        return np.asarray(self.owner[tuple(_cells(self.edges, points).T)])

    def box(self, patch: int) -> Box:
        """The cell of a patch."""
        return self._boxes[patch]

    @cached_property
    def _boxes(self) -> tuple[Box, ...]:
        found = []
        for cell in self.cells:
            spans = [(own[i], own[i + 1]) for own, i in zip(self.edges, cell, strict=True)]
            found.append(Box(dict(zip(self.domain.coordinates, spans, strict=True))))
        return tuple(found)

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """All faces between two patches."""
        return tuple(self._faces())

    def _faces(self) -> Iterator[Face]:
        for number, cell in enumerate(self.cells):
            for axis in range(len(cell)):
                beyond = (*cell[:axis], cell[axis] + 1, *cell[axis + 1 :])
                if beyond in self.numbers:
                    yield Face(axis, number, self.numbers[beyond])

    @cached_property
    def uneven(self) -> bool:
        """Whether points spread evenly over the domain are not so over the cells."""
        return uneven(self.domain, self.edges)

    def moved(self, points: Floats) -> Floats:
        """Points spread evenly over the domain, moved so that every cell has as many."""
        return over_cells(points, self.edges) if self.uneven else points

    def spread(self, points: Points) -> Points:
        """The same for the points of all blocks."""
        return spread_over_cells(points, self.edges) if self.uneven else points

    def volumes(self, points: Floats) -> Floats | None:
        """The volume of the cell of each point, relative to their mean; None if all are alike."""
        if not self.uneven:
            return None
        widths = [np.diff(own) * (len(own) - 1) / (own[-1] - own[0]) for own in self.edges]
        relative = np.stack(
            [own[at] for own, at in zip(widths, _cells(self.edges, points).T, strict=True)]
        )
        return np.asarray(np.prod(relative, axis=0))

    @cached_property
    def tree(self) -> Tree:
        """Nested halves of the grid: each cut separates what is on its two sides."""
        return _bisected(np.array(self.cells), np.arange(len(self.cells)))


def even_edges(domain: Domain, shape: Sequence[int]) -> Edges:
    """Ends of cells of equal size, so many along each coordinate."""
    box = domain.bounding_box
    return tuple(
        tuple(float(edge) for edge in np.linspace(low, high, count + 1))
        for low, high, count in zip(box.lower, box.upper, shape, strict=True)
    )


def halved(edges: Edges, cells: Sequence[Cell] | None = None, at_faces: bool = False) -> Edges:
    """Every cell halved along every coordinate, or only the rows and columns of some cells.

    Those `at_faces` of the box are not halved but cut near the face: what is rough is there.
    """
    finer = []
    for axis, own in enumerate(edges):
        last = len(own) - 2
        chosen = range(last + 1) if cells is None else {cell[axis] for cell in cells}
        parts = {0: _AT_FACE, last: 1.0 - _AT_FACE} if at_faces and last else {}
        middles = [own[i] + parts.get(i, 0.5) * (own[i + 1] - own[i]) for i in chosen]
        finer.append(tuple(sorted({*own, *middles})))
    return tuple(finer)


def _cells(edges: Sequence[Floats], points: Floats) -> Integers:
    """The cell of each point, one row for each."""
    found = [
        np.clip(np.searchsorted(own, points[:, axis], side="right") - 1, 0, len(own) - 2)
        for axis, own in enumerate(edges)
    ]
    return np.stack(found, axis=1)


def _bisected(cells: Integers, numbers: Integers) -> Tree:
    if len(numbers) == 1:
        return int(numbers[0])
    extent = np.ptp(cells, axis=0)
    axis = int(np.argmax(extent))
    along = cells[:, axis]
    middle = along.min() + (extent[axis] + 1) // 2
    low = along < middle
    return _bisected(cells[low], numbers[low]), _bisected(cells[~low], numbers[~low])


def factored(count: int, dimension: int) -> tuple[int, ...]:
    """A number of patches as a product of nearly equal numbers, one for each coordinate."""
    shape = [1] * dimension
    left = count
    for axis in range(dimension):
        wanted = left ** (1 / (dimension - axis))
        divisors = [number for number in range(1, left + 1) if left % number == 0]
        shape[axis] = min(divisors, key=lambda number: abs(np.log(number / wanted)))
        left //= shape[axis]
    return tuple(sorted(shape, reverse=True))
