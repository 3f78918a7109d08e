"""What the points of a run cannot see: sources and coefficients that vary between them.

They are known functions, so they can be looked at far more densely than a fit could afford: of the
coordinates, and of the fields between the values that these have at the points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.cells import Edges, over_cells, uneven
from piscm.assemble.grading import NEAREST, has_layers, near_faces, shared
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.steep_places import steep_places
from piscm.assemble.thinning import random_half
from piscm.compile.blocks import Block, compile_blocks
from piscm.compile.integrals import IntegralRows
from piscm.network.activations import activation_named
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.problem.places import Slices

Floats = NDArray[np.float64]

_DENSE = 2**17
_ON_LINES = 2**15  # as many as are looked at along a line inside
_COARSE = 8  # of which each so-manieth tells where the line is inside
_LINES = 3  # along each coordinate, and each derivative of a field
_MOST, _BETWEEN = 2**12, 2**15  # values of a field at the points, and with those between them
_LEAST_ALONG = 32  # points along a coordinate, if there are several
# A function is seen if its variation at as many points as were fitted is this fraction of the true
# one, and if its mean square and largest value there are not smaller than by these factors.
_SEEN = 0.5
_SQUARES, _LARGEST = 4.0, 3.0
_DRAWS = 4  # one may hit by chance what the points of the run have missed


def unseen_blocks(network: Model, rows: Sequence[int]) -> list[str]:
    """The names of blocks whose known functions vary between the points.

    Parameters
    ----------
    network : Model
        The solution.
    rows : the number of fitted points of each block
    """
    rng = np.random.default_rng(0)
    problem = network.problem
    made = []
    spread = _Spread.of(network)
    for block, count in zip(compile_blocks(problem), rows, strict=True):
        if block.observed:
            continue
        if (_varies(block) and _unseen(problem.domain, block, count, spread, rng)) or (
            not block.compiled.linear and _unseen_in_fields(network, block, count, rng)
        ):
            made.append(block.name)
    return made


@dataclass(frozen=True)
class _Spread:
    """How the fitted points of a run were spread: evenly, towards the faces, or over cells.

    Attributes
    ----------
    box : Box
    near_faces : bool
        Whether half of them were graded towards the faces.
    edges : Edges or None
        The ends of cells that have as many points each, thin ones as wide ones.
    """

    box: Box
    near_faces: bool = False
    edges: Edges | None = None

    @classmethod
    def of(cls, network: Model) -> "_Spread":
        """That of the points which a solution was fitted at."""
        domain = network.problem.domain
        box = domain.bounding_box
        if isinstance(network, Patchwork):
            edges = network.tiles.edges
            return cls(box, edges=edges if uneven(domain, edges) else None)
        if not isinstance(network, Network) or not activation_named(network.activation).localized:
            return cls(box)
        return cls(box, isinstance(domain, Box) and has_layers(network.nodes, domain))

    def moved(self, points: Floats, rng: np.random.Generator) -> Floats:
        """Evenly spread points, those of faces on their face, spread in this way."""
        if self.edges is not None:
            placed = points.copy()
            placed[:, : self.box.dimension] = over_cells(
                points[:, : self.box.dimension], self.edges
            )
            return np.where(shared(points), points, placed)
        if self.near_faces:
            half = random_half(len(points), rng)
            points[half] = near_faces(points[half], self.box, NEAREST, rng)
        return points

    def chosen(
        self, total: int, count: int, axis: int, rng: np.random.Generator
    ) -> NDArray[np.intp]:
        """Some indices of a sequence of points along a line through the box."""
        if count >= total:
            return np.arange(total)
        if self.edges is not None:
            own = self.edges[axis]
            ends = (np.array(own) - own[0]) / (own[-1] - own[0])
            places = np.interp(rng.random(count), np.linspace(0.0, 1.0, len(ends)), ends)
            return np.unique(np.minimum((places * total).astype(np.intp), total - 1))
        chosen = rng.choice(total, count, replace=False)
        if self.near_faces:
            half = count // 2
            distances = np.exp(rng.uniform(0.0, np.log(total / 2), half)).astype(int) - 1
            chosen[:half] = np.where(rng.random(half) < 0.5, distances, total - 1 - distances)
        return np.unique(chosen)


def _unseen_in_fields(network: Model, block: Block, count: int, rng: np.random.Generator) -> bool:
    """Whether an expression varies between the values that the fields have at the points."""
    compiled = block.compiled
    sampling = Sampling(min(count, _MOST), min(count, _MOST))
    leg = draw_points(network.problem.domain, [block], sampling, rng)[0][0]
    points = compiled.seen(leg)
    jets = network.jets(compiled, leg.points)
    if leg.sums is not None or len(points) < 2 or not np.isfinite(jets).all():
        return False
    for index in range(len(jets)):
        known = np.sort(jets[index])
        finer = np.linspace(
            0, len(known) - 1, max(2, _BETWEEN // len(known)) * (len(known) - 1) + 1
        )
        dense = np.interp(finer, np.arange(len(known)), known)
        for at in rng.integers(len(points), size=_LINES):
            some, every = (
                _along(network, block, points[at], jets[:, at], index, own)
                for own in (known, dense)
            )
            if np.isfinite(every).all() and _varies_less(some, every):
                return True
    return False


def _along(
    network: Model, block: Block, point: Floats, jets: Floats, index: int, values: Floats
) -> Floats:
    """The expression at a point for many values of one jet."""
    where = np.repeat(point[None], len(values), axis=0)
    all_jets = np.repeat(jets[:, None], len(values), axis=1)
    all_jets[index] = values
    return np.asarray(block.compiled.value(where, all_jets, network.unknowns))


def _varies(block: Block) -> bool:
    """Whether its expression depends on the coordinates other than through the fields."""
    expression, _ = block.compiled.written
    return bool(expression.free_symbols & set(block.compiled.coordinates))


def _unseen(
    domain: Domain, block: Block, count: int, spread: _Spread, rng: np.random.Generator
) -> bool:
    if isinstance(block.place, IntegralRows):  # the local part alone; integrals have their points
        block = replace(block, place=block.place.base, integrands=())
    bent = domain.dimension == 2 and block.kind != "equations" and not _straight(block)
    legs = draw_points(domain, [block], Sampling(_DENSE, _ON_LINES if bent else _DENSE), rng)[0]
    points = block.compiled.seen(legs[0])
    if legs[0].sums is not None or len(points) < count or count < 2:
        return False
    moving, box = np.flatnonzero(np.ptp(points, axis=0) > 0), domain.bounding_box
    if len(moving) == 1:
        points = points[np.argsort(points[:, moving[0]])]
        every = _values(block, points)
        draws = [spread.chosen(len(points), count, int(moving[0]), rng) for _ in range(_DRAWS)]
        few = [[values[chosen] for values in every] for chosen in draws]
        return _peaks(domain, block, points, few) or any(
            _varies_less(values[chosen], values)
            for values in every
            if np.isfinite(values).all()
            for chosen in draws
        )
    along = max(_LEAST_ALONG, int(2 * count ** (1 / max(1, len(moving)))))
    order, few = rng.permutation(len(points)), []
    for turn in range(_DRAWS):
        own = points[np.take(order, range(turn * count, (turn + 1) * count), mode="wrap")]
        few.append(_values(block, spread.moved(own, rng)))
    dense = _values(block, points)
    if any(map(_rare, dense, zip(*few, strict=True))):
        return True
    if _peaks(domain, block, points, few):
        return True
    if block.kind != "equations" and not _straight(block):
        return False  # a line would leave its points, and normals are not known along it
    size = max(
        (float(np.abs(own[np.isfinite(own)]).max(initial=0.0)) for own in dense), default=0.0
    )
    for axis in moving:
        for start in points[rng.integers(len(points), size=_LINES)]:
            line = np.repeat(start[None], _ON_LINES, axis=0)
            line[:, axis] = np.linspace(box.lower[axis], box.upper[axis], len(line))
            line = line[_inside(domain, line)]
            if len(line) <= along:
                continue
            chosen = spread.chosen(len(line), along, int(axis), rng)
            if any(_varies_less(values[chosen], values, size) for values in _known(block, line)):
                return True
    return False


def _peaks(domain: Domain, block: Block, points: Floats, draws: Sequence[Sequence[Floats]]) -> bool:
    """Whether the expression is far larger where even many points miss it than at a draw of few.

    `draws` are its values there.
    """
    compiled = block.compiled
    moving = np.count_nonzero(np.ptp(points[:, : domain.dimension], axis=0) > 0)
    if block.kind != "equations" and not (_straight(block) and moving < domain.dimension):
        return False  # between several faces nothing holds
    places = steep_places(compiled.written[0], compiled.coordinates, points)
    if block.kind == "equations":
        places = places[domain.inside(places[:, : domain.dimension])]
    for there, *few in zip(_values(block, places), *draws, strict=True):
        for here in few:
            middle = np.median(here)
            away = np.abs(there[np.isfinite(there)] - middle).max(initial=0.0)
            if np.isfinite(here).all() and away > _LARGEST * np.abs(here - middle).max():
                return True
    return False


def _straight(block: Block) -> bool:
    """Whether the points of a condition lie on faces of a box."""
    return isinstance(block.place, Slices)


def _inside(domain: Domain, line: Floats) -> NDArray[np.bool_]:
    """Which points of a line are inside; between two that agree all are as they are."""
    coarse = domain.inside(line[::_COARSE])
    found = np.repeat(coarse, _COARSE)[: len(line)]
    unclear = np.repeat(np.append(coarse[1:] != coarse[:-1], True), _COARSE)[: len(line)]
    found[unclear] = domain.inside(line[unclear])
    return np.asarray(found)


def _known(block: Block, points: Floats) -> list[Floats]:
    """The same where all values are finite."""
    return [values for values in _values(block, points) if np.isfinite(values).all()]


def _values(block: Block, points: Floats) -> list[Floats]:
    """The expression at the points for fields that are constant: zero, and one."""
    compiled = block.compiled
    made = []
    for constant in (0.0, 1.0):
        jets = np.full((len(compiled.jets), len(points)), constant)
        with np.errstate(all="ignore"):
            made.append(compiled.value(points, jets, np.ones(compiled.unknown_count)))
    return made


def _varies_less(some: Floats, every: Floats, size: float = 0.0) -> bool:
    """Whether some values of a sequence vary much less than all of them.

    Those of terms of a `size` vary by their rounding, even where nothing else is left of them.
    """
    everything = np.abs(np.diff(every)).sum()
    least = max(1e-9 * np.abs(every).max(), np.finfo(float).eps * size * len(every))
    return bool(everything > least and np.abs(np.diff(some)).sum() < _SEEN * everything)


def _rare(every: Floats, draws: Sequence[Floats]) -> bool:
    """Whether large values are so rare that one of several draws of few points misses them."""
    if not np.isfinite(every).all():
        return False
    middle = np.median(every)
    square, largest = np.mean((every - middle) ** 2), np.abs(every - middle).max()
    return any(
        square > _SQUARES * np.mean((some - middle) ** 2)
        and largest > _LARGEST * np.abs(some - middle).max()
        for some in draws
        if np.isfinite(some).all()
    )
