"""The physics-informed loss in JAX: the weighted mean squares of all blocks, as in `PISC3`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.logic.boolalg import Boolean

from piscm.assemble.assembly import Assembly
from piscm.assemble.weighting import row_weights
from piscm.compile.blocks import Block
from piscm.compile.expression import Compiled
from piscm.compile.numeric_code import function_of
from piscm.network.layers import derivatives
from piscm.network.nodes import feature_of
from piscm.network.series import Orders
from piscm.problem.errors import ProblemError
from piscm.problem.place import Leg

Floats = NDArray[np.float64]
Parameters = dict[str, Any]
"""Layers and unknowns."""


@dataclass(frozen=True)
class _Leg:
    """A block at one of its legs; `jets` are the place, orders and field of each."""

    leg: Leg
    jets: tuple[tuple[int, Orders, int], ...]
    function: Callable[..., Any]
    where: str

    def value(self, arguments: Sequence[Any]) -> Any:
        try:
            (value,) = self.function(*arguments)
        except (NameError, TypeError):  # there is none, or it is SciPy's, which only takes numbers
            raise ProblemError(
                f"{self.where} holds a function of a field or an unknown that JAX does not have."
            ) from None
        return value

    def rows(self, value: Any) -> Any:
        """The contribution of the values at its points to the rows."""
        sums = self.leg.sums
        if sums is not None and not isinstance(sums, np.ndarray):
            sums = sums.toarray()  # JAX does not multiply by SciPy's sparse matrices
        return self.leg.sign * (value if sums is None else sums @ value)


@dataclass(frozen=True)
class _Row:
    """A block: its legs and its row weights."""

    legs: tuple[_Leg, ...]
    weight: float


class PhysicsLoss:
    """The loss as a function of the parameters and of precomputed numbers at the points.

    Whatever depends on the coordinates alone is computed once, by NumPy in double precision: the
    source term of an equation costs nothing per epoch, and may use functions that JAX lacks.

    Parameters
    ----------
    assembly : Assembly
    activation : str
    shift, scale : ndarray, shape (coordinates,)
        The input of the network is ``(x - shift) * scale``.
    xp : namespace
        The JAX functions that layers need.
    names : mapping
        JAX functions by their names in NumPy and SciPy.

    Attributes
    ----------
    numbers : nested lists of arrays in double precision, the second argument of the loss
    """

    def __init__(
        self,
        assembly: Assembly,
        activation: str,
        shift: Floats,
        scale: Floats,
        xp: Any,
        names: Mapping[str, Any],
    ) -> None:
        self._assembly, self._names, self._xp = assembly, names, xp
        self._activation, self._shift, self._scale = activation, shift, scale
        self._places: dict[tuple[int, int, tuple[float, ...]], int] = {}
        self._wanted: list[set[Orders]] = []
        self._slopes: list[Floats] = []
        self._inputs: list[Floats] = []
        self._rows: list[_Row] = []
        of_blocks = []
        blocks, points = assembly.part.blocks, assembly.points
        weights = row_weights(blocks, points, assembly.weights)
        for number, block in enumerate(blocks):
            site, legs = points.of_block[number], points[number]
            made = [self._leg(block, leg, (site, place)) for place, leg in enumerate(legs)]
            self._rows.append(_Row(tuple(leg for leg, _ in made), weights[number]))
            target = block.target(legs)
            data = np.zeros(legs[0].rows) if target is None else target
            of_blocks.append((data, [numbers for _, numbers in made]))
        self.numbers = (self._inputs, of_blocks)

    def _leg(self, block: Block, leg: Leg, where: tuple[int, int]) -> tuple[_Leg, Any]:
        compiled, problem, points = block.of_leg(where[1]), self._assembly.part.problem, leg.points
        seen, given = compiled.seen(leg), compiled.coordinates
        expression, symbols = compiled.written
        taken: dict[sympy.Expr, sympy.Dummy] = {}
        rest = _without_fixed(expression, frozenset(symbols), taken)
        fixed = [
            Compiled(part, (), given, (), compiled.where).value(seen, (), ()) for part in taken
        ]
        arguments = [*given, *taken.values(), *symbols]
        function = function_of(arguments, [rest], compiled.where, [self._names])
        jets = []
        for jet in compiled.jets:
            sees, orders, _ = feature_of(jet, problem)
            place = self._place(points, where, sees)
            self._wanted[place].add(orders)
            jets.append((place, orders, jet.field))
        start = self._assembly.start.jets(compiled, points)
        made = _Leg(leg, tuple(jets), function, compiled.where)
        return made, ([*seen.T, *fixed], list(start))

    def _place(self, points: Floats, where: tuple[int, int], sees: tuple[float, ...]) -> int:
        """The index of a leg of a site, as seen by fields that depend on the coordinates `sees`."""
        key = (*where, sees)
        if key not in self._places:
            seen = (np.array(sees) != 0).astype(float)  # regions are not stretched here
            self._places[key] = len(self._inputs)
            # As in layers of physical coordinates: a coordinate that is not seen is zero there.
            self._inputs.append((points * seen - self._shift) * self._scale)
            self._slopes.append(seen * self._scale)
            self._wanted.append(set())
        return self._places[key]

    def __call__(self, parameters: Parameters, numbers: Any) -> Any:
        """The loss: the squared residual."""
        inputs, of_blocks = numbers
        places = [
            derivatives(
                parameters["layers"], here, slopes.tolist(), wanted, self._activation, self._xp
            )
            for here, slopes, wanted in zip(inputs, self._slopes, self._wanted, strict=True)
        ]
        total = 0.0
        for row, (data, of_legs) in zip(self._rows, of_blocks, strict=True):
            residual = -data
            for leg, (fixed, start) in zip(row.legs, of_legs, strict=True):
                jets = [
                    own + places[place][orders][:, field]
                    for own, (place, orders, field) in zip(start, leg.jets, strict=True)
                ]
                value = leg.value([*fixed, *jets, *parameters["unknowns"]])
                residual = residual + leg.rows(value)
            total = total + row.weight * self._xp.sum(residual**2)
        return total


def _without_fixed(
    expression: Any, moving: frozenset[sympy.Symbol], taken: dict[sympy.Expr, sympy.Dummy]
) -> Any:
    """Replace every maximal part that depends on coordinates alone by a symbol."""
    if isinstance(expression, Boolean):  # a symbol cannot stand in for a condition
        return expression
    free = expression.free_symbols
    if not free & moving:
        if not free:
            return expression
        return taken.setdefault(expression, sympy.Dummy(f"fixed{len(taken)}", real=True))
    parts: Sequence[Any] = expression.args
    if expression.is_Add or expression.is_Mul:
        fixed, rest = expression.as_independent(*moving, as_Add=expression.is_Add)
        parts = (fixed, *type(expression).make_args(rest))
    if not parts:
        return expression
    return expression.func(*(_without_fixed(part, moving, taken) for part in parts))
