"""A whole problem: domain, equations, conditions, unknowns, observations."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.conditions import Condition
from piscm.problem.declared import Declared
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression, fields_in
from piscm.problem.frozen import Frozen, ReadOnly
from piscm.problem.integrals import (
    check_integral,
    fields_outside,
    integrals_in,
    settled,
)
from piscm.problem.normals import normals_in
from piscm.problem.numeric import finite_number
from piscm.problem.observations import Observations
from piscm.problem.place import Kept
from piscm.problem.requirement import Requirement
from piscm.problem.symbols import checked_field_name, checked_name
from piscm.problem.written import Expression, Guess


class Problem(Frozen):
    """Equations on a domain, with what is known about their solution.

    Everything is validated here, before any computation starts.

    Parameters
    ----------
    domain : Box, or any other Domain
    equations : sequence of sympy.Expr or sympy.Eq
        Expressions that must vanish inside the domain; a vector stands for its components.
    conditions : sequence of Condition and Periodic
    unknowns : mapping of sympy.Symbol to float or (float, float, float), optional
        Physical parameters to be identified, each with a first guess, or with a guess, a lower and
        an upper bound (None for no bound).
    observations : sequence of Observations

    Attributes
    ----------
    fields : tuple
        The fields found in all expressions, in the order of their first appearance.
    unknowns : dict of sympy.Symbol to float
        The first guesses.
    bounds : dict of sympy.Symbol to (float, float)
        The bounds of each unknown; infinite if it has none.
    """

    domain: Domain
    equations: tuple[sympy.Expr, ...]
    conditions: tuple[Requirement, ...]
    observations: tuple[Observations, ...]
    unknowns: dict[sympy.Symbol, float]
    bounds: dict[sympy.Symbol, tuple[float, float]]
    fields: tuple[AppliedUndef, ...]

    def __init__(
        self,
        domain: Domain,
        equations: Sequence[Expression],
        conditions: Sequence[Requirement] = (),
        unknowns: Mapping[sympy.Symbol, Guess] | None = None,
        observations: Sequence[Observations] = (),
    ) -> None:
        if not isinstance(domain, Domain):
            raise ProblemError(
                f"The domain is a {type(domain).__name__}; give a Box({{...}}), a Disk, a Polygon, "
                "..."
            )
        written = enumerate(_components(_listed(equations, "equations")), start=1)
        intervals = _intervals(unknowns, domain)
        self._set(
            domain=domain,
            equations=tuple(as_expression(item, f"Equation {number}") for number, item in written),
            conditions=tuple(_fitted(item, domain) for item in _listed(conditions, "conditions")),
            observations=tuple(_listed(observations, "observations")),
            unknowns=ReadOnly((symbol, guess) for symbol, (guess, *_) in intervals.items()),
            bounds=ReadOnly((symbol, (low, high)) for symbol, (_, low, high) in intervals.items()),
        )
        self._check()

    def _check(self) -> None:
        if not self.equations:
            raise ProblemError("The problem has no equation.")
        for item in self.conditions:
            if not isinstance(item, Requirement) or isinstance(item, Observations):
                raise ProblemError(
                    f"conditions holds a {type(item).__name__}; "
                    "use Condition(expression, on=...) or Periodic(expression, along=...)."
                )
        for data in self.observations:
            if not isinstance(data, Observations):
                raise ProblemError(f"observations holds a {type(data).__name__}; use Observations.")
        if not self.conditions and not self.observations:
            raise ProblemError(
                "The problem has neither a condition nor observations: nothing singles out one "
                "solution. Add Condition(...), Periodic(...) or Observations(...)."
            )
        self._set(fields=self._find_fields())
        self._settle_integrals()
        declared = self.declared
        for where, expression, _ in self._expressions():
            declared.check(expression, where)
        self._check_places()
        self._check_observation_points()
        self._check_unknowns_used()

    @property
    def declared(self) -> Declared:
        """What an expression about this problem may contain."""
        return Declared(self.domain.coordinates, tuple(self.unknowns), self.fields)

    def _expressions(self) -> list[tuple[str, sympy.Expr, Requirement | None]]:
        """Every expression, what it is in words, and what it belongs to."""
        return [
            *((f"Equation {i}", e, None) for i, e in enumerate(self.equations, start=1)),
            *(("A condition", c.expression, c) for c in self.conditions),
            *(("An observed expression", o.expression, o) for o in self.observations),
        ]

    def _find_fields(self) -> tuple[AppliedUndef, ...]:
        found: dict[str, AppliedUndef] = {}
        any_field = Declared(self.domain.coordinates)
        for where, expression, _ in self._expressions():
            fields = sorted(fields_outside(expression), key=str)
            if not fields_in(expression):
                raise ProblemError(
                    f"{where}: {brief(expression)} holds no field: there is nothing to solve for "
                    "in it."
                )
            for item in fields:
                any_field.check(item, where)
                name = checked_field_name(str(item.func))
                if found.setdefault(name, item) != item:
                    raise ProblemError(
                        f"{where} holds {item}, but elsewhere the field is {found[name]}: "
                        "a field has one list of coordinates."
                    )
        taken = {symbol.name for symbol in (*self.domain.coordinates, *self.unknowns)}
        for name in found:
            if name in taken:
                raise ProblemError(f"{name!r} is both a field and a coordinate or unknown.")
        return tuple(found.values())

    def _settle_integrals(self) -> None:
        """Let fields inside integrals stand at their own coordinates."""
        fields = {str(item.func): item for item in self.fields}

        def own(expression: sympy.Expr, where: str) -> sympy.Expr:
            return settled(expression, self.domain.coordinates, fields, where)

        equations = [own(e, f"Equation {i}") for i, e in enumerate(self.equations, start=1)]
        changed = [
            item.with_expression(own(item.expression, "A condition"))
            if integrals_in(item.expression)
            else item
            for item in self.conditions
        ]
        self._set(equations=tuple(equations), conditions=tuple(changed))
        for where, expression, item in self._expressions():
            for part in integrals_in(expression):
                check_integral(part, self.domain, where)
                if not isinstance(item, Condition) and item is not None:
                    raise ProblemError(f"{where}: integrals stand in equations and Condition only.")

    def _check_places(self) -> None:
        for condition in self.conditions:
            condition.place.check(self.domain, f"The condition {condition}")
        known = {id(item) for item in self.conditions if item.place.has_normals(self.domain)}
        for where, expression, item in self._expressions():
            outside = expression.xreplace(dict.fromkeys(integrals_in(expression), sympy.S.One))
            if normals_in(outside) and id(item) not in known:
                raise ProblemError(
                    f"{where}: {brief(expression)} holds the normal of the boundary, which is not "
                    "known there. Use it in a condition on a face, as on={x: 0}, on a part of the "
                    'boundary, as on=domain.boundary("hole"), or on="boundary".'
                )

    def _check_observation_points(self) -> None:
        dimension = self.domain.dimension
        for data in self.observations:
            points = np.asarray(data.points)
            if points.shape[1] != dimension:
                raise ProblemError(
                    f"The observations of {brief(data.expression)} have {points.shape[1]} "
                    f"coordinates a point; the domain has {dimension}: {self.domain}."
                )
            outside = np.flatnonzero(~self.domain.contains(points))
            if len(outside):
                first = ", ".join(f"{value:g}" for value in points[outside[0]])
                raise ProblemError(
                    f"{len(outside)} of {len(points)} points of the observations of "
                    f"{brief(data.expression)} lie outside the domain {self.domain}, the first is "
                    f"({first}); is the order of the columns right?"
                )

    def _check_unknowns_used(self) -> None:
        used = set().union(*(expression.free_symbols for _, expression, _ in self._expressions()))
        for symbol in self.unknowns:
            if symbol not in used:
                raise ProblemError(f"The unknown {symbol} appears in no equation or condition.")

    def with_observations(self, observations: Sequence[Observations]) -> "Problem":
        """The same problem with more observations."""
        return Problem(
            self.domain,
            self.equations,
            self.conditions,
            {s: (guess, *self.bounds[s]) for s, guess in self.unknowns.items()},
            [*self.observations, *_listed(observations, "observations")],
        )

    def part(
        self,
        domain: Domain,
        conditions: Sequence[Requirement],
        observations: Sequence[Observations],
    ) -> "Problem":
        """The same equations on a part of the domain, with the conditions and data there."""
        return self._with(
            domain=domain, conditions=tuple(conditions), observations=tuple(observations)
        )

    def guessing(self, unknowns: Sequence[float]) -> "Problem":
        """The same problem with other first guesses."""
        guesses = zip(self.unknowns, map(float, unknowns), strict=True)
        return self._with(unknowns=ReadOnly(guesses))

    def forward(self, unknowns: Sequence[float]) -> "Problem":
        """The problem without observations, for given values of the unknowns."""
        table = dict(zip(self.unknowns, map(sympy.Float, unknowns), strict=True))
        known = Problem(
            self.domain,
            [equation.xreplace(table) for equation in self.equations],
            [item.with_expression(item.expression.xreplace(table)) for item in self.conditions],
        )
        # An unknown equal to zero removes terms, but no field.
        return known._with(fields=self.fields)

    def _repr_html_(self) -> str:
        """What a notebook shows: the equations typeset."""
        from piscm.problem.typeset import problem_html

        return problem_html(self)

    def __repr__(self) -> str:
        lines = [
            f"Problem on {self.domain}",
            *(f"  {equation} = 0" for equation in self.equations),
            *(f"  {condition}" for condition in self.conditions),
            *(f"  {data}" for data in self.observations),
            *(f"  {symbol} unknown, first guess {g:g}" for symbol, g in self.unknowns.items()),
        ]
        return "\n".join(lines)


def _fitted(item: Any, domain: Domain) -> Any:
    """A condition whose place is rid of round-off; what is no condition is refused later."""
    if not isinstance(item, Requirement):
        return item
    place = item.place
    fitted = place.fitted_to(domain)
    return item if fitted is place or fitted.key == place.key else item.within(Kept(fitted))


def _components(equations: list[Any]) -> list[Any]:
    """Equations of vectors, one for each component."""
    return [
        item
        for written in equations
        for item in (list(written) if isinstance(written, sympy.MatrixBase) else [written])
    ]


def _listed(items: Any, what: str) -> list[Any]:
    if isinstance(items, list | tuple):
        return list(items)
    raise ProblemError(f"{what} is a {type(items).__name__}; give a list, as {what}=[...].")


def _intervals(unknowns: Any, domain: Domain) -> dict[sympy.Symbol, tuple[float, float, float]]:
    """Guess, lower and upper bound of each unknown."""
    if unknowns is None:
        return {}
    if not isinstance(unknowns, Mapping):
        raise ProblemError("unknowns must map each unknown to its first guess, as {mu: 0.1}.")
    taken = {coordinate.name for coordinate in domain.coordinates}
    for symbol in unknowns:
        if not isinstance(symbol, sympy.Symbol):
            raise ProblemError(f"unknowns holds {brief(symbol)}: make it with unknown(...).")
        if symbol in domain.coordinates:
            raise ProblemError(f"{symbol} is a coordinate of the domain, not an unknown.")
        if checked_name(symbol.name) in taken:
            raise ProblemError(f"{symbol.name!r} names two things: choose another name for one.")
        taken.add(symbol.name)
    return {symbol: interval(symbol, given) for symbol, given in unknowns.items()}


def interval(symbol: sympy.Symbol, given: Any) -> tuple[float, float, float]:
    """Guess, lower and upper bound of an unknown, as a user gives them."""
    guess, low, high = given, None, None
    if isinstance(given, tuple | list):
        if len(given) != 3:
            raise ProblemError(
                f"The unknown {symbol} has {brief(given)}; give a first guess, or "
                "(guess, low, high)."
            )
        guess, low, high = given
    value = finite_number(guess, f"The first guess of {symbol}")
    lower = -np.inf if _open(low, -np.inf) else finite_number(low, f"The lower bound of {symbol}")
    upper = np.inf if _open(high, np.inf) else finite_number(high, f"The upper bound of {symbol}")
    if symbol.is_positive:
        lower = max(lower, 0.0)
        if value <= 0:
            raise ProblemError(
                f"The unknown {symbol} is positive, but its first guess is {value:g}."
            )
    if not (lower < upper and lower <= value <= upper):
        raise ProblemError(
            f"The unknown {symbol} has the first guess {value:g}, which is not between its bounds "
            f"{lower:g} and {upper:g}."
        )
    return value, lower, upper


def _open(bound: Any, end: float) -> bool:
    return bound is None or (isinstance(bound, float | sympy.Expr) and bound == end)
