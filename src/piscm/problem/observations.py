"""Measured values."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import sympy
from numpy.typing import ArrayLike

from piscm.problem.columns import column, table_of
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression, fields_in
from piscm.problem.frozen import restore
from piscm.problem.numeric import Floats, checked_array, finite_array, finite_number
from piscm.problem.place import Kept, Place
from piscm.problem.places import Observed
from piscm.problem.requirement import Requirement, checked_weight
from piscm.problem.symbols import ComplexField
from piscm.problem.written import Expression

LOSSES = ("square", "huber")


@dataclass(frozen=True, eq=False)
class Observations(Requirement):
    """Measured values of an expression in the fields at scattered points.

    Parameters
    ----------
    expression : sympy.Expr
    points : array_like, shape (N, n), or a table
        One point per row, in the order of the domain's coordinates; (N,) in one dimension. The
        columns of a table (a DataFrame, a mapping of names or coordinates to arrays, a structured
        array) are matched by name, in whatever order they are; others are ignored.
    values : array_like, shape (N,), or str
        The measured values, or the name of their column in the table.
    weight : float
        The weight of these observations relative to others.
    noise : float, array_like of shape (N,), or str, optional
        Their standard deviation, one for all or one for each, or the name of its column; estimated
        from the fit if omitted. Values of less noise count more, by the inverse square.
    loss : {"square", "huber"}
        "huber" limits the pull of an outlier to that of an error of 1.35 standard deviations.

    Examples
    --------
    >>> import numpy as np, piscm
    >>> x, t = piscm.coordinates("x t")
    >>> u = piscm.field("u", x, t)
    >>> table = {"t": [0.0, 1.0], "x": [0.5, 0.6], "u": [2.0, 1.9], "sigma": [0.1, 0.2]}
    >>> piscm.Observations(u, points=table, values="u", noise="sigma")
    u(x, t) observed at 2 points
    """

    kind: ClassVar[str] = "observations"

    expression: Expression
    points: Any
    values: ArrayLike | str
    weight: float = 1.0
    noise: Any = None
    loss: str = "square"
    columns: tuple[str, ...] | None = None  # names of the columns of points, if they have names

    def __post_init__(self) -> None:
        expression = as_expression(self.expression, "An observed expression", complex_too=True)
        shown = brief(expression)
        points, values, noise = self._arrays(expression, f"the observations of {shown}")
        shape = points.shape
        if points.ndim == 1:
            points = points[:, None]
        if points.ndim != 2 or values.ndim != 1 or len(points) != len(values):
            raise ProblemError(
                f"The observations of {shown} have points of shape {shape} "
                f"and values of shape {np.shape(values)}; they must be (N, n) and (N,)."
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
        object.__setattr__(self, "noise", _checked_noise(noise, len(values), shown))
        if not isinstance(self.loss, str) or self.loss not in LOSSES:
            raise ProblemError(f"loss={brief(self.loss)}: known losses are {', '.join(LOSSES)}.")

    def _arrays(self, expression: sympy.Expr, what: str) -> tuple[Floats, Floats, Any]:
        """Points, values and noise as arrays; those of a table by the names of its columns."""
        _check_rows(self.points, self.values, what)
        table, values, noise = table_of(self.points), self.values, self.noise
        if table is None:
            for given, name in ((values, "values"), (noise, "noise")):
                if isinstance(given, str):
                    raise ProblemError(
                        f"{name}={brief(given)} for {what} names a column, and the points are no "
                        "table."
                    )
            points = finite_array(self.points, f"The points of {what}")
            return points, _finite_values(expression, values, f"The values of {what}"), noise
        names = _names(expression)
        arrays = [
            finite_array(column(table, name, f"The points of {what}"), f"The points of {what}")
            for name in names
        ]
        if len({array.shape for array in arrays}) > 1 or arrays[0].ndim != 1:
            raise ProblemError(f"The columns of the points of {what} differ in length.")
        if isinstance(values, str):
            values = column(table, values, f"The values of {what}")
        if isinstance(noise, str):
            noise = column(table, noise, f"The noise of {what}")
        object.__setattr__(self, "columns", names)
        return (
            np.stack(arrays, axis=-1),
            _finite_values(expression, values, f"The values of {what}"),
            noise,
        )

    def in_order(self, coordinates: Sequence[sympy.Symbol]) -> "Observations":
        """The same with columns in the order of a domain's coordinates."""
        if self.columns is None:
            return self
        own = [symbol.name for symbol in coordinates]
        if set(own) != set(self.columns):
            raise ProblemError(
                f"The points of the observations of {brief(self.expression)} are a table, from "
                f"which {', '.join(self.columns)} were taken; the domain has {', '.join(own)}. "
                "Give an array of shape (N, n) instead."
            )
        order = [self.columns.index(name) for name in own]
        return replace(self, points=np.asarray(self.points)[:, order], columns=None)

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

    @property
    def sigma(self) -> float | None:
        """The standard deviation of a datum of average weight; None if it is not known."""
        if self.noise is None or isinstance(self.noise, float):
            return self.noise
        return float(np.sqrt(1.0 / np.mean(np.asarray(self.noise) ** -2.0)))

    @property
    def precision(self) -> Floats | None:
        """The weight of each datum relative to their mean; None if all are alike."""
        sigma = self.sigma
        if sigma is None or isinstance(self.noise, float):
            return None
        return np.asarray((sigma / np.asarray(self.noise)) ** 2)

    def with_expression(self, expression: sympy.Expr) -> "Observations":
        return replace(self, expression=expression)

    def of(self, expression: sympy.Expr, values: Floats) -> "Observations":
        """The same points and noise with another expression and other values."""
        return replace(self, expression=expression, values=values)

    def within(self, kept: Kept) -> "Observations":
        points, values = np.asarray(self.points), np.asarray(self.values)
        noise = self.noise[kept.rows] if isinstance(self.noise, np.ndarray) else self.noise
        return replace(self, points=points[kept.rows], values=values[kept.rows], noise=noise)

    def document(self, text: Callable[[sympy.Expr], str]) -> dict[str, Any]:
        many = isinstance(self.noise, np.ndarray)
        return {
            "expression": text(self.expression),
            "points": np.asarray(self.points).tolist(),
            "values": np.asarray(self.values).tolist(),
            "weight": self.weight,
            "noise": self.noise.tolist() if many else self.noise,
            "loss": self.loss,
        }

    def __repr__(self) -> str:
        return f"{brief(self.expression)} observed at {len(np.asarray(self.values))} points"


