r"""Expressions in fields and their derivatives as functions of arrays.

In :math:`R(x, D^\gamma u, \lambda)` every :math:`D^\gamma u` becomes a plain symbol, a jet;
`piscm.compile.differentiable` turns the result into functions.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.compile.differentiable import Differentiable
from piscm.problem.normals import normal, normals_in
from piscm.problem.place import Leg

Floats = NDArray[np.float64]


class Jet(NamedTuple):
    """A derivative of a field: the index of the field, and the order by each coordinate."""

    field: int
    orders: tuple[int, ...]


class Strand(NamedTuple):
    """An argument of a nonlinear residual that comes from one field.

    Either one jet whose partial depends on the state, or the sum of all jets whose partials are
    fixed (functions of the coordinates alone), each times its partial.
    """

    field: int
    jets: tuple[int, ...]
    fixed: bool


class Compiled(Differentiable):
    """An expression in fields, derivatives, coordinates and unknowns as functions of arrays.

    Attributes
    ----------
    jets : tuple of Jet
        The derivatives in the expression, in the order its functions take them.
    normals : tuple of int
        The coordinates whose component of the outward normal its functions take as well.
    """

    def __init__(
        self,
        expression: sympy.Expr,
        fields: Sequence[AppliedUndef],
        coordinates: Sequence[sympy.Symbol],
        unknowns: Sequence[sympy.Symbol],
        where: str,
    ) -> None:
        flat, jets = _replace_jets(expression, fields, coordinates)
        self.jets: tuple[Jet, ...] = tuple(jets)
        components = {
            normal(coordinate): (axis, sympy.Dummy(f"normal{axis}", real=True))
            for axis, coordinate in enumerate(coordinates)
            if coordinate in normals_in(flat)
        }
        self.normals = tuple(axis for axis, _ in components.values())
        flat = flat.xreplace({part: symbol for part, (_, symbol) in components.items()})
        given = [*coordinates, *(symbol for _, symbol in components.values())]
        super().__init__(flat, given, list(jets.values()), unknowns, where)

    def seen(self, leg: Leg) -> Floats:
        """What its functions take of the points: coordinates, and normals if it holds any."""
        if not self.normals:
            return leg.points
        assert leg.normals is not None  # checked by `Problem`
        return np.hstack([leg.points, leg.normals[:, list(self.normals)]])

    @property
    def written(self) -> tuple[sympy.Expr, list[sympy.Symbol]]:
        """The expression with a symbol for every jet, and the symbols of jets and unknowns."""
        return self._expression, [*self._arguments, *self._unknowns]

    @cached_property
    def linear(self) -> bool:
        """Whether the residual is affine in jets and unknowns together, with constant partials."""
        moving = [*self._arguments, *self._unknowns]
        if any(partial.has(*moving) for partial in self._partials):
            return False
        # A jump such as sign(u) has constant partials too, so the remainder must be checked.
        terms = zip(self._partials, moving, strict=True)
        rest = self._expression - sympy.Add(*(partial * symbol for partial, symbol in terms))
        return not sympy.expand(rest).has(*moving) if moving else True

    @cached_property
    def strands(self) -> tuple[Strand, ...]:
        """The strands of a nonlinear residual, grouped by field."""
        strands = []
        for field in sorted({jet.field for jet in self.jets}):
            own = [index for index, jet in enumerate(self.jets) if jet.field == field]
            fixed = tuple(index for index in own if self._is_fixed(index))
            if fixed:
                strands.append(Strand(field, fixed, True))
            strands.extend(Strand(field, (index,), False) for index in own if index not in fixed)
        return tuple(strands)

    def strands_in(self, field: int) -> slice:
        """The positions of the strands of a field."""
        places = [place for place, strand in enumerate(self.strands) if strand.field == field]
        return slice(places[0], places[-1] + 1) if places else slice(0, 0)

    def strands_of(self, coefficients: Floats, jets: Floats) -> Floats:
        """Combine jets at some points, (jets, points), into strands, (strands, points)."""
        made = np.empty((len(self.strands), jets.shape[1]))
        for room, strand in zip(made, self.strands, strict=True):
            own = list(strand.jets)
            room[:] = (coefficients[own] * jets[own]).sum(axis=0) if strand.fixed else jets[own[0]]
        return made

    def _is_fixed(self, index: int) -> bool:
        partial, symbol = self._partials[index], self._arguments[index]
        if partial.has(*self._arguments, *self._unknowns):
            return False
        return not _beside(self._expression, partial, symbol).has(symbol)  # a jump, as in `linear`

    @cached_property
    def of_strands(self) -> Differentiable:
        """The same residual as a function of strands instead of jets."""
        rest, symbols = self._expression, []
        for strand in self.strands:
            if strand.fixed:
                for index in strand.jets:
                    rest = _beside(rest, self._partials[index], self._arguments[index])
                symbols.append(sympy.Dummy(f"fixed{strand.field}", real=True))
                rest += symbols[-1]
            else:
                symbols.append(self._arguments[strand.jets[0]])
        return Differentiable(rest, self._coordinates, symbols, self._unknowns, self.where)


def _beside(expression: sympy.Expr, partial: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """An expression minus the linear term of a symbol.

    Only terms containing the symbol are expanded: (1 + u)**1000 among the others would take long.
    """
    others, own = expression.as_independent(symbol, as_Add=True)
    return others + sympy.expand(own - partial * symbol)


def _replace_jets(
    expression: sympy.Expr, fields: Sequence[AppliedUndef], coordinates: Sequence[sympy.Symbol]
) -> tuple[sympy.Expr, dict[Jet, sympy.Dummy]]:
    """Replace every field and every derivative of one by a plain symbol."""
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
    # A field that appears only inside a derivative is not a jet of its own.
    flat = expression.xreplace(table)
    return flat, {jet: dummy for jet, dummy in jets.items() if flat.has(dummy)}
