"""A network of several layers as a function, in NumPy alone, so a saved one does not need JAX."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.compile.expression import Compiled
from piscm.network.activations import activation_named
from piscm.network.layers import derivatives
from piscm.network.model import Model
from piscm.network.nodes import feature_of
from piscm.network.saved import numbers, whole_number
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class DeepNetwork(Model):
    """Starting values plus a network of fully connected layers, in physical coordinates.

    Attributes
    ----------
    problem : Problem
    start : Start
    activation : str
    layers : tuple of pairs
        Weights, shape (inputs, outputs), and biases of each layer; the last one outputs the fields.
    unknowns : ndarray, shape (unknowns,)
    """

    problem: Problem
    start: Start
    activation: str
    layers: tuple[tuple[Floats, Floats], ...]
    unknowns: Floats

    @property
    def n_nodes(self) -> int:
        return sum(len(biases) for _, biases in self.layers[:-1])

    @property
    def layout(self) -> dict[str, Any]:
        return {"activation": self.activation, "layers": len(self.layers)}

    @cached_property
    def arrays(self) -> dict[str, Floats]:
        named = {}
        for number, (weights, biases) in enumerate(self.layers):
            named[f"layer{number}_weights"], named[f"layer{number}_biases"] = weights, biases
        return named

    @classmethod
    def restored(
        cls,
        problem: Problem,
        start: Start,
        unknowns: Floats,
        layout: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
    ) -> "DeepNetwork":
        layers, width = [], problem.domain.dimension
        for number in range(whole_number(layout["layers"], "number of layers")):
            biases = f"layer{number}_biases"
            shape = (width, len(arrays[biases]))
            weights = numbers(arrays, f"layer{number}_weights", shape)
            width = shape[1]
            layers.append((weights, numbers(arrays, biases, (width,))))
        if not layers or width != len(problem.fields):
            raise ProblemError("its layers do not fit its fields.")
        activation = activation_named(layout["activation"]).name
        return cls(problem, start, activation, tuple(layers), unknowns)

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        jets = self.start.jets(compiled, points)
        each = [feature_of(jet, self.problem) for jet in compiled.jets]
        for sees in set(feature.sees for feature in each):
            seen = (np.array(sees) != 0).astype(float)  # regions are not stretched here
            wanted = {feature.orders for feature in each if feature.sees == sees}
            made = derivatives(self.layers, points * seen, tuple(seen), wanted, self.activation, np)
            for row, jet, feature in zip(jets, compiled.jets, each, strict=True):
                if feature.sees == sees:
                    row += made[feature.orders][:, jet.field]
        return jets
