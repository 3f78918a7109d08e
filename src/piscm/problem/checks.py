"""Whether what was given makes a problem; each check raises `ProblemError`."""

from typing import TYPE_CHECKING

import sympy

from piscm.problem.conditions import Condition
from piscm.problem.contents import expressions_of
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import fields_in
from piscm.problem.integrals import check_integral, integrals_in
from piscm.problem.mosaic import Mosaic
from piscm.problem.normals import normals_in
from piscm.problem.observations import Observations
from piscm.problem.requirement import Requirement
from piscm.problem.sampled import check_sampled

if TYPE_CHECKING:
    from piscm.problem.problem import Problem


def check_kinds(problem: "Problem") -> None:
    """Every list holds what it should, and enough of it."""
    if not problem.equations:
        raise ProblemError("The problem has no equation.")
    for item in problem.conditions:
        if not isinstance(item, Requirement) or isinstance(item, Observations):
            raise ProblemError(
                f"conditions holds a {type(item).__name__}; "
                "use Condition(expression, on=...) or Periodic(expression, along=...)."
            )
    for data in problem.observations:
        if not isinstance(data, Observations):
            raise ProblemError(f"observations holds a {type(data).__name__}; use Observations.")
    singled_out = problem.conditions or problem.observations
    if not singled_out and any(own.has(sympy.Derivative) for own in problem.equations):
        raise ProblemError(
            "The problem has neither a condition nor observations: nothing singles out one "
            "solution. Add Condition(...), Periodic(...) or Observations(...)."
        )


def check_contents(problem: "Problem") -> None:
    """Every expression holds only what is declared, and holds it where it is known."""
    _check_integrals(problem)
    declared = problem.declared
    for where, expression, _ in expressions_of(problem):
        declared.check(expression, where)
        check_sampled(expression, _home(problem, expression), where)
    _check_samples(problem)
    _check_places(problem)
    for data in problem.observations:
        problem.check_points(data, problem.domain)
    _check_unknowns_used(problem)


def _check_integrals(problem: "Problem") -> None:
    for where, expression, item in expressions_of(problem):
        for part in integrals_in(expression):
            check_integral(part, problem.domain, where)
            if not isinstance(item, Condition) and item is not None:
                raise ProblemError(f"{where}: integrals stand in equations and Condition only.")


def _home(problem: "Problem", expression: sympy.Expr) -> Domain | None:
    """The domain, or the region where all fields of an expression live; None for several."""
    if not isinstance(problem.domain, Mosaic):
        return problem.domain
    homes = {problem.homes[str(item.func)] for item in fields_in(expression)}
    return problem.domain.members[homes.pop()] if len(homes) == 1 else None


def _check_samples(problem: "Problem") -> None:
    named = [*problem.domain.coordinates, *problem.unknowns]
    taken = {symbol.name for symbol in named} | {str(item.func) for item in problem.fields}
    for name in problem.samples:
        if name in taken:
            raise ProblemError(f"{name!r} is a sampled function and something else too.")


def _check_places(problem: "Problem") -> None:
    for condition in problem.conditions:
        condition.place.check(problem.domain, f"The condition {condition}")
    known = {id(item) for item in problem.conditions if item.place.has_normals(problem.domain)}
    for where, expression, item in expressions_of(problem):
        outside = expression.xreplace(dict.fromkeys(integrals_in(expression), sympy.S.One))
        if normals_in(outside) and id(item) not in known:
            raise ProblemError(
                f"{where}: {brief(expression)} holds the normal of the boundary, which is not "
                "known there. Use it in a condition on a face of a box, as on={x: 0}, on a "
                'part of the boundary of a shape, as on=domain.boundary("hole") or '
                'on=domain.boundary(where=x < 1e-6), or on="boundary".'
            )


def _check_unknowns_used(problem: "Problem") -> None:
    used = set().union(*(expression.free_symbols for _, expression, _ in expressions_of(problem)))
    for symbol in problem.unknowns:
        if symbol not in used:
            raise ProblemError(f"The unknown {symbol} appears in no equation or condition.")
