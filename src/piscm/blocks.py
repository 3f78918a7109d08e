r"""Compiled residuals: numbers from symbols.

Equations, conditions and observations are the same thing: an expression
:math:`R(x, D^\gamma u, \lambda)`, the points where it must vanish, a weight. Here the expression
becomes two functions of arrays, the residual and its exact partial derivatives by every
:math:`D^\gamma u` and every unknown :math:`\lambda`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.network.nodes import Feature
from piscm.numeric_code import function_of
from piscm.problem.conditions import Condition, Place, place_text
from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]
Arrays = Sequence[Any] | Floats

# What SymPy leaves where a nonsmooth function is differentiated at its kink.
_GENERALIZED = (sympy.DiracDelta,)
_OPAQUE = (sympy.Derivative, sympy.Subs, sympy.Integral)


class Jet(NamedTuple):
    """A derivative of a field: its index among the fields, and the order by each coordinate."""

    field: int
    orders: tuple[int, ...]


class Compiled:
    """An expression in fields, derivatives, coordinates and unknowns as functions of arrays.

    Attributes
    ----------
    jets : tuple of Jet
        The derivatives the expression holds, in the order its functions take them.
    """

    def __init__(
        self,
        expression: sympy.Expr,
        fields: Sequence[AppliedUndef],
        coordinates: Sequence[sympy.Symbol],
        unknowns: Sequence[sympy.Symbol],
        where: str,
    ) -> None:
        self.where = where
        self._flat, jets = _replace_jets(expression, fields, coordinates)
        self.jets: tuple[Jet, ...] = tuple(jets)
        self._moving = [*jets.values(), *unknowns]
        self._arguments = [*coordinates, *self._moving]
        self._value = function_of(self._arguments, [self._flat], where)

    @property
    def written(self) -> tuple[sympy.Expr, list[sympy.Symbol]]:
        """The expression with a symbol for every jet, and the symbols of jets and unknowns."""
        return self._flat, list(self._moving)

    # Only a residual needs partials; what is merely evaluated, floor(u) say, may have none.
    @cached_property
    def _partials(self) -> list[sympy.Expr]:
        return [derivative(self._flat, symbol, self.where) for symbol in self._moving]

    @cached_property
    def _all(self) -> Callable[..., Any]:
        return function_of(self._arguments, [self._flat, *self._partials], self.where)

    @cached_property
    def linear(self) -> bool:
        """The residual is affine in jets and unknowns together: its partials never change."""
        if any(partial.has(*self._moving) for partial in self._partials):
            return False
        # A jump, sign(u), has constant partials too: what is left beside them must not move.
        terms = zip(self._partials, self._moving, strict=True)
        rest = self._flat - sympy.Add(*(partial * symbol for partial, symbol in terms))
        return not sympy.expand(rest).has(*self._moving) if self._moving else True

    @cached_property
    def fixed(self) -> tuple[int, ...]:
        """The jets whose partials depend on the coordinates alone."""
        return tuple(
            index
            for index, partial in enumerate(self._partials[: len(self.jets)])
            if not partial.has(*self._moving)
        )

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The other jets."""
        return tuple(index for index in range(len(self.jets)) if index not in self.fixed)

    def value(self, points: Floats, jets: Arrays, unknowns: Arrays) -> Floats:
        """The expression at the points, shape (..., points), for jets of shape (..., points).

        Unknowns are numbers or arrays of shape (..., 1).
        """
        return self._call(self._value, points, jets, unknowns)[0]

    def linearize(
        self, points: Floats, jets: Arrays, unknowns: Arrays
    ) -> tuple[Floats, Floats, Floats]:
        """The value (points,), its partials by jets (jets, points) and by unknowns."""
        value, *partials = self._call(self._all, points, jets, unknowns)
        table = np.empty((len(partials), len(points)))
        for row, partial in zip(table, partials, strict=True):
            row[:] = partial
        return value, table[: len(self.jets)], table[len(self.jets) :]

    def _call(
        self, function: Callable[..., Any], points: Floats, jets: Arrays, unknowns: Arrays
    ) -> list[Floats]:
        try:
            with np.errstate(all="ignore"):
                values = function(*points.T, *jets, *unknowns)
        except OverflowError:  # Python's own numbers, where NumPy would answer inf
            raise ProblemError(f"{self.where} holds too large a number.") from None
        shape = np.broadcast_shapes((len(points),), *{np.shape(jet) for jet in jets})
        return [self._real(value, shape) for value in values]

    def _real(self, value: Any, shape: tuple[int, ...]) -> Floats:
        if isinstance(value, np.ndarray) and value.shape == shape and value.dtype == np.float64:
            return value
        if np.iscomplexobj(value):
            raise ProblemError(f"{self.where} is complex: it holds a root of a negative number.")
        return np.broadcast_to(np.asarray(value, dtype=float), shape)


