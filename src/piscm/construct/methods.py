"""The three algorithms of the paper and their settings."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from piscm.network.activations import activation_named
from piscm.problem.errors import ProblemError

_COUNTS = ("max_nodes", "candidates", "window", "block")
_MOST = 1_000_000
_SHORT_STEPS = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
SELECTIONS = ("local", "orthogonal")
_LADDERS = ("ranges", "dampings", "contractions", "steps")


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """What PI-SC-I, II and III have in common; use `PISC1`, `PISC2` or `PISC3`.

    Parameters
    ----------
    max_nodes : int
        Growth ends with this many hidden nodes.
    scale : float, sequence of float, or None
        Hidden weights are drawn from ``[-scale * range, scale * range]`` in the units of the
        coordinates (one number for all of them, or one for each). None draws them relative to
        the box, so that units do not matter.
    ranges : sequence of float
        Multiples of the scale, tried in this order until one has an admissible candidate.
    candidates : int
        Nodes drawn for each range.
    activation : {"sin", "tanh", "sigmoid", "gaussian"}
    selection : {"local", "orthogonal"}
        "local" is the paper's: a candidate is judged by what its own step gains. "orthogonal"
        judges it by what it adds to all nodes together, and draws scales itself if none is given.
    block : int
        Nodes taken from one batch of candidates by orthogonal selection.
    tolerance : float
        Growth ends when the residual (the root of the weighted mean square) is at most this.
    truncation : float
        Singular values below this share of the largest are dropped (the paper's eta), wherever
        singular values are taken. Orthogonal selection has a basis of the columns instead, and
        drops directions only below 1e-14.
    dampings : sequence of float
        Factors on a new node's own step, tried in this order.
    contractions : sequence of float
        Shares of the squared residual that a node must get below; each failing range moves on
        to the next for good, and after the last any decrease will do.
    steps : sequence of float
        Step lengths of the correction; 0 is always among them.
    max_seconds : float or None
        Growth ends after this time.
    """

    max_nodes: int = 300
    scale: float | Sequence[float] | None = None
    ranges: Sequence[float] = (1, 2, 4, 8, 16, 32, 64)
    candidates: int = 50
    activation: str = "sin"
    selection: str = "local"
    block: int = 10
    tolerance: float = 0.0
    truncation: float = 1e-10
    dampings: Sequence[float] = tuple(k / 10 for k in range(10, 0, -1))
    contractions: Sequence[float] = tuple(1 - 10.0**-k for k in range(1, 8))
    steps: Sequence[float] = tuple(k / 10 for k in range(10, -1, -1))
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        for option in fields(self):
            value = getattr(self, option.name)
            if isinstance(value, list | np.ndarray):
                value = np.asarray(value).tolist()  # a number, where the array has no axis
                value = tuple(value) if isinstance(value, list) else value
                object.__setattr__(self, option.name, value)
            what = f"{name}({option.name}=...)"
            if option.name in _COUNTS:
                check_count(value, what)
            elif option.name in _LADDERS:
                _check_ladder(value, option.name, what)
            elif option.name == "truncation" or (
                option.name == "max_seconds" and value is not None
            ):
                check_positive(value, what)
        for number in self.scale if isinstance(self.scale, tuple) and self.scale else [self.scale]:
            if number is not None:
                check_positive(number, f"{name}(scale=...)")
        if not _is_number(self.tolerance) or self.tolerance < 0:
            raise ProblemError(f"{name}(tolerance={self.tolerance!r}): give a number from 0 up.")
        if self.selection not in SELECTIONS:
            known = ", ".join(SELECTIONS)
            raise ProblemError(f"{name}(selection={self.selection!r}): known are {known}.")
        activation_named(self.activation)

    @property
    def threshold(self) -> float:
        """The share of the largest singular value below which others are dropped."""
        return self.truncation if self.selection == "local" else 1e-4 * self.truncation

    @property
    def search_steps(self) -> tuple[float, ...]:
        """Step lengths that the line search tries.

        A block of nodes starts without weights, so a first step far from the solution has to be
        found by the line search alone: it may have to be short.
        """
        steps = tuple(self.steps)
        return steps if self.selection == "local" else (*steps, *_SHORT_STEPS)

    @property
    @abstractmethod
    def correction_window(self) -> int:
        """How many of the newest nodes are corrected after each growth step."""


@dataclass(frozen=True, kw_only=True)
class PISC1(Method):
    """PI-SC-I: only the newest node's weights are fitted. Options as in `Method`."""

    @property
    def correction_window(self) -> int:
        return 0


@dataclass(frozen=True, kw_only=True)
class PISC2(Method):
    """PI-SC-II: the newest `window` nodes are corrected each time. Options as in `Method`."""

    window: int = 200

    @property
    def correction_window(self) -> int:
        return self.window


@dataclass(frozen=True, kw_only=True)
class PISC3(Method):
    """PI-SC-III: all nodes are corrected each time. Options as in `Method`."""

    @property
    def correction_window(self) -> int:
        return self.max_nodes


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


def check_count(value: Any, what: str) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or not 1 <= value <= _MOST:
        raise ProblemError(f"{what} is {value!r:.40}: give a whole number from 1 to {_MOST}.")


def check_positive(value: Any, what: str) -> None:
    if not _is_number(value) or value <= 0:
        raise ProblemError(f"{what} holds {value!r:.40}: give a positive number.")


def _check_ladder(value: Any, name: str, what: str) -> None:
    if not isinstance(value, tuple) or len(value) == 0:
        raise ProblemError(f"{what} is {value!r:.40}: give a list of numbers.")
    high = np.inf if name == "ranges" else 1.0
    for number in value:
        inside = _is_number(number) and 0 <= number <= high and (number > 0 or name == "steps")
        if not inside:
            limits = "positive numbers" if name == "ranges" else "numbers from 0 to 1"
            raise ProblemError(f"{what} holds {number!r:.40}: give {limits}.")


METHODS: dict[str, type[Method]] = {"PISC1": PISC1, "PISC2": PISC2, "PISC3": PISC3}
