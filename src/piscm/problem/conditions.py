"""What must hold besides the equations: conditions at places, periodicity, observations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike

from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.expressions import as_expression
from piscm.problem.numeric import finite_array, finite_number

LOSSES = ("square", "huber")

Place = Mapping[sympy.Symbol, float]
"""A face, edge or point: the coordinates that are fixed there, and their values."""


def checked_weight(weight: Any, what: str) -> float:
    number = finite_number(weight, f"The weight of {what}")
    if number <= 0:
        raise ProblemError(f"The weight of {what} is {weight}; it must be positive.")
    return number


class Condition:
    """An expression that must vanish on a part of the domain.

    Parameters
    ----------
    expression : sympy.Expr or sympy.Eq
        Any expression in the fields, their derivatives, coordinates and unknowns, linear or not.
    on : mapping, sequence of mappings, or "boundary"
        ``{x: 0}`` is a face (or a line inside), ``{x: 0, y: 0}`` an edge, corner or point,
        ``[{x: 0}, {x: 1}]`` several of them, ``"boundary"`` all faces.
    weight : float
        How much this condition counts beside the others.
    """

    def __init__(self, expression: Any, on: Any, *, weight: float = 1.0) -> None:
        self.expression = as_expression(expression, "A condition")
        shown = brief(self.expression)
        self.weight = checked_weight(weight, f"the condition {shown}")
        self.on: str | tuple[Place, ...] = _places(on, shown)

    def __repr__(self) -> str:
        return f"{brief(self.expression)} = 0 on {shortened(place_text(self.on))}"


class Periodic:
    """An expression that takes the same value at both ends of a coordinate.

    ``Periodic(u, along=x)`` ties the field, ``Periodic(u.diff(x), along=x)`` its slope.
    """

    def __init__(self, expression: Any, along: sympy.Symbol, *, weight: float = 1.0) -> None:
        self.expression = as_expression(expression, "A periodic condition")
        self.weight = checked_weight(weight, f"the periodic condition on {brief(self.expression)}")
        if not isinstance(along, sympy.Symbol):
            raise ProblemError(
                f"Periodic(..., along={brief(along)}): give a coordinate, as along=x."
            )
        self.along = along

    def __repr__(self) -> str:
        return f"{brief(self.expression)} periodic along {self.along}"


@dataclass(frozen=True, eq=False)
class Observations:
    """Measured values of an expression in the fields at scattered points.

    Parameters
    ----------
    expression : sympy.Expr
    points : array_like, shape (N, n)
        One point a row, in the order of the domain's coordinates; (N,) in one dimension.
    values : array_like, shape (N,)
    weight : float
        How much these observations count beside others.
    noise : float, optional
        Their standard deviation; estimated from the fit where it is not given.
    loss : {"square", "huber"}
        "huber" lets outliers pull only as hard as an error of 1.35 standard deviations.
    """

    expression: sympy.Expr
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

    def __repr__(self) -> str:
        return f"{brief(self.expression)} observed at {len(np.asarray(self.values))} points"


def _places(on: Any, shown: str) -> str | tuple[Place, ...]:
    if isinstance(on, str):
        if on != "boundary":
            raise ProblemError(f"on={brief(on)} for {shown}: the only word known is 'boundary'.")
        return on
    places = [on] if isinstance(on, Mapping) else on
    if not isinstance(places, Sequence) or not places:
        raise ProblemError(f"on={brief(on)} for {shown}: give a place such as {{x: 0}}.")
    return tuple(_place(place, shown) for place in places)


def _place(place: Any, shown: str) -> Place:
    if not isinstance(place, Mapping) or not place:
        raise ProblemError(f"on={brief(place)} for {shown}: give a place such as {{x: 0}}.")
    for coordinate in place:
        if not isinstance(coordinate, sympy.Symbol):
            raise ProblemError(
                f"on={brief(place)} for {shown}: {brief(coordinate)} is not a coordinate; "
                "write on={x: 0} with the symbol x."
            )
    return {
        coordinate: finite_number(value, f"The place {coordinate} of the condition {shown}")
        for coordinate, value in place.items()
    }


def place_text(on: str | tuple[Place, ...]) -> str:
    """A place as a person would write it: ``x = 0, y = 1``."""
    if isinstance(on, str):
        return "the boundary"
    return " and ".join(
        ", ".join(f"{coordinate} = {value:g}" for coordinate, value in place.items())
        for place in on
    )