def _finite_values(expression: sympy.Expr, values: Any, what: str) -> Any:
    """An array of real numbers, or of complex ones if the expression holds a complex field."""
    if not expression.atoms(ComplexField) or not np.iscomplexobj(checked_array(values, what)):
        return finite_array(values, what)
    array = np.asarray(values)
    parts = finite_array(array.real, what), finite_array(array.imag, what)
    return parts[0] + 1j * parts[1]


def _checked_noise(given: Any, count: int, shown: str) -> Any:
    """One positive number, or an array of as many as there are values."""
    if given is None:
        return None
    what = f"The noise of the observations of {shown}"
    if np.ndim(checked_array(given, what)) == 0:
        noise: Any = finite_number(given, what)
    else:
        noise = finite_array(given, what)
        if noise.shape != (count,):
            raise ProblemError(f"{what} has the shape {noise.shape}; there are {count} values.")
        noise.setflags(write=False)
    if np.min(noise) <= 0:
        raise ProblemError(
            f"{what} is {np.min(noise):g}; give a positive standard deviation, or leave it out to "
            "have it estimated."
        )
    return noise


def _names(expression: sympy.Expr) -> tuple[str, ...]:
    """The coordinates that the fields of an expression depend on, in the order of the fields."""
    found: list[str] = []
    for item in sorted(fields_in(expression), key=lambda own: (-len(own.args), str(own))):
        found += [argument.name for argument in item.args if argument.name not in found]
    return tuple(found)


def _check_rows(points: Any, values: Any, what: str) -> None:
    """Refuse a DataFrame and a Series whose rows are labeled differently."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(values, pandas.Series):
        return
    if isinstance(points, pandas.DataFrame | pandas.Series) and not points.index.equals(
        values.index
    ):
        raise ProblemError(
            f"The points and values of {what} have rows of different labels: their index differs. "
            "Take both from one table, or pass values.to_numpy() if the order is right."
        )
