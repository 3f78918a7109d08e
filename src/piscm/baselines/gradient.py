"""What networks trained by gradient descent have in common."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.weighting import row_weights
from piscm.baselines.base import Baseline, Given, Trained
from piscm.baselines.jax_arrays import Jax, jax_for
from piscm.baselines.physics_loss import PhysicsLoss
from piscm.baselines.training import Trainer
from piscm.budget.budget import STOPS, finishing
from piscm.construct.checks import check_positive
from piscm.network.activations import activation_named
from piscm.network.deep import DeepNetwork
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.history import history_of

Floats = NDArray[np.float64]
Weights = list[tuple[Floats, Floats]]
"""Weights and biases of every layer."""

SCHEDULES = ("constant", "cosine", "exponential")
PRECISIONS = ("float32", "float64")
# An exponential schedule ends at this fraction of its initial rate.
_LAST_SHARE = 0.01
_MOST = 100_000_000


@dataclass(frozen=True, kw_only=True)
class GradientTrained(Baseline):
    """Adam on all parameters, followed by L-BFGS; use `PINN` or `PISCN`.

    Parameters
    ----------
    epochs : int
        Number of steps of Adam, each on all points.
    learning_rate : float
    schedule : {"constant", "cosine", "exponential"}
        The learning rate is constant, falls to zero along half a cosine wave, or falls to a
        hundredth.
    polish : int
        Number of iterations of L-BFGS after Adam, in double precision.
    precision : {"float32", "float64"}
        The precision of Adam.
    activation : {"tanh", "sin", "sigmoid", "gaussian"}
    emphasis : float
        A factor on conditions and observations in the training loss and in the history; equations
        contain large derivatives, which gradient descent reduces first. The residual of the
        solution does not include it.
    """

    epochs: int = 5000
    learning_rate: float = 1e-2
    schedule: str = "constant"
    polish: int = 0
    precision: str = "float32"
    activation: str = "tanh"
    emphasis: float = 1.0

    def __post_init__(self) -> None:
        name = type(self).__name__
        check_whole(self.epochs, 0, f"{name}(epochs=...)")
        check_whole(self.polish, 0, f"{name}(polish=...)")
        if not self.epochs + self.polish:
            raise ProblemError(f"{name}(epochs=0, polish=0) trains nothing: give a number of one.")
        check_positive(self.learning_rate, f"{name}(learning_rate=...)")
        check_positive(self.emphasis, f"{name}(emphasis=...)")
        for option, known in (("schedule", SCHEDULES), ("precision", PRECISIONS)):
            value = getattr(self, option)
            if value not in known:
                raise ProblemError(f"{name}({option}={value!r:.40}): known are {', '.join(known)}.")
        activation_named(self.activation)

    @property
    def iterations(self) -> int:
        return self.epochs + self.polish

    def check(self, problem: Problem) -> None:
        super().check(problem)
        for name in problem.samples:
            raise ProblemError(
                f"{type(self).__name__} cannot use the sampled function {name}: splines are not "
                "known to JAX. Write it as a formula, or use PISC3() or Auto()."
            )
        jax_for(type(self).__name__)

    def fit(self, given: Given) -> Trained:
        shift, scale = self._seen(given.problem)
        layers = self._first_layers(given, shift, scale)
        jax = jax_for(type(self).__name__)
        assembly = given.assembly
        weights = {
            kind: weight * (1.0 if kind == "equations" else self.emphasis)
            for kind, weight in assembly.weights.items()
        }
        emphasized = replace(assembly, weights=weights)
        loss = PhysicsLoss(emphasized, self.activation, shift, scale, jax.arrays, jax.names)
        guesses = np.array(list(given.problem.unknowns.values()), dtype=float)
        trainer = Trainer(
            jax, loss, given.problem, given.report, {"layers": layers, "unknowns": guesses}
        )
        trainer.adam(self.epochs, self._rate(jax), self.precision)
        trainer.polish(self.polish)
        descent = trainer.descent
        network = DeepNetwork(
            given.problem,
            assembly.start,
            self.activation,
            in_physical_coordinates(descent.parameters["layers"], shift, scale),
            descent.parameters["unknowns"],
        )
        return Trained(
            network,
            descent.status,
            _residual(network, assembly),
            history_of(descent.residuals, descent.seconds),
        )

    @abstractmethod
    def _seen(self, problem: Problem) -> tuple[Floats, Floats]:
        """Shift and scale: the input of the network is ``(x - shift) * scale``."""

    @abstractmethod
    def _first_layers(self, given: Given, shift: Floats, scale: Floats) -> Weights:
        """The layers before the first epoch."""

    def _rate(self, jax: Jax) -> Any:
        if self.schedule == "cosine":
            return jax.optax.cosine_decay_schedule(self.learning_rate, max(1, self.epochs))
        if self.schedule == "exponential":
            return jax.optax.exponential_decay(self.learning_rate, max(1, self.epochs), _LAST_SHARE)
        return self.learning_rate


def in_physical_coordinates(
    layers: Weights, shift: Floats, scale: Floats
) -> tuple[tuple[Floats, Floats], ...]:
    """The same network, with shift and scale absorbed into its first layer."""
    (weights, biases), *others = layers
    moved = scale[:, None] * weights
    return ((moved, biases - shift @ moved), *((w, b) for w, b in others))


def _residual(network: DeepNetwork, assembly: Assembly) -> float:
    """The square root of the loss, in double precision; NaN if there is no time for it."""
    blocks, points = assembly.part.blocks, assembly.points
    total = 0.0
    try:
        with finishing():
            for block, legs, weight in zip(
                blocks, points, row_weights(blocks, points, assembly.weights), strict=True
            ):
                total += weight * float(np.sum(network.residual(block, legs) ** 2))
    except STOPS:
        return np.nan
    return float(np.sqrt(total))


def check_whole(value: Any, least: int, what: str) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not least <= value <= _MOST:
        raise ProblemError(f"{what} is {brief(value, 40)}: give a whole number from {least} up.")