def _replace_jets(
    expression: sympy.Expr, fields: Sequence[AppliedUndef], coordinates: Sequence[sympy.Symbol]
) -> tuple[sympy.Expr, dict[Jet, sympy.Dummy]]:
    """Put a plain symbol in the place of every field and every derivative of one."""
    jets: dict[Jet, sympy.Dummy] = {}
    table: dict[sympy.Expr, sympy.Dummy] = {}
    atoms = expression.atoms(sympy.Derivative) | expression.atoms(AppliedUndef)
    for atom in sorted(atoms, key=sympy.default_sort_key):
        base, counts = atom, {}
        if isinstance(atom, sympy.Derivative):
            base, counts = atom.expr, dict(atom.variable_count)
        orders = tuple(int(counts.get(coordinate, 0)) for coordinate in coordinates)
        jet = Jet(list(fields).index(base), orders)
        table[atom] = jets.setdefault(jet, sympy.Dummy(f"jet{len(jets)}", real=True))
    # A field inside a used derivative only is no jet of its own.
    flat = expression.xreplace(table)
    return flat, {jet: dummy for jet, dummy in jets.items() if flat.has(dummy)}


def derivative(expression: sympy.Expr, symbol: sympy.Symbol, where: str) -> sympy.Expr:
    """The derivative by a symbol as it can be compiled: zero at a jump, as beside it."""
    result = expression.diff(symbol).replace(
        lambda e: isinstance(e, _GENERALIZED), lambda _: sympy.S.Zero
    )
    if result.has(*_OPAQUE):
        raise ProblemError(f"{where} cannot be differentiated by SymPy: it leaves {brief(result)}.")
    return result


@dataclass(frozen=True)
class Block:
    """One kind of row: an expression, where it must vanish, and what it must equal there.

    Attributes
    ----------
    name : str
        What a person calls it.
    kind : str
        "equations", "conditions" or "observations".
    compiled : Compiled
    place : object
        Where: ``"interior"``, ``"boundary"``, a tuple of places, an index of observations (int)
        or, for a periodic condition, the coordinate.
    data : ndarray or None
        Observed values, one a point.
    noise : float or None
        The standard deviation of the data, where the user gave it.
    loss : str
        "square" or "huber".
    """

    name: str
    kind: str
    compiled: Compiled
    place: str | tuple[Place, ...] | int | sympy.Symbol
    weight: float = 1.0
    data: Floats | None = None
    noise: float | None = None
    loss: str = "square"

    @property
    def signs(self) -> tuple[float, ...]:
        """A periodic block is the expression at the upper end minus that at the lower."""
        return (1.0, -1.0) if isinstance(self.place, sympy.Symbol) else (1.0,)


def compile_blocks(problem: Problem) -> list[Block]:
    """All blocks of a problem: equations, then conditions, then observations, by distinct names."""

    def compiled(expression: sympy.Expr, where: str) -> Compiled:
        return Compiled(
            expression, problem.fields, problem.domain.coordinates, tuple(problem.unknowns), where
        )

    blocks = []
    for number, equation in enumerate(problem.equations, start=1):
        name = f"equation {number}" if len(problem.equations) > 1 else "equation"
        blocks.append(
            Block(name, "equations", compiled(equation, f"Equation {number}"), "interior")
        )
    for condition in problem.conditions:
        function = compiled(condition.expression, f"The condition {condition}")
        if isinstance(condition, Condition):
            name = f"{brief(condition.expression)} on {shortened(place_text(condition.on))}"
            block = Block(name, "conditions", function, condition.on, condition.weight)
        else:
            block = Block(
                repr(condition), "conditions", function, condition.along, condition.weight
            )
        blocks.append(block)
    for index, data in enumerate(problem.observations):
        function = compiled(data.expression, f"The observed expression {brief(data.expression)}")
        blocks.append(
            Block(
                repr(data),
                "observations",
                function,
                index,
                data.weight,
                np.asarray(data.values),
                data.noise,
                data.loss,
            )
        )
    return [
        replace(block, name=_distinct(block.name, [other.name for other in blocks[:index]]))
        for index, block in enumerate(blocks)
    ]


def _distinct(name: str, taken: Sequence[str]) -> str:
    """The name, numbered where others before it have it too."""
    again = taken.count(name)
    return f"{name} ({again + 1})" if again else name


def feature_of(jet: Jet, fields: Sequence[AppliedUndef], coordinates: Sequence[Any]) -> Feature:
    """The feature of the hidden nodes that a jet is a combination of."""
    sees = tuple(coordinate in fields[jet.field].args for coordinate in coordinates)
    return Feature(sees, jet.orders)
