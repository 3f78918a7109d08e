"""Which coordinate plays the role of time."""

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError
from piscm.problem.integrals import integrals_in
from piscm.problem.problem import Problem


def marching_coordinate(problem: Problem) -> sympy.Symbol | None:
    """The coordinate along which the domain can be marched in windows, or None.

    Of several, the one with the lowest order of derivatives, then one called t.
    """
    coordinates = problem.domain.coordinates
    possible = [item for item in coordinates if obstacle(problem, item) is None]

    def rank(coordinate: sympy.Symbol) -> tuple[int, bool]:
        order = sum(order_along(problem, item, coordinate) for item in problem.fields)
        return order, coordinate.name != "t"

    return min(possible, key=rank, default=None)


def runs_backward(problem: Problem, coordinate: sympy.Symbol) -> bool:
    """Whether windows start from conditions on the upper end, there being none on the lower."""
    low, high = problem.domain.span(coordinate)
    values = _fixed_values(problem, coordinate)
    return high in values and low not in values


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
    for expression in (*problem.equations, *(c.expression for c in problem.conditions)):
        for part in integrals_in(expression):
            if coordinate in part.bound():
                return f"{part} runs along it"
    for condition in problem.conditions:
        reason = condition.place.against_marching(coordinate, problem.domain)
        if reason:
            return f"the condition {condition} {reason}"
        ends = condition.place.values_of(coordinate) & {low, high}
        if integrals_in(condition.expression) and ends:
            return f"the integral in {condition} is not handed on from window to window"
    values = _fixed_values(problem, coordinate)
    if low not in values and high not in values:
        return f"no condition holds on {coordinate} = {low:g}, so there is nothing to start from"
    if low in values and high in values:
        return f"a condition holds at its upper end, {coordinate} = {high:g}"
    start = low if low in values else high
    initial = [c for c in problem.conditions if start in c.place.values_of(coordinate)]
    needed = sum(order_along(problem, item, coordinate) for item in problem.fields)
    if len(initial) < needed:
        return (
            f"{len(initial)} conditions on {coordinate} = {start:g} do not determine what comes "
            f"after: the equations are of order {needed} in it"
        )
    return None


def _fixed_values(problem: Problem, coordinate: sympy.Symbol) -> set[float]:
    """The values of a coordinate at which conditions hold."""
    values: set[float] = set()
    for condition in problem.conditions:
        values |= condition.place.values_of(coordinate)
    return values


def order_along(problem: Problem, item: AppliedUndef, coordinate: sympy.Symbol) -> int:
    """The highest order of derivative of a field along the coordinate in any equation."""
    orders = [0]
    for equation in problem.equations:
        for derivative in equation.atoms(sympy.Derivative):
            if derivative.expr == item:
                orders.append(int(dict(derivative.variable_count).get(coordinate, 0)))
    return max(orders)
