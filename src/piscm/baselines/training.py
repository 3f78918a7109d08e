"""Gradient descent in JAX: Adam, followed by L-BFGS."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from piscm.baselines.jax_arrays import Jax
from piscm.baselines.physics_loss import Parameters, PhysicsLoss
from piscm.budget.budget import STOPS
from piscm.budget.clock import check_time
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.history import Report
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Epochs run between looks at the clock.
_EPOCHS_AT_ONCE = 25
# Pairs of steps and gradients that L-BFGS keeps.
_MEMORY = 50


@dataclass
class Descent:
    """A descent in progress: parameters after the last complete step, and its history."""

    parameters: Parameters
    status: Status = Status.TRAINED
    residuals: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def took(self, losses: Floats, seconds: float) -> None:
        """Record some steps."""
        self.residuals.extend(np.sqrt(losses).tolist())
        self.seconds.extend([seconds / max(1, len(losses))] * len(losses))


class Trainer:
    """Minimizes a loss; on an interrupt or overflow the last complete step is kept."""

    def __init__(
        self, jax: Jax, loss: PhysicsLoss, problem: Problem, report: Report, start: Parameters
    ) -> None:
        self._jax, self._loss, self._report = jax, loss, report
        pairs = [problem.bounds[symbol] for symbol in problem.unknowns]
        tiny = float(np.finfo(np.float32).tiny)
        least = [tiny if symbol.is_positive else -np.inf for symbol in problem.unknowns]
        self._low = np.maximum(np.array([low for low, _ in pairs]), np.array(least))
        self._high = np.array([high for _, high in pairs])
        self.descent = Descent(start)

    def adam(self, epochs: int, rate: Any, precision: str) -> None:
        """Epochs of Adam, with a rate or a schedule of rates."""
        double = precision == "float64"
        if self.descent.status is not Status.TRAINED or not epochs:
            return
        with self._jax.jax.enable_x64(double):
            try:
                self._adam(epochs, rate, precision)
            except STOPS as stop:
                self.descent.status = Status.after(stop)

    def _adam(self, epochs: int, rate: Any, precision: str) -> None:
        jax, optax = self._jax.jax, self._jax.optax
        optimizer = optax.adam(rate)
        low, high = self._low.astype(precision), self._high.astype(precision)
        gradient = jax.value_and_grad(self._loss)

        def run(count: Any, carried: Any, numbers: Any) -> Any:
            def step(number: Any, carried: Any) -> Any:
                parameters, state, losses = carried
                value, slope = gradient(parameters, numbers)
                updates, state = optimizer.update(slope, state, parameters)
                moved = optax.apply_updates(parameters, updates)
                moved = {**moved, "unknowns": jax.numpy.clip(moved["unknowns"], low, high)}
                return moved, state, losses.at[number].set(value)

            return jax.lax.fori_loop(0, count, step, carried)

        run = jax.jit(run)
        numbers = self._cast(self._loss.numbers, precision)
        parameters = self._cast(self.descent.parameters, precision)
        carried = (parameters, optimizer.init(parameters), np.zeros(_EPOCHS_AT_ONCE, precision))
        for done in range(0, epochs, _EPOCHS_AT_ONCE):
            check_time()
            began = time.perf_counter()
            count = min(_EPOCHS_AT_ONCE, epochs - done)
            carried = run(count, carried, numbers)
            losses = np.asarray(carried[2], dtype=float)[:count]
            if not self._accept(carried[0], losses, done == 0):
                return
            self.descent.took(losses, time.perf_counter() - began)
            self._report(len(self.descent.residuals), self.descent.residuals[-1])

    def polish(self, iterations: int) -> None:
        """Iterations of L-BFGS, in double precision."""
        if self.descent.status is not Status.TRAINED or not iterations:
            return
        with self._jax.jax.enable_x64(True):
            try:
                self._polish(iterations)
            except STOPS as stop:
                self.descent.status = Status.after(stop)

    def _polish(self, iterations: int) -> None:
        from jax.flatten_util import ravel_pytree

        jax = self._jax.jax
        numbers = self._cast(self._loss.numbers, "float64")
        flat, unravel = ravel_pytree(self._cast(self.descent.parameters, "float64"))

        def of_flat(values: Any, numbers: Any) -> Any:
            return self._loss(unravel(values), numbers)

        gradient = jax.jit(jax.value_and_grad(of_flat))

        def loss(values: Floats) -> tuple[float, Floats]:
            check_time()
            value, slope = gradient(values, numbers)
            return float(value), np.asarray(slope)

        began = time.perf_counter()

        def step(intermediate_result: Any) -> None:
            nonlocal began
            now = time.perf_counter()
            losses = np.array([intermediate_result.fun])
            if not self._accept(unravel(intermediate_result.x), losses, False):
                raise StopIteration
            self.descent.took(losses, now - began)
            self._report(len(self.descent.residuals), self.descent.residuals[-1])
            began = now

        # Unknowns come last, since keys are sorted.
        free = np.full(flat.size - len(self._low), np.inf)
        scipy.optimize.minimize(
            loss,
            np.asarray(flat),
            jac=True,
            method="L-BFGS-B",
            bounds=scipy.optimize.Bounds(
                np.concatenate([-free, self._low]), np.concatenate([free, self._high])
            ),
            callback=step,
            options={
                "maxiter": iterations,
                "maxfun": 4 * iterations,
                "maxcor": _MEMORY,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        )

    def _accept(self, parameters: Any, losses: Floats, first: bool) -> bool:
        """Keep the parameters, unless something overflowed on the way."""
        if first and not np.isfinite(losses[0]):
            raise ProblemError(
                "An equation, a condition or an observed expression is not finite for the network "
                "before the first step: start elsewhere with solve(..., initial={u: 1.0})."
            )
        kept = self._jax.jax.tree.map(lambda part: np.asarray(part, dtype=float), parameters)
        # A bound rounded to single precision may lie outside the bound itself.
        kept["unknowns"] = np.clip(kept["unknowns"], self._low, self._high)
        flat = self._jax.jax.tree.leaves(kept)
        if np.isfinite(losses).all() and all(np.isfinite(part).all() for part in flat):
            self.descent.parameters = kept
            return True
        self.descent.status = Status.NOT_FINITE
        return False

    def _cast(self, tree: Any, precision: str) -> Any:
        tree_map, to_device = self._jax.jax.tree.map, self._jax.jax.device_put
        return tree_map(lambda part: to_device(np.asarray(part, precision)), tree)
