"""A problem with regions as one without.

Every region has fields of its own, with the equations there; conditions hold for the fields of the
regions that they touch; interfaces are conditions that tie two of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.boundary_part import BoundaryPart
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression, fields_in
from piscm.problem.frozen import ReadOnly
from piscm.problem.integrals import Integral, integrals_in
from piscm.problem.integrals import Region as Range
from piscm.problem.interfaces import checked_symbols, continuous
from piscm.problem.mosaic import Mosaic, meets
from piscm.problem.observations import Observations
from piscm.problem.other_boundary import OtherBoundary
from piscm.problem.place import Place
from piscm.problem.places import PeriodicPair, Slices, Throughout, WholeBoundary
from piscm.problem.region import Region
from piscm.problem.regional_places import InRegion, Interface, OuterPart
from piscm.problem.requirement import Requirement
from piscm.problem.several import Several
from piscm.problem.symbols import field as make_field
from piscm.problem.translation import Translation


@dataclass(frozen=True)
class Statement:
    """What the user wrote about regions.

    Attributes
    ----------
    regions : tuple of Region
    interface : mapping of expressions to jumps, or None if it is read off the equations
    """

    domain: Domain
    equations: tuple[sympy.Expr, ...]
    conditions: tuple[Requirement, ...]
    observations: tuple[Observations, ...]
    fields: tuple[AppliedUndef, ...]
    regions: tuple[Region, ...]
    interface: Mapping[sympy.Expr, sympy.Expr] | None = None


@dataclass(frozen=True)
class Expanded:
    """What is solved instead.

    Attributes
    ----------
    in_regions : tuple of int
        The region of each equation.
    homes : mapping of the name of a field to the number of its region
    translations : tuple of Translation
        One for each region.
    """

    equations: tuple[sympy.Expr, ...]
    in_regions: tuple[int, ...]
    conditions: tuple[Requirement, ...]
    observations: tuple[Observations, ...]
    homes: Mapping[str, int]
    translations: tuple[Translation, ...]


def mosaic_of(regions: Sequence[Region]) -> Mosaic:
    """The domain that regions make up."""
    if not isinstance(regions, list | tuple) or not all(isinstance(r, Region) for r in regions):
        raise ProblemError("regions must be a list, as regions=[Region(disk, {k: 2}), ...].")
    if len(regions) < 2:
        raise ProblemError("regions holds fewer than two regions; give a domain instead.")
    names = [own.name or str(number) for number, own in enumerate(regions, start=1)]
    for name in names:
        if names.count(name) > 1:
            raise ProblemError(f"Two regions have the name {name!r}.")
    mosaic = Mosaic([own.domain for own in regions], names)
    mosaic.check()
    return mosaic


def written_fields(
    expressions: Sequence[sympy.Expr], regions: Sequence[Region]
) -> tuple[AppliedUndef, ...]:
    """The fields of the user: what is applied to coordinates and is no coefficient."""
    coefficients = {symbol for own in regions for symbol in own.values}
    found: dict[AppliedUndef, None] = {}
    for expression in expressions:
        for item in sorted(fields_in(expression) - coefficients, key=str):
            found.setdefault(item)
    return tuple(found)


def expanded(statement: Statement) -> Expanded:
    """A statement in terms of what is solved for."""
    return _Expansion(statement).made()


class _Expansion:
    def __init__(self, statement: Statement) -> None:
        self._said = statement
        domain = statement.domain
        assert isinstance(domain, Mosaic)
        self._mosaic = domain
        self._names = domain.names
        self._check_coefficients()
        self._translations = tuple(self._translation(i) for i in range(len(self._names)))

    def _check_coefficients(self) -> None:
        regions, coordinates = self._said.regions, self._said.domain.coordinates
        coefficients = {symbol for own in regions for symbol in own.values}
        for own, name in zip(regions, self._names, strict=False):
            for symbol in sorted(coefficients - set(own.values), key=str):
                raise ProblemError(f"The region {name} has no value for {symbol}.")
            for symbol, value in own.values.items():
                varies = value.free_symbols & set(coordinates) or fields_in(value)
                if isinstance(symbol, sympy.Symbol) and varies:
                    checked_symbols(self._said.equations, symbol, coordinates)

    def _translation(self, number: int) -> Translation:
        said = self._said
        values = said.regions[number].values
        fields = {}
        for item in said.fields:
            fields[item] = make_field(f"{item.func}_{self._names[number]}", *item.args)
        return Translation(values, ReadOnly(fields))

    def made(self) -> Expanded:
        said = self._said
        equations, in_regions = [], []
        for number in range(len(self._names)):
            for equation in said.equations:
                equations.append(self._expression(equation, number))
                in_regions.append(number)
        conditions = [own for item in said.conditions for own in self._condition(item)]
        conditions += self._interfaces(self._mosaic)
        return Expanded(
            tuple(equations),
            tuple(in_regions),
            tuple(conditions),
            tuple(own for item in said.observations for own in self._observed(item)),
            ReadOnly(
                (f"{item.func}_{name}", number)
                for number, name in enumerate(self._names)
                for item in said.fields
            ),
            self._translations,
        )

    # --- expressions --------------------------------------------------------------------------

    def _expression(self, expression: sympy.Expr, number: int) -> sympy.Expr:
        """An expression in one region; integrals are taken where they run."""
        table: dict[Any, Any] = {}
        for part in integrals_in(expression):
            where = self._range_of(part)
            integrand = self._translations[where](part.integrand)
            table[part] = Integral(integrand, part.over)
        hidden = {part: sympy.Dummy() for part in table}
        back = {dummy: table[part] for part, dummy in hidden.items()}
        return self._translations[number](expression.xreplace(hidden)).xreplace(back)

    def _range_of(self, part: Integral) -> int:
        """The region that an integral runs over."""
        if isinstance(part.over, Range):
            place = part.over.place
            own = place.domain if isinstance(place, BoundaryPart) else place
            for number, member in enumerate(self._mosaic.members):
                if own is member:
                    return number
        raise ProblemError(
            f"{part} runs over more than one region, or a part of one: write a sum of integrals "
            "over the domains of the regions, as integral(u, over=left) + integral(u, over=right)."
        )

    # --- conditions ---------------------------------------------------------------------------

    def _condition(self, item: Requirement) -> list[Requirement]:
        if not isinstance(item, Condition | Periodic):
            return [item]  # refused later
        if isinstance(item.place, Throughout):
            return [item.with_expression(self._expression(item.expression, 0))]
        found = []
        for number, place in self._places(item.place, self._mosaic):
            expression = self._expression(item.expression, number)
            found.append(Condition(expression, on=place, weight=item.weight))
        if not found:
            raise ProblemError(
                f"The condition {item} holds on no part of the outer boundary of {self._mosaic}. "
                "What holds between regions is said by interface=..."
            )
        return list(found)

    def _places(self, place: Place, mosaic: Mosaic) -> list[tuple[int, Place]]:
        """What each region has of a place; a single point belongs to the first that has it."""
        if isinstance(place, Several):
            return [own for part in place.places for own in self._places(part, mosaic)]
        found: list[tuple[int, Place]] = []
        taken: list[Any] = []
        for number, (member, name) in enumerate(zip(mosaic.members, mosaic.names, strict=True)):
            if isinstance(place, WholeBoundary):
                if mosaic.has_points(number, mosaic.outer(number)):
                    found.append((number, OuterPart(None, number, name)))
            elif isinstance(place, BoundaryPart | OtherBoundary):
                has_part = isinstance(place, OtherBoundary) or self._has_part(place, member)
                if has_part and mosaic.has_points(number, mosaic.outer(number, place)):
                    found.append((number, OuterPart(place, number, name)))
            elif isinstance(place, Slices):
                parts = [
                    part
                    for part in place.parts
                    if meets(member, part) and not (len(part) == mosaic.dimension and part in taken)
                ]
                taken += parts
                if parts:
                    found.append((number, InRegion(Slices(tuple(parts)), number, name)))
            elif isinstance(place, PeriodicPair):
                if member.span(place.along) != mosaic.span(place.along):
                    raise ProblemError(
                        f"The region {name} does not reach both ends of {place.along}, which a "
                        "periodic condition ties."
                    )
                found.append((number, InRegion(place, number, name)))
            else:
                raise ProblemError(f"A condition on {place} is not known for regions.")
        return found

    def _has_part(self, place: BoundaryPart, member: Domain) -> bool:
        if not isinstance(place.domain, Mosaic):
            return member.has_boundary_of(place.domain)
        if place.face is not None:
            return meets(member, place.face)
        return place.name is None or place.name in member.parts

    def _interfaces(self, mosaic: Mosaic) -> list[Requirement]:
        said = self._said
        coefficients = sorted({s for own in said.regions for s in own.values}, key=str)
        tied = said.interface
        if tied is None:
            read = continuous(said.equations, said.fields, mosaic.coordinates, coefficients)
            tied = dict.fromkeys(read, sympy.S.Zero)
        found: list[Requirement] = []
        for first, second in mosaic.interfaces:
            place = Interface(first, second, (mosaic.names[first], mosaic.names[second]))
            for expression, jump in tied.items():
                after, before = (self._expression(expression, i) for i in (second, first))
                found.append(Condition(after - before - jump, on=place))
        return found

    def _observed(self, item: Observations) -> list[Observations]:
        points, values = np.asarray(item.points), np.asarray(item.values)
        if points.shape[1] != self._mosaic.dimension:
            return [item]  # refused later
        which = self._mosaic.region_of(points)
        if (which < 0).any():
            first = ", ".join(f"{value:g}" for value in points[which < 0][0])
            raise ProblemError(
                f"{np.count_nonzero(which < 0)} of {len(points)} points of the observations of "
                f"{brief(item.expression)} lie in no region, the first is ({first})."
            )
        return [
            replace(
                item,
                expression=self._expression(item.expression, number),
                points=points[which == number],
                values=values[which == number],
            )
            for number in np.unique(which)
        ]


def checked_interface(given: Any) -> Mapping[sympy.Expr, sympy.Expr] | None:
    """What is tied across interfaces, each with its jump."""
    if given is None:
        return None
    if isinstance(given, list | tuple):
        given = dict.fromkeys(given, 0)
    if not isinstance(given, Mapping) or not given:
        raise ProblemError(
            "interface must list what is continuous, as [u, k*normal_derivative(u)], or map it to "
            "its jumps, as {u: 0, k*normal_derivative(u): 1}."
        )
    table = {}
    for expression, jump in given.items():
        tied = as_expression(expression, "What an interface ties")
        if not fields_in(tied):
            raise ProblemError(f"interface ties {brief(tied)}, which holds no field.")
        table[tied] = as_expression(jump, f"The jump of {brief(tied)}")
    return ReadOnly(table)
