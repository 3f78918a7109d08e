"""What must hold besides the equations: conditions at places, periodicity, observations."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import sympy
from numpy.typing import ArrayLike

from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.expressions import as_expression
from piscm.problem.frozen import ReadOnly
from piscm.problem.numeric import Floats, finite_array, finite_number
from piscm.problem.place import Kept, Place
from piscm.problem.places import Observed, PeriodicPair, Slice, Slices, WholeBoundary
from piscm.problem.written import Expression, Number

LOSSES = ("square", "huber")

On = Mapping[sympy.Symbol, Number] | Sequence[Mapping[sympy.Symbol, Number]] | str | Place
"""A place as written by the user."""


def checked_weight(weight: Any, what: str) -> float:
    number = finite_number(weight, f"The weight of {what}")
    if number <= 0:
        raise ProblemError(f"The weight of {what} is {weight}; it must be positive.")
    return number


class Requirement(ABC):
    """Something that must hold besides the equations.

    Attributes
    ----------
    expression : sympy.Expr
        What must vanish, or equal `data`.
    weight : float
        Its weight relative to others of its kind.
    """

    kind: ClassVar[str] = "conditions"
    noise: float | None = None
    loss: str = "square"

    expression: Expression
    weight: float

    @property
    @abstractmethod
    def place(self) -> Place:
        """Where it holds."""

    @property
    @abstractmethod
    def name(self) -> str:
        """A name for people to read."""

    @property
    def where(self) -> str:
        """The name used in error messages."""
        return f"The condition {self}"

    @property
    def data(self) -> Floats | None:
        """The value of the expression, one number per row; None if it must vanish."""
        return None

    @abstractmethod
    def with_expression(self, expression: sympy.Expr) -> Self:
        """The same requirement on another expression."""

    @abstractmethod
    def within(self, kept: Kept) -> Self:
        """The same requirement at what a part of the domain keeps of its place."""

    @abstractmethod
    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        """As plain data, with expressions converted by `text`."""


@dataclass(frozen=True, eq=False, repr=False)
class Condition(Requirement):
    """An expression that must vanish on a part of the domain.

    Parameters
    ----------
    expression : sympy.Expr or sympy.Eq
        Any expression in the fields, their derivatives, coordinates and unknowns, linear or not.
    on : mapping, sequence of mappings, "boundary", or a place
        ``{x: 0}`` is a face (or a line inside), ``{x: 0, y: 0}`` an edge, corner or point,
        ``[{x: 0}, {x: 1}]`` several of them, ``"boundary"`` all faces. It is stored as a
        `piscm.problem.places.Place`.
    weight : float
        The weight of this condition relative to the others.
    """

    expression: Expression
    on: On
    weight: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        expression = as_expression(self.expression, "A condition")
        shown = brief(expression)
        object.__setattr__(self, "expression", expression)
        weight = checked_weight(self.weight, f"the condition {shown}")
        object.__setattr__(self, "weight", weight)
        object.__setattr__(self, "on", _place(self.on, shown))

    @property
    def place(self) -> Place:
        assert isinstance(self.on, Place)  # converted by `__post_init__`
        return self.on

    @property
    def name(self) -> str:
        return f"{brief(self.expression)} on {shortened(str(self.on))}"

    def with_expression(self, expression: sympy.Expr) -> "Condition":
        return replace(self, expression=expression)

    def within(self, kept: Kept) -> "Condition":
        return replace(self, on=kept.place)

    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        return {
            "expression": text(self.expression),
            "on": self.place.document,
            "weight": self.weight,
        }

    def __repr__(self) -> str:
        return f"{brief(self.expression)} = 0 on {shortened(str(self.on))}"


@dataclass(frozen=True, eq=False, repr=False)
class Periodic(Requirement):
    """An expression that takes the same value at both ends of a coordinate.

    ``Periodic(u, along=x)`` ties the field, ``Periodic(u.diff(x), along=x)`` its slope.

    Parameters
    ----------
    expression : sympy.Expr
    along : sympy.Symbol
    weight : float
        The weight of this condition relative to the others.
    """

    expression: Expression
    along: sympy.Symbol
    weight: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        expression = as_expression(self.expression, "A periodic condition")
        object.__setattr__(self, "expression", expression)
        weight = checked_weight(self.weight, f"the periodic condition on {brief(expression)}")
        object.__setattr__(self, "weight", weight)
        if not isinstance(self.along, sympy.Symbol):
            raise ProblemError(
                f"Periodic(..., along={brief(self.along)}): give a coordinate, as along=x."
            )

    @property
    def place(self) -> Place:
        return PeriodicPair(self.along)

    @property
    def name(self) -> str:
        return repr(self)

    def with_expression(self, expression: sympy.Expr) -> "Periodic":
        return replace(self, expression=expression)

    def within(self, kept: Kept) -> "Periodic":
        return self

    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        return {
            "periodic": text(self.expression),
            "along": self.along.name,
            "weight": self.weight,
        }

    def __repr__(self) -> str:
        return f"{brief(self.expression)} periodic along {self.along}"


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


def _place(on: Any, shown: str) -> Place:
    if isinstance(on, Place):
        return on
    if isinstance(on, str):
        if on != "boundary":
            raise ProblemError(f"on={brief(on)} for {shown}: the only word known is 'boundary'.")
        return WholeBoundary()
    parts = [on] if isinstance(on, Mapping) else on
    if not isinstance(parts, Sequence) or not parts:
        raise ProblemError(f"on={brief(on)} for {shown}: give a place such as {{x: 0}}.")
    return Slices(tuple(_slice(part, shown) for part in parts))


def _slice(part: Any, shown: str) -> Slice:
    if not isinstance(part, Mapping) or not part:
        raise ProblemError(f"on={brief(part)} for {shown}: give a place such as {{x: 0}}.")
    for coordinate in part:
        if not isinstance(coordinate, sympy.Symbol):
            raise ProblemError(
                f"on={brief(part)} for {shown}: {brief(coordinate)} is not a coordinate; "
                "write on={x: 0} with the symbol x."
            )
    return ReadOnly(
        (coordinate, finite_number(value, f"The place {coordinate} of the condition {shown}"))
        for coordinate, value in part.items()
    )
