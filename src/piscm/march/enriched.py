"""A problem with the singular functions of its shape, tried where a smooth network did not do."""

from collections.abc import Mapping, Sequence

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.domain import Domain
from piscm.problem.mosaic import Mosaic
from piscm.problem.problem import Problem
from piscm.result.method import Outcome
from piscm.result.status import Status
from piscm.shapes.shape import Shape
from piscm.shapes.singular import corners, has_singular_functions, singular_functions

MISSED = (Status.NODE_LIMIT, Status.HOPELESS, Status.STALLED, Status.INACCURATE)
"""How a run ends that did not do with smooth nodes on the whole domain."""


def enriched(problem: Problem, outcome: Outcome) -> Problem | None:
    """The problem with singular functions at re-entrant corners and in holes.

    None if the user named such functions, or said that there are none; if the shape has none; or if
    the outcome needs none.
    """
    each = functions_of(problem) if outcome.status in MISSED else []
    return problem.with_singular(each) if any(each) else None


def functions_of(problem: Problem) -> list[Mapping[AppliedUndef, Sequence[sympy.Expr]]]:
    """The singular functions of each field that may be tried, for every region."""
    fields = _fields(problem)
    each: list[Mapping[AppliedUndef, Sequence[sympy.Expr]]] = []
    for member in _members(problem) if fields else ():
        functions = singular_functions(member) if isinstance(member, Shape) else ()
        each.append({item: functions for item in fields if functions})
    return each


def has_functions(problem: Problem) -> bool:
    """Whether there are any such functions."""
    shapes = [own for own in _members(problem) if isinstance(own, Shape)]
    return bool(_fields(problem)) and any(map(has_singular_functions, shapes))


def has_corners(problem: Problem) -> bool:
    """Whether a shape in the plane has re-entrant corners."""
    flat = [own for own in _members(problem) if isinstance(own, Shape) and own.dimension == 2]
    return any(corners(own) for own in flat)


def _members(problem: Problem) -> Sequence[Domain]:
    domain = problem.domain
    return domain.members if isinstance(domain, Mosaic) else [domain]


def _fields(problem: Problem) -> list[AppliedUndef]:
    """Those that may have singular functions, if the user left that open."""
    if not problem.tries_singular:
        return []
    said = problem.statement or problem
    return [own for own in problem.written_fields if _smooths(said.equations, own, problem.domain)]


def _smooths(equations: Sequence[sympy.Expr], item: AppliedUndef, domain: Domain) -> bool:
    """Whether an equation has the Laplacian of a field of two coordinates as its highest part."""
    if domain.dimension != 2 or set(item.args) != set(domain.coordinates):
        return False
    x, y = domain.coordinates
    for equation in equations:
        highest = [part for part in equation.atoms(sympy.Derivative) if part.expr == item]
        if max((part.derivative_count for part in highest), default=0) != 2:
            continue
        expanded = sympy.expand(equation)
        one, other = expanded.coeff(item.diff(x, 2)), expanded.coeff(item.diff(y, 2))
        if one != 0 and one == other and expanded.coeff(item.diff(x, y)) == 0:
            return True
    return False


def better(first: Outcome, second: Outcome) -> Outcome:
    """Of two outcomes the one with the smaller error."""
    return second if second.status.ok or error_of(second) < error_of(first) else first


def error_of(outcome: Outcome) -> float:
    """The estimated relative error, infinite if it is not known."""
    return float("inf") if outcome.error is None else outcome.error.relative
