"""What a problem holds: its expressions, the fields in them, integrals, sampled functions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.declared import Declared
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError
from piscm.problem.expressions import check_field
from piscm.problem.integrals import Region, fields_outside, integrals_in, settled
from piscm.problem.requirement import Requirement
from piscm.problem.sampled import Sampled, samples_in
from piscm.problem.symbols import checked_field_name

if TYPE_CHECKING:
    from piscm.problem.problem import Problem


def expressions_of(problem: "Problem") -> list[tuple[str, sympy.Expr, Requirement | None]]:
    """Every expression, what it is in words, and what it belongs to."""
    return [
        *((f"Equation {i}", e, None) for i, e in enumerate(problem.equations, start=1)),
        *(("A condition", c.expression, c) for c in problem.conditions),
        *(("An observed expression", o.expression, o) for o in problem.observations),
    ]


def uncertainty_of_integrals(problem: "Problem") -> float:
    """By which part integrals in a problem may be off, since a domain is not known exactly."""
    found = [0.0]
    for _, expression, _ in expressions_of(problem):
        for own in integrals_in(expression):
            place = own.over.place if isinstance(own.over, Region) else problem.domain
            if isinstance(place, Domain):
                found.append(place.uncertainty)
    return max(found)


def fields_of(problem: "Problem") -> tuple[AppliedUndef, ...]:
    """The fields in the order of their first appearance; raises `ProblemError` if two are alike."""
    found: dict[str, AppliedUndef] = {}
    any_field = Declared(problem.domain.coordinates)
    for where, expression, _ in expressions_of(problem):
        check_field(expression, where)
        for item in sorted(fields_outside(expression), key=str):
            any_field.check(item, where)
            name = checked_field_name(str(item.func))
            if found.setdefault(name, item) != item:
                raise ProblemError(
                    f"{where} holds {item}, but elsewhere the field is {found[name]}: "
                    "a field has one list of coordinates."
                )
    taken = {symbol.name for symbol in (*problem.domain.coordinates, *problem.unknowns)}
    for name in found:
        if name in taken:
            raise ProblemError(f"{name!r} is both a field and a coordinate or unknown.")
    return tuple(found.values())


def with_settled_integrals(
    problem: "Problem",
) -> tuple[tuple[sympy.Expr, ...], tuple[Requirement, ...]]:
    """Equations and conditions in which fields inside integrals stand at their own coordinates."""
    fields = {str(item.func): item for item in problem.fields}

    def own(expression: sympy.Expr, where: str) -> sympy.Expr:
        return settled(expression, problem.domain.coordinates, fields, where)

    equations = [own(e, f"Equation {i}") for i, e in enumerate(problem.equations, start=1)]
    conditions = [
        item.with_expression(own(item.expression, "A condition"))
        if integrals_in(item.expression)
        else item
        for item in problem.conditions
    ]
    return tuple(equations), tuple(conditions)


def samples_of(problem: "Problem") -> dict[str, Sampled]:
    """The sampled functions by name, with those that only a statement about regions has."""
    singular = [own for functions in problem.singular.values() for own in functions.values()]
    said = problem.statement
    others: Sequence[sympy.Expr] = ()
    if said is not None:
        values = (value for region in said.regions for value in region.values.values())
        others = [*said.equations, *(said.interface or {}).values(), *values]
    written = [expression for _, expression, _ in expressions_of(problem)]
    return samples_in([*written, *singular, *others])
