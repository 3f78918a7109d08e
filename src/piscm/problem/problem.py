"""A whole problem: domain, equations, conditions, unknowns, observations."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.problem.checks import check_contents, check_kinds
from piscm.problem.complex_fields import wholes
from piscm.problem.contents import (
    expressions_of,
    fields_of,
    samples_of,
    with_settled_integrals,
)
from piscm.problem.declared import Declared
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expansion import Statement, checked_interface, expanded, written_fields
from piscm.problem.frozen import Frozen, ReadOnly
from piscm.problem.guesses import intervals
from piscm.problem.mosaic import Mosaic
from piscm.problem.numeric import Floats
from piscm.problem.observations import Observations
from piscm.problem.parts import (
    components,
    given_again,
    listed,
    real_conditions,
    real_equations,
    real_observations,
    whole_domain,
)
from piscm.problem.place import Place
from piscm.problem.places import Interior
from piscm.problem.priors import PriorRow, prior_rows
from piscm.problem.region import Region
from piscm.problem.regional_places import InRegion, Interface
from piscm.problem.requirement import Requirement
from piscm.problem.sampled import Sampled
from piscm.problem.singular import singular_table
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
        domain = whole_domain(domain, regions, interface, singular)
        written = components(equations)
        guessed = intervals(unknowns, domain)
        self._set(
            domain=domain,
            equations=real_equations(written),
            conditions=real_conditions(conditions, domain),
            observations=real_observations(observations, domain),
            unknowns=ReadOnly((symbol, guess) for symbol, (guess, *_) in guessed.items()),
            bounds=ReadOnly((symbol, (low, high)) for symbol, (_, low, high) in guessed.items()),
            priors=prior_rows(unknowns or {}, domain),
            statement=None,
            in_regions=(),
            homes=ReadOnly(),
            translations=(),
            singular=ReadOnly(),
        )
        if regions is not None:
            self._state(tuple(regions), checked_interface(interface))
        check_kinds(self)
        self._set(fields=fields_of(self))
        settled, tied = with_settled_integrals(self)
        self._set(equations=settled, conditions=tied)
        check_contents(self)
        given = [own.singular for own in regions] if regions else [singular]
        self._set(tries_singular=all(own is None for own in given))
        self._add_singular(given)

    def _state(
        self,
        regions: tuple[Region, ...],
        interface: Mapping[sympy.Expr, sympy.Expr] | None,
    ) -> None:
        """Keep what was written, and replace it by what is solved."""
        fields = written_fields([own for _, own, _ in expressions_of(self)], regions)
        said = Statement(
            self.domain,
            self.equations,
            self.conditions,
            self.observations,
            fields,
            regions,
            interface,
        )
        self._set(statement=said, **vars(expanded(said)))

    def _add_singular(self, given: Sequence[Mapping[Any, Sequence[Expression]] | None]) -> None:
        """Singular functions of the fields in each region, each with an unknown factor."""
        table = singular_table(given, self.written_fields, self.domain, self.translations)
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

    @property
    def declared(self) -> Declared:
        """What an expression about this problem may contain."""
        return Declared(self.domain.coordinates, tuple(self.unknowns), self.fields)

    @property
    def samples(self) -> dict[str, Sampled]:
        """The sampled functions by name."""
        return samples_of(self)

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
        more = listed(observations, "observations")
        given = given_again(self)
        return Problem(**{**given, "observations": [*given["observations"], *more]})

    def with_singular(self, singular: Sequence[Mapping[Any, Sequence[sympy.Expr]]]) -> "Problem":
        """The same problem with singular functions in each region, or in its one domain."""
        return Problem(**given_again(self, singular))

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

    def with_equations(self, equations: Sequence[sympy.Expr]) -> "Problem":
        """The same problem with other equations for the same fields, as many as before."""
        return self._with(equations=tuple(equations))

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
