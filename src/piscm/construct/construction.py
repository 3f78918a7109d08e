"""The settings of a grown network."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import sympy

from piscm.construct.checks import (
    check_count,
    check_ladder,
    check_positive,
    is_number,
)
from piscm.construct.corrections import Correction
from piscm.construct.listed import listed
from piscm.construct.local import Local
from piscm.construct.orthogonal import Orthogonal
from piscm.construct.selection import RANGES, Selection
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.saved import class_named
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.method import Method

SELECTIONS: dict[str, type[Selection]] = {"local": Local, "orthogonal": Orthogonal}
"""The short forms of `selection`."""
_SHORT_STEPS = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
_LADDERS = {"ranges": np.inf, "dampings": 1.0, "contractions": 1.0, "steps": 1.0}


@dataclass(frozen=True, kw_only=True)
class Construction(Method):
    """What PI-SC-I, II and III have in common; use `PISC1`, `PISC2` or `PISC3`.

    Parameters
    ----------
    max_nodes : int
        Growth ends with this many hidden nodes.
    scale : float, sequence of float, or None
        Hidden weights are drawn from ``[-scale * range, scale * range]`` in the units of the
        coordinates (one scale for all of them, or one for each). None draws them relative to the
        box, so units do not matter.
    activation : {"sin", "tanh", "sigmoid", "gaussian"}
    selection : {"local", "orthogonal"} or Selection
        "local" is the paper's: a candidate is judged by the gain of its own step. "orthogonal"
        judges it by what it adds to all nodes together, and chooses scales itself if none is given.
        The strings stand for `piscm.Local` and `piscm.Orthogonal` with the
        five options that follow; an object carries its own options.
    ranges : sequence of float
        Multiples of the scale, tried in order until one has an admissible candidate.
    candidates : int
        Number of nodes drawn for each range.
    block : int
        Number of nodes that orthogonal selection takes from one batch of candidates.
    dampings : sequence of float
        Factors on a new node's own step, tried in order by local selection.
    contractions : sequence of float
        Fractions to which a node of local selection must reduce the squared residual; each range
        that fails moves on to the next for good, and after the last any decrease is accepted.
    tolerance : float
        Growth ends when the residual (the root of the weighted mean square) is at most this.
    truncation : float
        Singular values below this fraction of the largest are dropped (the paper's eta) wherever a
        system of all corrected nodes is solved. Orthogonal selection, which uses columns of unit
        length, keeps four more digits: its threshold is 1e-4 times this.
    steps : sequence of float
        Step lengths of the correction; 0 is always included.
    max_seconds : float or None
        The run ends after this time, with the best it has found.
    """

    max_nodes: int = 300
    scale: float | Sequence[float] | None = None
    ranges: Sequence[float] = RANGES
    candidates: int = 50
    activation: str = "sin"
    selection: str | Selection = "local"
    block: int = 10
    tolerance: float = 0.0
    truncation: float = 1e-10
    dampings: Sequence[float] = Local.dampings
    contractions: Sequence[float] = Local.contractions
    steps: Sequence[float] = tuple(k / 10 for k in range(10, -1, -1))
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        name = type(self).__name__
        for option in fields(self):
            value = listed(getattr(self, option.name))
            object.__setattr__(self, option.name, value)
            what = f"{name}({option.name}=...)"
            if option.type in ("int", int):
                check_count(value, what)
            elif option.name in _LADDERS:
                check_ladder(value, what, _LADDERS[option.name], zero=option.name == "steps")
        check_positive(self.truncation, f"{name}(truncation=...)")
        if self.max_seconds is not None:
            check_positive(self.max_seconds, f"{name}(max_seconds=...)")
        for number in self.scale if isinstance(self.scale, tuple) and self.scale else [self.scale]:
            if number is not None:
                check_positive(number, f"{name}(scale=...)")
        if not is_number(self.tolerance) or self.tolerance < 0:
            raise ProblemError(f"{name}(tolerance={self.tolerance!r}): give a number from 0 up.")
        self._check_selection(name)
        activation_named(self.activation)

    def _check_selection(self, name: str) -> None:
        if isinstance(self.selection, Selection):
            for option in fields(self):
                given = getattr(self, option.name)
                if option.name in _SHORT_FORM and given != option.default:
                    kind = type(self.selection).__name__
                    raise ProblemError(
                        f"{name}({option.name}=...) goes with selection='local' or 'orthogonal'; "
                        f"give it to the selection itself, as {kind}({option.name}=...)."
                    )
        elif not isinstance(self.selection, str) or self.selection not in SELECTIONS:
            known = ", ".join(SELECTIONS)
            raise ProblemError(f"{name}(selection={self.selection!r:.40}): known are {known}.")

    @property
    def selector(self) -> Selection:
        """The selection rule with its options."""
        if isinstance(self.selection, Selection):
            return self.selection
        kind = SELECTIONS[self.selection]
        return kind(**{option.name: getattr(self, option.name) for option in fields(kind)})

    @property
    @abstractmethod
    def correction(self) -> Correction:
        """Which weights are corrected after each growth step."""

    @property
    def threshold(self) -> float:
        """The truncation threshold, as a fraction of the largest singular value."""
        return self.selector.spare_digits * self.truncation

    @property
    def search_steps(self) -> tuple[float, ...]:
        """Step lengths tried by the line search.

        A block of nodes starts with zero weights, so a first step far from the solution relies on
        the line search alone and may have to be short.
        """
        steps = tuple(self.steps)
        return steps if self.selector.weighs_nodes else (*steps, *_SHORT_STEPS)

    def check(self, problem: Problem) -> None:
        Draw(problem.domain, self.scale)  # raises on a wrong number of scales

    def options(self) -> dict[str, Any]:
        options = {item.name: getattr(self, item.name) for item in fields(self)}
        if isinstance(self.selection, Selection):
            options["selection"] = self.selection.document()
        return options

    @classmethod
    def from_options(cls, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]) -> Self:
        options = dict(options)
        chosen = options.get("selection")
        if isinstance(chosen, Mapping):
            kind: type[Selection] = class_named(Selection, chosen["name"])
            options["selection"] = kind(**chosen["options"])
        return cls(**options)


_SHORT_FORM = {option.name for kind in SELECTIONS.values() for option in fields(kind)}
