"""Physics-informed neural networks: a network trained by gradient descent on the residual.

M. Raissi, P. Perdikaris, G. Karniadakis: Physics-informed neural networks. Journal of Computational
Physics 378, 2019. With `stretch`, the variable scaling of S. Ko, S. Park: VS-PINN, 2024.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.baselines.base import Given
from piscm.baselines.gradient import GradientTrained, Weights, check_whole
from piscm.construct.checks import check_positive
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

INITIALIZATIONS = ("glorot", "fan_in")


@dataclass(frozen=True, kw_only=True)
class PINN(GradientTrained):
    """A fully connected network trained on the residual; more options as in `GradientTrained`.

    Parameters
    ----------
    hidden : sequence of int
        The width of each hidden layer.
    stretch : sequence of float, optional
        One factor per coordinate, by which the input of the network is multiplied (VS-PINN).
    normalize : bool
        Map the box to [-1, 1] in every coordinate, before it is stretched.
    initialization : {"glorot", "fan_in"}
        Weights are uniform in ±√(6 / (inputs + outputs)) and biases zero, or both are uniform in
        ±1/√inputs, the default of PyTorch.
    """

    hidden: Sequence[int] = (64, 64, 64, 64)
    stretch: Sequence[float] | None = None
    normalize: bool = False
    initialization: str = "glorot"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "hidden", _as_tuple(self.hidden, "hidden", "widths"))
        for width in self.hidden:
            check_whole(width, 1, "PINN(hidden=...)")
        if self.stretch is not None:
            object.__setattr__(self, "stretch", _as_tuple(self.stretch, "stretch", "factors"))
            for factor in self.stretch:
                check_positive(factor, "PINN(stretch=...)")
        if not isinstance(self.normalize, bool):
            raise ProblemError(f"PINN(normalize={brief(self.normalize, 40)}): give True or False.")
        if self.initialization not in INITIALIZATIONS:
            known = ", ".join(INITIALIZATIONS)
            raise ProblemError(f"PINN(initialization={self.initialization!r:.40}): known: {known}.")

    def check(self, problem: Problem) -> None:
        super().check(problem)
        dimension = problem.domain.dimension
        if self.stretch is not None and len(self.stretch) != dimension:
            raise ProblemError(
                f"PINN(stretch={self.stretch}) has {len(self.stretch)} factors for {dimension} "
                f"coordinates: give one each, in the order of {problem.domain}."
            )

    def _seen(self, problem: Problem) -> tuple[Floats, Floats]:
        box = problem.domain.bounding_box
        shift, scale = np.zeros(box.dimension), np.ones(box.dimension)
        if self.normalize:
            shift, scale = box.center, 2 / box.width
        return shift, scale if self.stretch is None else scale * np.array(self.stretch)

    def _first_layers(self, given: Given, shift: Floats, scale: Floats) -> Weights:
        sizes = (given.problem.domain.dimension, *self.hidden, len(given.problem.fields))
        layers = []
        for inputs, outputs in pairwise(sizes):
            if self.initialization == "glorot":
                limit = np.sqrt(6 / (inputs + outputs))
                biases = np.zeros(outputs)
            else:
                limit = 1 / np.sqrt(inputs)
                biases = given.rng.uniform(-limit, limit, outputs)
            layers.append((given.rng.uniform(-limit, limit, (inputs, outputs)), biases))
        return layers


def _as_tuple(value: Any, name: str, what: str) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or not len(value):
        raise ProblemError(f"PINN({name}={brief(value, 40)}): give a list of {what}.")
    return tuple(np.asarray(value).tolist()) if isinstance(value, np.ndarray) else tuple(value)
