"""Paths of ordinary differential equations, by Runge-Kutta methods of SciPy at tight tolerances."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

Floats = NDArray[np.float64]
Path = Callable[[ArrayLike], Floats]


def path(
    rate: Callable[[float, Floats], Sequence[float]],
    end: float,
    start: Sequence[float],
    method: str = "DOP853",
    max_step: float = np.inf,
    atol: float = 1e-13,
) -> Path:
    """The solution from 0 to `end` as a function of time; values of shape (fields, *times.shape).

    DOP853 is of order eight; Radau, of order five, is for what is stiff. `max_step` holds the error
    between the steps down, where the order is lower.
    """
    found = solve_ivp(
        rate,
        (0.0, end),
        start,
        method=method,
        rtol=1e-12,
        atol=atol,
        max_step=max_step,
        dense_output=True,
    )
    if not found.success:
        raise RuntimeError(f"the integration failed: {found.message}")

    def values(t: ArrayLike) -> Floats:
        times = np.asarray(t, dtype=float)
        return np.reshape(found.sol(times.ravel()), (len(start), *times.shape))

    return values
