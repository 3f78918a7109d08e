"""What everything that must hold besides the equations has in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import sympy

from piscm.problem.errors import ProblemError
from piscm.problem.numeric import Floats, finite_number
from piscm.problem.place import Kept, Place
from piscm.problem.written import Expression


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
    noise: Any = None
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

    @property
    def sigma(self) -> float | None:
        """The standard deviation of the data; None if it is not known."""
        return None

    @property
    def precision(self) -> Floats | None:
        """The weight of each datum relative to their mean; None if all are alike."""
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
