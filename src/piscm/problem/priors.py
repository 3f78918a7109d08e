"""What is known about an unknown before any data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import sympy

from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.place import Kept, Place
from piscm.problem.places import Observed
from piscm.problem.requirement import Requirement
from piscm.problem.written import Number


@dataclass(frozen=True)
class Prior:
    """A Gaussian prior of an unknown: ``unknowns={mu: Prior(1.0, std=0.2)}``.

    It counts like one more measurement, of the unknown itself, and shifts the estimate and narrows
    the error bars accordingly. Give the noise of the observations with it, where it is known.

    Parameters
    ----------
    mean : float
        The most probable value; also the first guess, unless `guess` is given.
    std : float
        The standard deviation.
    guess : float, optional
        The first guess.
    low, high : float, optional
        Bounds.
    """

    mean: Number
    std: Number
    guess: Number | None = None
    low: Number | None = None
    high: Number | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", finite_number(self.mean, "The mean of a prior"))
        std = finite_number(self.std, "The std of a prior")
        if std <= 0:
            raise ProblemError(f"The std of a prior is {std:g}; give a positive number.")
        object.__setattr__(self, "std", std)

    @property
    def interval(self) -> tuple[Any, Any, Any]:
        """The first guess and the bounds."""
        return (self.mean if self.guess is None else self.guess, self.low, self.high)


@dataclass(frozen=True, eq=False)
class PriorRow(Requirement):
    """A prior as one more measurement, of the unknown itself, at any point of the domain."""

    kind: ClassVar[str] = "observations"

    expression: sympy.Symbol
    prior: Prior
    point: Floats
    weight: float = 1.0

    @property
    def place(self) -> Place:
        return Observed(self.point)

    @property
    def name(self) -> str:
        return f"prior of {self.expression}"

    @property
    def where(self) -> str:
        return f"The prior of {self.expression}"

    @property
    def data(self) -> Floats:
        return np.array([float(self.prior.mean)])

    @property
    def sigma(self) -> float:
        return float(self.prior.std)

    def with_expression(self, expression: sympy.Expr) -> "PriorRow":
        return replace(self, expression=expression)

    def within(self, kept: Kept) -> "PriorRow":
        return self

    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        return {"mean": self.prior.mean, "std": self.prior.std}

    def __repr__(self) -> str:
        return f"{self.expression} = {self.prior.mean:g} ± {self.prior.std:g}"


def prior_rows(unknowns: Mapping[sympy.Symbol, Any], domain: Domain) -> tuple[PriorRow, ...]:
    """A row for each unknown that was given with a prior."""
    return tuple(
        PriorRow(symbol, given, any_point(domain))
        for symbol, given in unknowns.items()
        if isinstance(given, Prior)
    )


def any_point(domain: Domain) -> Floats:
    """A point inside a domain, always the same one."""
    center = np.asarray(domain.bounding_box.center, dtype=float)[None]
    if domain.contains(center)[0]:
        return center

    def draw(count: int, dimension: int) -> Floats:
        return np.random.default_rng(0).random((count, dimension))

    return np.asarray(domain.sample_inside(1, draw)[:1])
