"""Traces: what two patches have in common on a face.

Across a face along a coordinate in which the equations are of order m, a field is tied by its value
and its first m - 1 derivatives along it. Each is a polynomial on the face whose coefficients are
unknowns; both patches have to equal it.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from piscm.assemble.windows import Part
from piscm.compile.blocks import Block
from piscm.compile.expression import Compiled
from piscm.patches.grid import Face, Grid
from piscm.problem.box import Box
from piscm.problem.places import Interior

Floats = NDArray[np.float64]

# Points along a face for each polynomial, and more.
_PER_TERM, _MORE = 1.5, 2
# Of a face of a shape, the part inside is looked for at this many points along each coordinate.
_LOOKS = 65


def traced(part: Part) -> dict[int, list[Block]]:
    """For each coordinate the blocks that patches have in common on faces across it."""
    problem = part.problem
    coordinates = problem.domain.coordinates
    unknowns = tuple(problem.unknowns)
    found: dict[int, list[Block]] = {}
    for axis, coordinate in enumerate(coordinates):
        found[axis] = []
        for index, item in enumerate(problem.fields):
            for order in range(_order(part, index, axis)):
                compiled = Compiled(
                    item.diff(coordinate, order) if order else item,
                    problem.fields,
                    coordinates,
                    unknowns,
                    "A trace",
                )
                found[axis].append(Block("trace", "conditions", compiled, Interior()))
    return found


def _order(part: Part, field: int, axis: int) -> int:
    """How many derivatives of a field are tied across a coordinate."""
    problem = part.problem
    if problem.domain.coordinates[axis] not in problem.fields[field].args:
        return 1  # it is the same on both sides
    return max(
        (
            jet.orders[axis]
            for block in part.blocks
            if block.kind == "equations"
            for jet in block.compiled.jets
            if jet.field == field
        ),
        default=0,
    )


@dataclass(frozen=True)
class Stretch:
    """Points on a face, and polynomials there, of mean square 1.

    Attributes
    ----------
    points : ndarray, shape (points, coordinates)
    basis : ndarray, shape (points, terms)
    """

    points: Floats
    basis: Floats


def stretch(grid: Grid, face: Face, terms: int) -> Stretch | None:
    """The part of a face that lies in the domain; None if there is none."""
    box = grid.box(face.first)
    across = [axis for axis in range(box.dimension) if axis != face.axis]
    low, high = box.lower.copy(), box.upper.copy()
    low[face.axis] = high[face.axis]
    if not isinstance(grid.domain, Box):
        inside = _inside(grid, low, high, across)
        if inside is None:
            return None
        low, high = inside
    count = int(_PER_TERM * terms) + _MORE
    points = _mesh(_ticks(count), low, high, across)
    if isinstance(grid.domain, Box):  # all faces are alike
        return Stretch(points, _whole(count, len(across), terms))
    points = points[grid.domain.contains(points)]
    if not len(points):
        return None
    return Stretch(points, polynomials(points[:, across], low[across], high[across], terms))


@cache
def _whole(count: int, dimension: int, terms: int) -> Floats:
    """Polynomials at the points of a face that lies in the domain."""
    low, high, across = -np.ones(dimension), np.ones(dimension), list(range(dimension))
    found = polynomials(_mesh(_ticks(count), low, high, across), low, high, terms)
    found.flags.writeable = False
    return found


@cache
def _ticks(count: int) -> Floats:
    return np.asarray(legendre.leggauss(count)[0])


def _mesh(ticks: Floats, low: Floats, high: Floats, across: list[int]) -> Floats:
    """Points of a tensor grid on a face, from ticks in [-1, 1]."""
    count = len(ticks) ** len(across)  # on a line a face is one point
    mesh = np.array(list(product(ticks, repeat=len(across)))).reshape(count, len(across))
    points = np.tile(low, (len(mesh), 1))
    points[:, across] = (low[across] + high[across]) / 2 + mesh * (high - low)[across] / 2
    return points


def _inside(
    grid: Grid, low: Floats, high: Floats, across: list[int]
) -> tuple[Floats, Floats] | None:
    """The smallest box around the part of a face that lies in the domain."""
    ticks = np.linspace(-1.0, 1.0, _LOOKS) * (1.0 - 1e-6)
    points = _mesh(ticks, low, high, across)
    points = points[grid.domain.contains(points)]
    if len(points) < 2:
        return None
    low, high = low.copy(), high.copy()
    low[across], high[across] = points[:, across].min(axis=0), points[:, across].max(axis=0)
    if (low[across] >= high[across]).any():
        return None
    return low, high


def polynomials(points: Floats, low: Floats, high: Floats, terms: int) -> Floats:
    """Products of Legendre polynomials up to a total degree, shape (points, terms)."""
    if not points.shape[1]:
        return np.ones((len(points), 1))
    unit = 2.0 * (points - low) / (high - low) - 1.0
    roots = np.sqrt(2.0 * np.arange(terms) + 1.0)
    each = [legendre.legvander(column, terms - 1) * roots for column in unit.T]
    chosen = [
        degrees for degrees in product(range(terms), repeat=points.shape[1]) if sum(degrees) < terms
    ]
    made = np.ones((len(points), len(chosen)))
    for own, degrees in zip(each, zip(*chosen, strict=True), strict=True):
        made *= own[:, list(degrees)]
    return made
