"""Measured values."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import sympy
from numpy.typing import ArrayLike

from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression
from piscm.problem.frozen import restore
from piscm.problem.numeric import Floats, finite_array, finite_number
from piscm.problem.place import Kept, Place
from piscm.problem.places import Observed
from piscm.problem.requirement import Requirement, checked_weight
from piscm.problem.written import Expression

LOSSES = ("square", "huber")


@dataclass(frozen=True, eq=False)
class Observations(Requirement):
    """Measured values of an expression in the fields at scattered points.

    Parameters
    ----------
    expression : sympy.Expr
    points : array_like, shape (N, n)
        One point per row, in the order of the domain's coordinates; (N,) in one dimension.
    values : array_like, shape (N,)
    weight : float
        The weight of these observations relative to others.
    noise : float, optional
        Their standard deviation; estimated from the fit if omitted.
    loss : {"square", "huber"}
        "huber" limits the pull of an outlier to that of an error of 1.35 standard deviations.
    """

    kind: ClassVar[str] = "observations"

    expression: Expression
    points: ArrayLike
    values: ArrayLike
    weight: float = 1.0
    noise: float | None = None
    loss: str = "square"

    def __post_init__(self) -> None:
        expression = as_expression(self.expression, "An observed expression")
        shown = brief(expression)
        points = finite_array(self.points, f"The points of the observations of {shown}")
        values = finite_array(self.values, f"The values of the observations of {shown}")
        if points.ndim == 1:
            points = points[:, None]
        if points.ndim != 2 or values.ndim != 1 or len(points) != len(values):
            raise ProblemError(
                f"The observations of {shown} have points of shape {np.shape(self.points)} "
                f"and values of shape {np.shape(self.values)}; they must be (N, n) and (N,)."
            )
        if len(values) == 0:
            raise ProblemError(f"The observations of {shown} are empty.")
        for array in (points, values):
            array.setflags(write=False)
        object.__setattr__(self, "expression", expression)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "values", values)
        weight = checked_weight(self.weight, f"the observations of {shown}")
        object.__setattr__(self, "weight", weight)
        if self.noise is not None:
            noise = finite_number(self.noise, f"The noise of the observations of {shown}")
            if noise <= 0:
                raise ProblemError(
                    f"The noise of the observations of {shown} is {noise:g}; give a positive "
                    "standard deviation, or leave it out to have it estimated."
                )
            object.__setattr__(self, "noise", noise)
        if self.loss not in LOSSES:
            raise ProblemError(f"loss={brief(self.loss)}: known losses are {', '.join(LOSSES)}.")

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore(self, state)  # a copy is as read-only as the original

    @property
    def place(self) -> Place:
        return Observed(np.asarray(self.points))

    @property
    def name(self) -> str:
        return repr(self)

    @property
    def where(self) -> str:
        return f"The observed expression {brief(self.expression)}"

    @property
    def data(self) -> Floats | None:
        return np.asarray(self.values)

    def with_expression(self, expression: sympy.Expr) -> "Observations":
        return replace(self, expression=expression)

    def within(self, kept: Kept) -> "Observations":
        points, values = np.asarray(self.points), np.asarray(self.values)
        return replace(self, points=points[kept.rows], values=values[kept.rows])

    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        return {
            "expression": text(self.expression),
            "points": np.asarray(self.points).tolist(),
            "values": np.asarray(self.values).tolist(),
            "weight": self.weight,
            "noise": self.noise,
            "loss": self.loss,
        }

    def __repr__(self) -> str:
        return f"{brief(self.expression)} observed at {len(np.asarray(self.values))} points"
