"""A whole problem: domain, equations, conditions, unknowns, observations."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.problem.complex_fields import split_equation, split_requirement, wholes
from piscm.problem.conditions import Condition
from piscm.problem.declared import Declared
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expansion import (
    Statement,
    checked_interface,
    expanded,
    mosaic_of,
    written_fields,
)
from piscm.problem.expressions import as_expression, fields_in
from piscm.problem.frozen import Frozen, ReadOnly
from piscm.problem.guesses import intervals
from piscm.problem.integrals import (
    check_integral,
    fields_outside,
    integrals_in,
    settled,
)
from piscm.problem.mosaic import Mosaic
from piscm.problem.normals import normals_in
from piscm.problem.numeric import Floats
from piscm.problem.observations import Observations
from piscm.problem.place import Kept, Place
from piscm.problem.places import Interior
from piscm.problem.priors import Prior, PriorRow, any_point
from piscm.problem.region import Region
from piscm.problem.regional_places import InRegion, Interface
from piscm.problem.requirement import Requirement
from piscm.problem.sampled import Sampled, check_sampled, samples_in
from piscm.problem.singular import checked_singular
from piscm.problem.symbols import checked_field_name
from piscm.problem.translation import Translation
from piscm.problem.written import Expression, Guess


class Problem(Frozen):
    """Equations on a domain, with what is known about their solution.

    Everything is validated here, before any computation starts.

    Parameters
    ----------
    domain : Box, or any other Domain
        Omitted if there are regions.
    equations : sequence of sympy.Expr or sympy.Eq
        Expressions that must vanish inside the domain; a vector stands for its components.
    conditions : sequence of Condition and Periodic
    unknowns : mapping of sympy.Symbol to float, (float, float, float) or Prior, optional
        Physical parameters to be identified, each with a first guess, or with a guess, a lower and
        an upper bound (None for no bound), or with a Gaussian `Prior`.
    observations : sequence of Observations
    regions : sequence of Region, optional
        Parts of the domain that lie side by side, each with values of its own for symbols of the
        equations. Every region has fields of its own, tied where two regions meet.
    interface : list of expressions, or mapping of expressions to jumps, optional
        What is continuous where regions meet, as ``[u, k*normal_derivative(u)]``, or by how much it
        jumps: its value in the later region minus that in the earlier one, with the normal from
        the earlier to the later. If omitted, fields and their fluxes are continuous: an equation
        ``div(F) + g = 0`` ties the normal component of F.
    singular : mapping of fields to lists of expressions, optional
        Functions that are added to a field with unknown factors, such as ``r**(2/3) *
        sin(2*theta/3)`` at a corner of an L. If omitted, `Auto` tries those of re-entrant corners
        and round holes (`singular_functions`) where it does not do without; ``{}`` forbids them.

    Attributes
    ----------
    fields : tuple
        What is solved for: the fields found in all expressions, in the order of their first
        appearance; with regions, one for each of them.
    written_fields : tuple
        The fields as the user wrote them.
    unknowns : dict of sympy.Symbol to float
        The first guesses.
    bounds : dict of sympy.Symbol to (float, float)
        The bounds of each unknown; infinite if it has none.
    priors : tuple of PriorRow
        What is known about unknowns before any data.
    """

    domain: Domain
    equations: tuple[sympy.Expr, ...]
    conditions: tuple[Requirement, ...]
    observations: tuple[Observations, ...]
    unknowns: dict[sympy.Symbol, float]
    bounds: dict[sympy.Symbol, tuple[float, float]]
    priors: tuple[PriorRow, ...]
    fields: tuple[AppliedUndef, ...]
    statement: Statement | None
    in_regions: tuple[int, ...]
    homes: Mapping[str, int]
    translations: tuple[Translation, ...]
    singular: Mapping[AppliedUndef, Mapping[sympy.Symbol, sympy.Expr]]
    tries_singular: bool

    def __init__(
        self,
        domain: Domain | None = None,
        equations: Sequence[Expression] = (),
        conditions: Sequence[Requirement] = (),
        unknowns: Mapping[sympy.Symbol, Guess] | None = None,
        observations: Sequence[Observations] = (),
        *,
        regions: Sequence[Region] | None = None,
        interface: Any = None,
        singular: Mapping[Any, Sequence[Expression]] | None = None,
    ) -> None:
        if regions is not None:
            if domain is not None:
                raise ProblemError("Give a domain or regions, not both.")
            if singular is not None:
                raise ProblemError("With regions, singular functions belong to a Region.")
            domain = mosaic_of(regions)
        elif interface is not None:
            raise ProblemError("interface says what holds between regions, and there are none.")
        if not isinstance(domain, Domain):
            raise ProblemError(
                f"The domain is a {type(domain).__name__}; give a Box({{...}}), a Disk, a Polygon, "
                "..."
            )
        written = enumerate(_components(_listed(equations, "equations")), start=1)
        guessed = intervals(unknowns, domain)
        self._set(
            domain=domain,
            equations=tuple(
                half
                for number, item in written
                for half in _real_equations(item, f"Equation {number}")
            ),
            conditions=tuple(
                half
                for item in _listed(conditions, "conditions")
                for half in split_requirement(_fitted(item, domain))
            ),
            observations=tuple(
                half
                for item in _listed(observations, "observations")
                for half in split_requirement(
                    item.in_order(domain.coordinates) if isinstance(item, Observations) else item
                )
            ),
            unknowns=ReadOnly((symbol, guess) for symbol, (guess, *_) in guessed.items()),
            bounds=ReadOnly((symbol, (low, high)) for symbol, (_, low, high) in guessed.items()),
            priors=tuple(
                PriorRow(symbol, given, any_point(domain))
                for symbol, given in (unknowns or {}).items()
                if isinstance(given, Prior)
            ),
            statement=None,
            in_regions=(),
            homes=ReadOnly(),
            translations=(),
            singular=ReadOnly(),
        )
        if regions is not None:
            self._state(tuple(regions), checked_interface(interface))
        self._check()
        given = [own.singular for own in regions] if regions else [singular]
        self._set(tries_singular=all(own is None for own in given))
        self._add_singular(given)

    def _state(
        self,
        regions: tuple[Region, ...],
        interface: Mapping[sympy.Expr, sympy.Expr] | None,
    ) -> None:
        """Keep what was written, and replace it by what is solved."""
        fields = written_fields([own for _, own, _ in self._expressions()], regions)
        said = Statement(
            self.domain,
            self.equations,
            self.conditions,
            self.observations,
            fields,
            regions,
            interface,
        )
        made = expanded(said)
        self._set(
            statement=said,
            equations=made.equations,
            in_regions=made.in_regions,
            conditions=made.conditions,
            observations=made.observations,
            homes=made.homes,
            translations=made.translations,
        )

    def _add_singular(self, given: Sequence[Mapping[Any, Sequence[Expression]] | None]) -> None:
        """Singular functions of the fields in each region, each with an unknown factor."""
        table: dict[AppliedUndef, dict[sympy.Symbol, sympy.Expr]] = {}
        for number, own in enumerate(given):
            for item, functions in checked_singular(own, self.written_fields, self.domain).items():
                inner = item
                if self.translations:
                    inner = self.translations[number].fields[item]
                names = [f"{inner.func}_singular_{i}" for i in range(1, len(functions) + 1)]
                symbols = [sympy.Symbol(name, real=True) for name in names]
                table[inner] = dict(zip(symbols, functions, strict=True))
        amplitudes = [symbol for own in table.values() for symbol in own]
        self._set(
            singular=ReadOnly(table),
            unknowns=ReadOnly({**self.unknowns, **dict.fromkeys(amplitudes, 0.0)}),
            bounds=ReadOnly({**self.bounds, **dict.fromkeys(amplitudes, (-np.inf, np.inf))}),
        )

    @property
    def written_fields(self) -> tuple[AppliedUndef, ...]:
        """The fields as the user wrote them."""
        return self.fields if self.statement is None else self.statement.fields

    @property
    def shown_fields(self) -> tuple[AppliedUndef, ...]:
        """The same, with a complex field instead of its real and imaginary part."""
        return wholes(self.written_fields)

    @property
    def amplitudes(self) -> frozenset[sympy.Symbol]:
        """Those of the unknowns that are factors of singular functions."""
        return frozenset(symbol for own in self.singular.values() for symbol in own)

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which of the unknowns the user asked for."""
        return np.array([s not in self.amplitudes for s in self.unknowns], dtype=bool)

    def place_of_equation(self, number: int) -> Place:
        """Where an equation holds."""
        if not isinstance(self.domain, Mosaic):
            return Interior()
        region = self.in_regions[number]
        return InRegion(Interior(), region, self.domain.names[region])

    def region_of(self, points: Floats) -> NDArray[np.int_]:
        """The number of the translation that holds at each point."""
        if isinstance(self.domain, Mosaic):
            return self.domain.region_of(points)
        return np.zeros(len(points), dtype=int)

    def home_of(self, item: AppliedUndef) -> Domain | None:
        """The region of a field, if there are several."""
        if not isinstance(self.domain, Mosaic):
            return None
        return self.domain.members[self.homes[str(item.func)]]

    def equation_at_home(self, item: AppliedUndef) -> int:
        """The number of an equation that holds where a field lives."""
        if not self.in_regions:
            return 0
        return self.in_regions.index(self.homes[str(item.func)])

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
            check_sampled(expression, self._where(expression), where)
        self._check_samples()
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

    @property
    def samples(self) -> dict[str, Sampled]:
        """The sampled functions by name."""
        singular = [own for functions in self.singular.values() for own in functions.values()]
        said = self.statement
        others = [] if said is None else [*said.equations, *(said.interface or {}).values()]
        for region in () if said is None else said.regions:
            others += [*region.values.values()]
        written = [expression for _, expression, _ in self._expressions()]
        return samples_in([*written, *singular, *others])

    def _where(self, expression: sympy.Expr) -> Domain | None:
        """The domain, or the region where all fields of an expression live; None for several."""
        if not isinstance(self.domain, Mosaic):
            return self.domain
        homes = {self.homes[str(item.func)] for item in fields_in(expression)}
        return self.domain.members[homes.pop()] if len(homes) == 1 else None

    def _check_samples(self) -> None:
        named = [*self.domain.coordinates, *self.unknowns]
        taken = {symbol.name for symbol in named} | {str(item.func) for item in self.fields}
        for name in self.samples:
            if name in taken:
                raise ProblemError(f"{name!r} is a sampled function and something else too.")

    def _check_places(self) -> None:
        for condition in self.conditions:
            condition.place.check(self.domain, f"The condition {condition}")
        known = {id(item) for item in self.conditions if item.place.has_normals(self.domain)}
        for where, expression, item in self._expressions():
            outside = expression.xreplace(dict.fromkeys(integrals_in(expression), sympy.S.One))
            if normals_in(outside) and id(item) not in known:
                raise ProblemError(
                    f"{where}: {brief(expression)} holds the normal of the boundary, which is not "
                    "known there. Use it in a condition on a face of a box, as on={x: 0}, on a "
                    'part of the boundary of a shape, as on=domain.boundary("hole") or '
                    'on=domain.boundary(where=x < 1e-6), or on="boundary".'
                )

    def _check_observation_points(self) -> None:
        for data in self.observations:
            self.check_points(data, self.domain)

    @staticmethod
    def check_points(data: Observations, domain: Domain) -> None:
        """Raise `ProblemError` if observations do not lie in a domain."""
        points = np.asarray(data.points)
        if points.shape[1] != domain.dimension:
            raise ProblemError(
                f"The observations of {brief(data.expression)} have {points.shape[1]} "
                f"coordinates a point; the domain has {domain.dimension}: {domain}."
            )
        outside = np.flatnonzero(~domain.contains(points))
        if len(outside):
            first = ", ".join(f"{value:g}" for value in points[outside[0]])
            raise ProblemError(
                f"{len(outside)} of {len(points)} points of the observations of "
                f"{brief(data.expression)} lie outside the domain {domain}, the first is "
                f"({first}); is the order of the columns right?"
            )

    def _check_unknowns_used(self) -> None:
        used = set().union(*(expression.free_symbols for _, expression, _ in self._expressions()))
        for symbol in self.unknowns:
            if symbol not in used:
                raise ProblemError(f"The unknown {symbol} appears in no equation or condition.")

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> "Problem":
        """The problem of a problem file; `piscm.read_problem_file` reads its method too."""
        return import_module("piscm.text.problem_file").read_problem(path)  # type: ignore[no-any-return]

    def to_toml(self, path: str | PathLike[str] | None = None) -> str:
        """The problem as the text of a problem file, which is written to `path` if it is given."""
        text: str = import_module("piscm.text.writing").problem_text(self)
        if path is not None:
            with import_module("piscm.text.replacing").replacing(path) as part:
                part.write_text(text, encoding="utf-8")
        return text

    def with_observations(self, observations: Sequence[Observations]) -> "Problem":
        """The same problem with more observations."""
        more = _listed(observations, "observations")
        return self._again(more, None)

    def with_singular(self, singular: Sequence[Mapping[Any, Sequence[sympy.Expr]]]) -> "Problem":
        """The same problem with singular functions in each region, or in its one domain."""
        return self._again((), singular)

    def _again(
        self,
        more: Sequence[Observations],
        singular: Sequence[Mapping[Any, Sequence[sympy.Expr]]] | None,
    ) -> "Problem":
        """The problem as it was written, with more observations or other singular functions."""
        known, said = self.amplitudes, self.statement
        unknowns = {s: given for s, given in self._given_unknowns().items() if s not in known}
        if said is None:
            own = None if self.tries_singular else self._singular_given
            return Problem(
                self.domain,
                self.equations,
                self.conditions,
                unknowns,
                [*self.observations, *more],
                singular=own if singular is None else singular[0],
            )
        each = [own.singular for own in said.regions] if singular is None else singular
        return Problem(
            equations=said.equations,
            conditions=said.conditions,
            unknowns=unknowns,
            observations=[*said.observations, *more],
            regions=[
                Region(own.domain, own.values, singular=functions, name=own.name)
                for own, functions in zip(said.regions, each, strict=True)
            ],
            interface=said.interface,
        )

    def _given_unknowns(self) -> dict[sympy.Symbol, Any]:
        """The unknowns as they were given: guess and bounds, or a prior with them."""
        priors = {item.expression: item.prior for item in self.priors}
        return {
            symbol: Prior(priors[symbol].mean, priors[symbol].std, guess, *self.bounds[symbol])
            if symbol in priors
            else (guess, *self.bounds[symbol])
            for symbol, guess in self.unknowns.items()
        }

    def part(
        self,
        domain: Domain,
        conditions: Sequence[Requirement],
        observations: Sequence[Observations],
        priors: Sequence[PriorRow] = (),
    ) -> "Problem":
        """The same equations on a part of the domain, with the conditions and data there."""
        return self._with(
            domain=domain,
            conditions=tuple(conditions),
            observations=tuple(observations),
            priors=tuple(priors),
        )

    @property
    def _singular_given(self) -> dict[AppliedUndef, list[sympy.Expr]]:
        return {item: list(functions.values()) for item, functions in self.singular.items()}

    def guessing(self, unknowns: Sequence[float]) -> "Problem":
        """The same problem with other first guesses."""
        guesses = zip(self.unknowns, map(float, unknowns), strict=True)
        return self._with(unknowns=ReadOnly(guesses))

    def forward(self, unknowns: Sequence[float]) -> "Problem":
        """The problem without observations, for given values of the unknowns."""
        table = dict(zip(self.unknowns, map(sympy.Float, unknowns), strict=True))
        # An unknown equal to zero removes terms, but no field.
        return self._with(
            equations=tuple(equation.xreplace(table) for equation in self.equations),
            conditions=tuple(
                item.with_expression(item.expression.xreplace(table)) for item in self.conditions
            ),
            observations=(),
            unknowns=ReadOnly(),
            bounds=ReadOnly(),
            priors=(),
            translations=tuple(own.with_values(table) for own in self.translations),
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: the equations typeset."""
        from piscm.problem.typeset import problem_html

        return problem_html(self)

    def __repr__(self) -> str:
        said = self.statement or self
        regions = () if self.statement is None else self.statement.regions
        tied = [c for c in self.conditions if isinstance(c.place, Interface)]
        lines = [
            f"Problem on {self.domain}",
            *(f"  {own}" for own in regions),
            *(f"  {equation} = 0" for equation in said.equations),
            *(f"  {condition}" for condition in said.conditions),
            *(f"  {condition}" for condition in tied),
            *(f"  {data}" for data in said.observations),
            *(f"  {symbol} unknown, first guess {g:g}" for symbol, g in self.unknowns.items()),
        ]
        return "\n".join(lines)


def _real_equations(written: Any, where: str) -> list[sympy.Expr]:
    return split_equation(as_expression(written, where, complex_too=True), where)


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
