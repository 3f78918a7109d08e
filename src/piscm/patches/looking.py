"""The residual of a solution in patches, each looked at by whoever works on it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.linalg.threads import one_thread
from piscm.network.patchwork import Patchwork, Tiles
from piscm.patches.coupled import Coupled
from piscm.patches.district import District
from piscm.patches.drafts import by_owner
from piscm.patches.solved import Solved
from piscm.problem.place import Legs

Floats = NDArray[np.float64]
Wanted = tuple[int, int, Floats]
"""A block, a patch, and points as the expression of the block sees them."""
# So few districts are looked at in halves: whoever works is done at the same time more nearly.
_FEW = 16


def residuals(
    coupled: Coupled, solved: Solved, asked: Sequence[tuple[int, Legs]]
) -> Callable[[], list[Floats]]:
    """The unweighted rows of some blocks, given by number, at points; to be asked for later."""
    grid, blocks = coupled.cutting.grid, coupled.cutting.common.blocks
    of = {patch: n for n, own in enumerate(coupled.districts) for patch in own.patches}
    wanted: list[list[Wanted]] = [[] for _ in coupled.districts]
    values: list[list[Floats]] = []
    places: list[list[Any]] = [[] for _ in coupled.districts]
    for number, legs in asked:
        values.append([np.empty(len(leg.points)) for leg in legs])
        for leg, array in zip(legs, values[-1], strict=True):
            seen = blocks[number].compiled.seen(leg)
            for patch, rows in by_owner(grid.patches_of(leg.points)):
                wanted[of[patch]].append((number, patch, seen[rows]))
                places[of[patch]].append((array, rows))
    turns = 2 if len(wanted) <= _FEW and coupled.crew.quick else 1
    halves = [(n, own[i::turns]) for n, own in enumerate(wanted) for i in range(turns)]
    places = [own[i::turns] for own in places for i in range(turns)]
    arguments = [
        ({n: solved.weights[n] for n in {patch for _, patch, _ in own}}, solved.unknowns, own)
        for _, own in halves
    ]
    answers = coupled.crew.each(looked, [coupled.districts[n] for n, _ in halves], arguments)

    def found() -> list[Floats]:
        for answer, own in zip(answers, places, strict=True):
            for new, (array, rows) in zip(answer, own, strict=True):
                array[rows] = new
        return [
            blocks[number].residual(legs, own)
            for (number, legs), own in zip(asked, values, strict=True)
        ]

    return found


def looked(
    district: District, weights: dict[int, Floats], unknowns: Floats, wanted: Sequence[Wanted]
) -> list[Floats]:
    """The values of expressions at points of the patches of a district."""
    with one_thread():
        return [
            _alone(district, patch, weights[patch], unknowns).value(
                district.common.blocks[number].compiled, points
            )
            for number, patch, points in wanted
        ]


def _alone(district: District, patch: int, weights: Floats, unknowns: Floats) -> Patchwork:
    """The network of one patch, as if it were responsible everywhere."""
    common, nodes = district.common, district.patches[patch].nodes
    everywhere = ((-np.inf, np.inf),) * common.problem.domain.dimension
    return Patchwork(
        common.problem,
        common.start,
        common.activation,
        Tiles(everywhere, (0,), (len(nodes),)),
        nodes,
        weights,
        unknowns,
    )
