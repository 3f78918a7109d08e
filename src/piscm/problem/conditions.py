"""Conditions: at places, and between the two ends of a coordinate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sympy

from piscm.problem.domain import Domain, called
from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.expressions import as_expression, fields_in
from piscm.problem.frozen import ReadOnly
from piscm.problem.integrals import integrals_in
from piscm.problem.numeric import finite_number
from piscm.problem.place import Kept, Place
from piscm.problem.places import PeriodicPair, Slice, Slices, Throughout, WholeBoundary
from piscm.problem.requirement import Requirement, checked_weight
from piscm.problem.several import Several
from piscm.problem.written import Expression, Number

One = Mapping[sympy.Symbol, Number] | str | Place
On = One | Sequence[One]
"""A place as written by the user."""


@dataclass(frozen=True, eq=False, repr=False)
class Condition(Requirement):
    """An expression that must vanish on a part of the domain.

    Parameters
    ----------
    expression : sympy.Expr or sympy.Eq
        Any expression in the fields, their derivatives, coordinates and unknowns, linear or not.
    on : mapping, "boundary", a place, or a sequence of them
        ``{x: 0}`` is a face (or a line inside), ``{x: 0, y: 0}`` an edge, corner or point,
        ``[{x: 0}, {x: 1}]`` several of them, ``"boundary"`` all faces,
        ``domain.boundary("hole")`` a part of the boundary, ``hole.boundary()`` that of another
        shape: what the domain has of it, on its own boundary or as a curve inside. It is stored as
        a `piscm.problem.place.Place`. Omitted for integrals: ``integral(u, over=domain) - 1`` is
        one number, ``integral(u, over=x) - 1`` holds at all values of the other coordinates.
    weight : float
        The weight of this condition relative to the others.
    """

    expression: Expression
    on: On | None = None
    weight: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        expression = as_expression(self.expression, "A condition", complex_too=True)
        shown = brief(expression)
        if self.on is None:
            object.__setattr__(self, "on", _throughout(expression))
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
        return f"{brief(self.expression)}{self._where}"

    @property
    def _where(self) -> str:
        return "" if isinstance(self.on, Throughout) else f" on {shortened(str(self.on))}"

    def with_expression(self, expression: sympy.Expr) -> "Condition":
        return replace(self, expression=expression)

    def within(self, kept: Kept) -> "Condition":
        return replace(self, on=kept.place)

    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        document = {"expression": text(self.expression), "weight": self.weight}
        if not isinstance(self.on, Throughout):
            document["on"] = self.place.document
        return document

    def __repr__(self) -> str:
        return f"{brief(self.expression)} = 0{self._where}"


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
        expression = as_expression(self.expression, "A periodic condition", complex_too=True)
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


def _throughout(expression: sympy.Expr) -> Place:
    """Where integrals hold that are not at a place: at all values of what they do not run over."""
    found = integrals_in(expression)
    outside = expression.xreplace({part: sympy.S.Zero for part in found})
    if not found or fields_in(outside):
        raise ProblemError(
            f"on=None for {brief(expression)}: say where it holds, as on={{x: 0}}. Only conditions "
            "made of integrals alone, as integral(u, over=domain) - 1, have no place."
        )
    return Throughout(tuple(sorted({s for part in found for s in part.bound()}, key=str)))


def _place(on: Any, shown: str) -> Place:
    on = called(on)
    if isinstance(on, Place):
        return on
    if isinstance(on, str):
        if on != "boundary":
            raise ProblemError(
                f"on={brief(on)} for {shown}: the only word known is 'boundary'; a part of it is "
                f"on=domain.boundary({brief(on)})."
            )
        return WholeBoundary()
    if isinstance(on, Domain):
        raise ProblemError(
            f"on={brief(on)} for {shown}: that is the inside as well; where it ends is "
            "on=shape.boundary()."
        )
    parts = [on] if isinstance(on, Mapping) else on
    if not isinstance(parts, Sequence) or not parts:
        raise ProblemError(f"on={brief(on)} for {shown}: give a place such as {{x: 0}}.")
    if all(isinstance(part, Mapping) for part in parts):
        return Slices(tuple(_slice(part, shown) for part in parts))
    return Several(tuple(_place(part, shown) for part in parts))


def _slice(part: Any, shown: str) -> Slice:
    if not isinstance(part, Mapping) or not part:
        raise ProblemError(f"on={brief(part)} for {shown}: give a place such as {{x: 0}}.")
    for coordinate in part:
        if not isinstance(coordinate, sympy.Symbol):
            raise ProblemError(
                f"on={brief(part)} for {shown}: {brief(coordinate)} is not a coordinate; "
                "write on={x: 0} with the symbol x."
            )
        if isinstance(part[coordinate], list | tuple):
            several = ", ".join(f"{{{coordinate}: {brief(own)}}}" for own in part[coordinate])
            raise ProblemError(
                f"on={brief(part)} for {shown}: several places are a list, on=[{several}]."
            )
    return ReadOnly(
        (coordinate, finite_number(value, f"The place {coordinate} of the condition {shown}"))
        for coordinate, value in part.items()
    )
