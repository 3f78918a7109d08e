"""All patches solved for together: Gauss-Newton, with orthogonal elimination in each step."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.unknowns import bounds_of
from piscm.budget.clock import check_time
from piscm.compile.blocks import Block
from piscm.linalg.elimination import Eliminated, Tree, Values, above, districts, leaves
from piscm.network.nodes import concatenate
from piscm.network.patchwork import Patchwork, Tiles
from piscm.patches.crew import Crew, Processes, Top
from piscm.patches.cutting import Cutting
from piscm.patches.district import District, measured
from piscm.patches.local import Current, Noise
from piscm.patches.patch import UNKNOWNS, Patch
from piscm.patches.solved import Guide, Solved

Floats = NDArray[np.float64]

# Patches whose factors are one piece of work; fixed, so that the bits do not depend on who does it.
DISTRICT = 8
_STEPS = (*(0.5**k for k in range(8)), 0.0)
# A holder that is in no district.
_NOBODY = -1
# A step that leaves more of the squared residual than this is the last one.
_STILL_FALLING = 0.5


class Coupled:
    """A cutting, ready to be solved.

    Parameters
    ----------
    cutting : Cutting
    crew : Crew, optional
        Who works on its districts; this process if omitted.
    """

    def __init__(self, cutting: Cutting, crew: Crew | None = None) -> None:
        self.cutting, self.crew = cutting, crew or Processes()
        tree = cutting.grid.tree
        branches = districts(tree, DISTRICT)
        self.districts = [self._district(branch) for branch in branches]
        of = {leaf: n for n, own in enumerate(branches) for leaf in leaves(own)}
        holders = {
            group: frozenset(of[number] for number in own) for group, own in cutting.holders.items()
        }
        between = {
            group: own for group, own in holders.items() if len(own) > 1 or group == UNKNOWNS
        }
        sizes = {group: cutting.sizes[group] for group in between}
        self._top = Top(above(tree, branches), between, sizes)
        self._guesses = np.array(list(cutting.common.problem.unknowns.values()), dtype=float)

    def _district(self, branch: Tree) -> District:
        cutting = self.cutting
        patches = {number: cutting.patches[number] for number in leaves(branch)}
        held = {group for patch in patches.values() for group in patch.groups}
        sizes = {group: cutting.sizes[group] for group in held}
        holders = {group: cutting.holders[group] for group in held}
        if UNKNOWNS in holders:  # the last of all to be eliminated, wherever their holders are
            holders[UNKNOWNS] |= {_NOBODY}
        return District(cutting.common, branch, patches, sizes, holders)

    def solve(
        self, iterations: int, guide: Guide | None = None, noise: Sequence[Noise] = ()
    ) -> Solved:
        """The weights that minimize the residual of all patches together.

        Parameters
        ----------
        iterations : the largest number of Gauss-Newton steps of a nonlinear problem
        guide : where to begin; at the start if omitted
        noise : random right-hand sides, for the last step
        """
        linear = self.cutting.common.linear
        if linear or guide is not None:
            currents = self._guided(guide)
            solved, values = self._step(currents, noise if linear else ())
            if linear:
                return solved
        else:
            solved, values = self._nothing(), self._no_traces()
            solved = self._with_energies(solved, values)
        while solved.steps < iterations:
            check_time()
            currents = {
                number: Current(own, solved.unknowns) for number, own in solved.weights.items()
            }
            new, new_values = self._step(currents, noise, measure=False)
            length, energies = self._searched(solved, values, new, new_values)
            steps = solved.steps + 1
            if length == 0.0:
                return Solved(
                    solved.weights,
                    solved.unknowns,
                    solved.energies,
                    new.noise,
                    new.unknown_noise,
                    steps,
                )
            before = solved.energy
            weights = {
                number: old + length * (new.weights[number] - old)
                for number, old in solved.weights.items()
            }
            unknowns = self._bounded(solved.unknowns + length * (new.unknowns - solved.unknowns))
            values = {
                group: old + length * (new_values[group] - old) for group, old in values.items()
            }
            solved = Solved(weights, unknowns, energies, new.noise, new.unknown_noise, steps)
            if not solved.energy < _STILL_FALLING * before:
                break
        return solved

    def answers(self, solved: Solved, noise: Sequence[Noise]) -> Solved:
        """How weights and unknowns of a solution answer to noise; its other parts mean nothing."""
        currents = {n: Current(own, solved.unknowns) for n, own in solved.weights.items()}
        return self._step(currents, noise, measure=False)[0]

    # --- steps ------------------------------------------------------------------------------

    def _step(
        self, currents: dict[int, Current], noise: Sequence[Noise], measure: bool = True
    ) -> tuple[Solved, Values]:
        """Solve the linearized problem."""
        crew = self.crew
        begun = [{n: currents[n] for n in district.patches} for district in self.districts]
        parts = crew.factored(self.districts, begun, noise)
        check_time()
        joint = crew.merged(parts, self._top)
        values = joint.values
        weights: dict[int, Floats] = {}
        squares = np.zeros((len(self.cutting.patches), 2))
        unknowns = self._guesses
        answers: list[Floats] = []
        if UNKNOWNS in values:
            unknowns = self._bounded(values[UNKNOWNS][:, 0])
            answers = list(values[UNKNOWNS].T[1:])
        asked = unknowns if measure else None
        for inside in crew.solved(self.districts, parts, joint.around, asked):
            weights.update(inside.weights)
            values.update(inside.traces)
            for number, own in inside.squares.items():
                squares[number] = own
        solved = Solved(
            {number: np.ascontiguousarray(own[:, :, 0]) for number, own in weights.items()},
            unknowns,
            squares,
            [
                {number: own[:, :, 1 + turn] for number, own in weights.items()}
                for turn in range(len(noise))
            ],
            answers,
            1,
            _information(joint.last, len(self._guesses)),
        )
        return solved, {group: own[:, 0] for group, own in values.items()}

    def _bounded(self, unknowns: Floats) -> Floats:
        bounds = bounds_of(self.cutting.common.problem)
        return np.clip(unknowns, bounds.lower, bounds.upper)

    def _searched(
        self, old: Solved, values: Values, new: Solved, new_values: Values
    ) -> tuple[float, Floats]:
        """The best step length, on the true residual, and the residuals after it."""
        steps = {number: new.weights[number] - own for number, own in old.weights.items()}
        changes = {group: new_values[group] - own for group, own in values.items()}
        table = self._measured(
            old, steps, new.unknowns - old.unknowns, (values, changes), np.array(_STEPS)
        )
        totals = np.where(np.isfinite(table), table, np.inf).sum(axis=(0, 2))
        best = int(np.argmin(totals))
        return _STEPS[best], table[:, best]

    def _with_energies(self, solved: Solved, values: Values) -> Solved:
        still = {number: np.zeros_like(own) for number, own in solved.weights.items()}
        changes = {group: np.zeros_like(own) for group, own in values.items()}
        move = np.zeros_like(solved.unknowns)
        table = self._measured(solved, still, move, (values, changes), np.zeros(1))
        return Solved(
            solved.weights,
            solved.unknowns,
            table[:, 0],
            solved.noise,
            solved.unknown_noise,
            solved.steps,
        )

    def _measured(
        self,
        solved: Solved,
        steps: dict[int, Floats],
        move: Floats,
        traces: tuple[Values, Values],
        lengths: Floats,
    ) -> Floats:
        """The squared residuals, shape (patches, lengths, 2)."""
        arguments = [
            (
                {n: Current(solved.weights[n], solved.unknowns) for n in district.patches},
                {n: steps[n] for n in district.patches},
                move,
                tuple({g: own[g] for g in district.sizes} for own in traces),
                lengths,
            )
            for district in self.districts
        ]
        found: dict[int, Floats] = {}
        for part in self.crew.each(measured, self.districts, arguments):
            found.update(part)
        return np.stack([found[number] for number in range(len(found))])

    # --- beginnings -------------------------------------------------------------------------

    def _nothing(self) -> Solved:
        fields = len(self.cutting.common.problem.fields)
        weights = {
            patch.number: np.zeros((len(patch.nodes), fields)) for patch in self.cutting.patches
        }
        return Solved(weights, self._guesses, np.zeros((len(weights), 2)))

    def _no_traces(self) -> Values:
        values = {group: np.zeros(size) for group, size in self.cutting.sizes.items()}
        if UNKNOWNS in values:
            values[UNKNOWNS] = self._guesses
        return values

    def zero_energy(self) -> float:
        """The squared residual of no nodes at all."""
        found = self._with_energies(self._nothing(), self._no_traces())
        return float(found.energies[:, 0].sum())

    def _guided(self, guide: Guide | None) -> dict[int, Current]:
        unknowns = self._guesses if guide is None else guide.unknowns
        if guide is None or self.cutting.common.linear:
            return {patch.number: Current(None, self._guesses) for patch in self.cutting.patches}
        return {
            patch.number: Current(None, unknowns, tuple(self._jets(patch, guide)))
            for patch in self.cutting.patches
        }

    def _jets(self, patch: Patch, guide: Guide) -> Iterator[Floats]:
        """The jets of another solution at every leg of a nonlinear block of a patch."""
        blocks = self.cutting.common.blocks
        for position, number in enumerate(patch.blocks):
            block: Block = blocks[number]
            if not block.linear:
                for place, leg in enumerate(patch.points[position]):
                    yield guide.jets(block.of_leg(place), leg.points)

    # --- results ----------------------------------------------------------------------------

    def patchwork(self, weights: dict[int, Floats], unknowns: Floats) -> Patchwork:
        """The networks of all patches as one model."""
        cutting = self.cutting
        grid, common = cutting.grid, cutting.common
        tiles = Tiles(
            tuple(tuple(map(float, own)) for own in grid.edges),
            tuple(map(int, grid.owner.ravel())),
            tuple(len(patch.nodes) for patch in cutting.patches),
        )
        return Patchwork(
            common.problem,
            common.start,
            common.activation,
            tiles,
            concatenate([patch.nodes for patch in cutting.patches]),
            np.concatenate([weights[number] for number in range(len(cutting.patches))]),
            np.asarray(unknowns),
        )


def _information(last: Eliminated | None, unknowns: int) -> Floats | None:
    """What is left for the unknowns: they are the last of what is eliminated last."""
    return None if last is None else last.triangle[-unknowns:, -unknowns:]
