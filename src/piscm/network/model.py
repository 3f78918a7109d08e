"""What every fitted network can do: evaluate any expression of its fields at any points."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.budget.clock import check_time
from piscm.compile.blocks import Block
from piscm.compile.expression import Compiled
from piscm.network.start import Start
from piscm.problem.complex_fields import is_complex, split
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression
from piscm.problem.integrals import integrals_in
from piscm.problem.normals import normals_in
from piscm.problem.place import Leg, Legs
from piscm.problem.problem import Problem
from piscm.problem.translation import Translation

Floats = NDArray[np.float64]

# Nodes times points at a time; bounds the memory of an evaluation for any number of points.
_CHUNK = 2_000_000


class Model(ABC):
    """A network with its fitted parameters, as a function of the coordinates.

    Attributes
    ----------
    problem : Problem
    start : Start
        Starting values, to which the network is added.
    unknowns : ndarray, shape (unknowns,)
    """

    problem: Problem
    start: Start
    unknowns: Floats

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """The number of hidden nodes in all layers."""

    @property
    @abstractmethod
    def layout(self) -> dict[str, Any]:
        """Everything that is not an array, as plain data to be saved."""

    @property
    @abstractmethod
    def arrays(self) -> dict[str, Floats]:
        """All parameters except the unknowns, by the names under which they are saved."""

    @classmethod
    @abstractmethod
    def restored(
        cls,
        problem: Problem,
        start: Start,
        unknowns: Floats,
        layout: Mapping[str, Any],
        arrays: Mapping[str, np.ndarray],
    ) -> "Model":
        """The model with a saved `layout` and saved `arrays`, neither of which is trusted."""

    @abstractmethod
    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        """Every jet of a compiled expression at the points, shape (jets, points)."""

    def value(self, compiled: Compiled, points: Floats) -> Floats:
        """A compiled expression at points of shape (points, coordinates).

        If it holds normals, they are further columns (`Compiled.seen`).
        """
        dimension = self.problem.domain.dimension
        parts = []
        for chunk in self._chunks(points):
            check_time()
            jets = self.jets(compiled, chunk[:, :dimension])
            parts.append(compiled.value(chunk, jets, self.unknowns))
        values = np.concatenate(parts)
        return self._where_known(values, points[:, :dimension]) if compiled.jets else values

    def values(self, written: Any, points: Floats, normals: Floats | None = None) -> Floats:
        """A user's expression at points; in each region it is what it means there.

        Parameters
        ----------
        normals : outward normals at the points, if they lie on a boundary
        """
        found = np.full(len(points), np.nan)  # what lies in no region
        for here, compiled in self.readings(written, points, normals is not None):
            leg = Leg(points[here], normals=None if normals is None else normals[here])
            found[here] = self.value(compiled, compiled.seen(leg))
        return found

    def readings(
        self, written: Any, points: Floats, normals: bool = False
    ) -> Iterator[tuple[Any, Compiled]]:
        """What a user's expression means, and at which of the points it means that."""
        if not self.problem.translations:
            yield slice(None), self.compile(written, normals=normals)
            return
        which = self.problem.region_of(points)
        for number, translation in enumerate(self.problem.translations):
            here = np.flatnonzero(which == number)
            if len(here):
                yield here, self.compile(written, normals=normals, translation=translation)

    @property
    def extent(self) -> str:
        """How far the problem was solved, in words; empty if everywhere."""
        return ""

    def knows(self, points: Floats) -> NDArray[np.bool_]:
        """At which points the fields are known; where a run did not get to, they are not."""
        return np.ones(len(points), dtype=bool)

    def _where_known(self, values: Floats, points: Floats) -> Floats:
        """Values at points, NaN where the fields are not known."""
        return np.where(self.knows(points), values, np.nan)

    def partials(self, compiled: Compiled, points: Floats) -> Floats:
        """The partials of a compiled expression by its jets, shape (jets, points)."""
        dimension = self.problem.domain.dimension
        parts = [
            compiled.linearize(chunk, self.jets(compiled, chunk[:, :dimension]), self.unknowns)[0]
            for chunk in self._chunks(points)
        ]
        return np.concatenate(parts, axis=1)

    def _chunks(self, points: Floats) -> list[Floats]:
        step = max(1, _CHUNK // max(1, self.n_nodes))
        return np.split(points, range(step, len(points), step))

    def residual(self, block: Block, legs: Legs) -> Floats:
        """The unweighted rows of a block at its points."""
        values = []
        for number, leg in enumerate(legs):
            compiled = block.of_leg(number)
            values.append(self.value(compiled, compiled.seen(leg)))
        return block.residual(legs, values)

    def compile(
        self, written: Any, *, normals: bool = False, translation: Translation | None = None
    ) -> Compiled:
        """A user's expression, checked and compiled; cached.

        With `normals` it may hold the outward normal, for points on a boundary. A translation says
        what its symbols mean in a region.
        """
        expression = as_expression(written, "The expression", complex_too=True)
        if is_complex(expression):
            expression, imaginary = split(expression, "The expression")
            if imaginary != 0:
                raise ProblemError(
                    f"{brief(written)} is complex; give its real part, its imaginary part or its "
                    "modulus: re(...), im(...), abs(...)."
                )
        if integrals_in(expression):
            raise ProblemError(
                f"{brief(expression)} holds an integral; use solution.integral(u, over=...)."
            )
        if normals_in(expression) and not normals:
            raise ProblemError(
                f"{brief(expression)} holds the normal, which is known on a boundary only; use "
                "solution.integral(..., over=domain.boundary(...))."
            )
        expression = expression.xreplace(self._own_symbols(expression))
        if translation is not None:
            expression = translation(expression)
        if expression not in self._compiled:
            declared = self.problem.declared
            declared.check(expression, "The expression")
            self._compiled[expression] = Compiled(
                expression,
                self.problem.fields,
                declared.coordinates,
                declared.unknowns,
                f"The expression {brief(expression)}",
            )
        return self._compiled[expression]

    @cached_property
    def _compiled(self) -> dict[sympy.Expr, Compiled]:
        return {}

    def _own_symbols(self, expression: sympy.Expr) -> dict[Any, Any]:
        """Symbols and fields by name: a loaded solution finds them whatever their assumptions."""
        named = {
            symbol.name: symbol
            for symbol in (*self.problem.domain.coordinates, *self.problem.unknowns)
        }
        said = self.problem.statement
        known = [*self.problem.fields, *self.problem.written_fields]
        for region in () if said is None else said.regions:
            named |= {own.name: own for own in region.values if isinstance(own, sympy.Symbol)}
            known += [own for own in region.values if isinstance(own, AppliedUndef)]
        table = {s: named[s.name] for s in expression.free_symbols if s.name in named}
        fields = {str(own.func): own for own in known}
        for item in expression.atoms(AppliedUndef):
            own = fields.get(str(item.func))
            if own is not None and [str(a) for a in item.args] == [str(a) for a in own.args]:
                table[item] = own
        return table
