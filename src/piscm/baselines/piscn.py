"""Physics-informed stochastic configuration network: grown on labels, then trained on physics.

A stochastic configuration network (D. Wang, M. Li: IEEE Transactions on Cybernetics 47, 2017) is
built on the observations alone; then gradient descent on all its parameters, including hidden ones,
reduces the residual of equations, conditions and observations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from piscm.baselines.base import Given
from piscm.baselines.gradient import GradientTrained, Weights
from piscm.construct.local import Ladder
from piscm.fit.pisc import PISC3
from piscm.linalg.truncated import solve_least_squares
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.nodes import Nodes, concatenate
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_DATA = "PISCN builds its network on labels: give Observations of the fields themselves"


@dataclass(frozen=True, kw_only=True)
class PISCN(GradientTrained):
    """Nodes selected on the data, then trained on everything; more options as in `GradientTrained`.

    Parameters
    ----------
    max_nodes, scale, ranges, candidates, contractions
        Options of the construction, as in `PISC3`.
    tolerance : float
        The construction ends when the root mean square misfit of the data is at most this.
    """

    max_nodes: int = 300
    scale: float | Sequence[float] | None = 15.0
    ranges: Sequence[float] = (1, 2, 4, 8, 16, 32, 64)
    candidates: int = 50
    contractions: Sequence[float] = field(default_factory=lambda: PISC3().contractions)
    tolerance: float = 0.0
    epochs: int = 100
    learning_rate: float = 5e-3
    activation: str = "sin"
    precision: str = "float64"  # weights that fit labels exactly may be large and cancel

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            checked = PISC3(
                max_nodes=self.max_nodes,
                scale=self.scale,
                ranges=self.ranges,
                candidates=self.candidates,
                contractions=self.contractions,
                tolerance=self.tolerance,
            )
        except ProblemError as error:
            raise ProblemError(str(error).replace("PISC3", "PISCN")) from None
        for name in ("scale", "ranges", "contractions"):  # lists and arrays have become tuples
            object.__setattr__(self, name, getattr(checked, name))

    def check(self, problem: Problem) -> None:
        super().check(problem)
        Draw(problem.domain, self.scale)
        if not problem.observations:
            raise ProblemError(f"{_DATA}.")
        for data in problem.observations:
            if data.expression not in problem.fields:
                raise ProblemError(f"{_DATA}, not of {data.expression}.")

    def _seen(self, problem: Problem) -> tuple[Floats, Floats]:
        return np.zeros(problem.domain.dimension), np.ones(problem.domain.dimension)

    def _first_layers(self, given: Given, shift: Floats, scale: Floats) -> Weights:
        nodes, weights = self._configured(_labels(given), given)
        return [(nodes.weights.T, nodes.biases), (weights, np.zeros(weights.shape[1]))]

    def _configured(self, labels: Sequence["_Labels"], given: Given) -> tuple[Nodes, Floats]:
        """Nodes, each the best of its batch by the paper's inequality, and their weights."""
        draw, ladder = Draw(given.problem.domain, self.scale), Ladder(self.contractions)
        activation, truncation = activation_named(self.activation), PISC3().truncation
        nodes = Nodes.none(given.problem.domain.dimension)
        weights = np.zeros((0, len(given.problem.fields)))
        columns = [np.zeros((0, len(own.values))) for own in labels]
        missed = [own.values for own in labels]
        while len(nodes) < self.max_nodes and _misfit(missed) > self.tolerance:
            for factor in self.ranges:
                batch = draw(self.candidates, factor, given.rng)
                features = [
                    batch.derivatives(own.points, own.sees, (0,), activation)[0].values
                    for own in labels
                ]
                best = _best(features, missed, ladder, len(nodes) + 1)
                if best is not None:
                    break
                ladder.move_on()
            else:
                break
            nodes = concatenate([nodes, batch.some([best])])
            weights = np.zeros((len(nodes), weights.shape[1]))
            for index, own in enumerate(labels):
                columns[index] = np.concatenate([columns[index], features[index][best : best + 1]])
                solved = solve_least_squares(columns[index], own.values, truncation).solution
                weights[:, own.field] = solved
                missed[index] = own.values - solved @ columns[index]
        return nodes, weights


@dataclass(frozen=True)
class _Labels:
    """All data of one field, minus its starting values."""

    field: int
    sees: tuple[bool, ...]
    points: Floats
    values: Floats


def _labels(given: Given) -> list[_Labels]:
    problem = given.problem
    made = []
    for number, own in enumerate(problem.fields):
        points, values = [], []
        for block, legs in zip(given.assembly.part.blocks, given.assembly.points, strict=True):
            places = legs[0].points
            if block.data is not None and block.compiled.jets[0].field == number:
                points.append(places)
                values.append(block.data - given.assembly.start.jets(block.compiled, places)[0])
        if points:
            sees = tuple(coordinate in own.args for coordinate in problem.domain.coordinates)
            made.append(_Labels(number, sees, np.concatenate(points), np.concatenate(values)))
    return made


def _best(
    features: Sequence[Floats], missed: Sequence[Floats], ladder: Ladder, node: int
) -> int | None:
    """The candidate that satisfies the inequality for every field, by the largest total margin."""
    margins = []
    for columns, rest in zip(features, missed, strict=True):
        energy = float(rest @ rest)
        if energy > 0:
            gains = (columns @ rest) ** 2 / np.einsum("kn,kn->k", columns, columns)
            margins.append(ladder.bound(energy, node) - (energy - gains))
    margin = np.array(margins)
    admissible = (margin > 0).all(axis=0)
    if not admissible.any():
        return None
    return int(np.argmax(np.where(admissible, margin.sum(axis=0), -np.inf)))


def _misfit(missed: Sequence[Floats]) -> float:
    return float(np.sqrt(np.mean(np.concatenate(list(missed)) ** 2)))
