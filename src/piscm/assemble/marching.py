"""Which coordinate plays the role of time."""

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem


def marching_coordinate(problem: Problem) -> sympy.Symbol | None:
    """The coordinate along which the domain can be marched in windows, or None."""
    for coordinate in problem.domain.coordinates:
        if obstacle(problem, coordinate) is None:
            return coordinate
    return None


def checked_coordinate(problem: Problem, coordinate: sympy.Symbol) -> sympy.Symbol:
    """The coordinate itself, if the problem can be marched along it."""
    problem.domain.axis(coordinate)
    reason = obstacle(problem, coordinate)
    if reason is not None:
        raise ProblemError(f"Windows along {coordinate}: {reason}.")
    return coordinate


def obstacle(problem: Problem, coordinate: sympy.Symbol) -> str | None:
    """What prevents marching along a coordinate, in words."""
    low, high = problem.domain.span(coordinate)
    if not problem.domain.is_product_along(coordinate):
        return f"its ends in {problem.domain} are not faces"
    values: set[float] = set()
    for condition in problem.conditions:
        reason = condition.place.against_marching(coordinate, problem.domain)
        if reason:
            return f"the condition {condition} {reason}"
        values |= condition.place.values_of(coordinate)
    if low not in values:
        return f"no condition holds on {coordinate} = {low:g}, so there is nothing to start from"
    if high in values:
        return f"a condition holds at its upper end, {coordinate} = {high:g}"
    initial = [c for c in problem.conditions if low in c.place.values_of(coordinate)]
    needed = sum(order_along(problem, item, coordinate) for item in problem.fields)
    if len(initial) < needed:
        return (
            f"{len(initial)} conditions on {coordinate} = {low:g} do not determine what comes "
            f"after: the equations are of order {needed} in it"
        )
    return None


def order_along(problem: Problem, item: AppliedUndef, coordinate: sympy.Symbol) -> int:
    """The highest order of derivative of a field along the coordinate in any equation."""
    orders = [0]
    for equation in problem.equations:
        for derivative in equation.atoms(sympy.Derivative):
            if derivative.expr == item:
                orders.append(int(dict(derivative.variable_count).get(coordinate, 0)))
    return max(orders)
