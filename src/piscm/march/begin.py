"""Where a march begins if zero fields are singular: at the initial values.

An equation such as Kepler's divides by the fields. Growth begins with an empty network, whose
fields are zero unless the user says otherwise; an initial value problem says itself where they are.
"""

from dataclasses import replace

import numpy as np
import sympy

from piscm.assemble.marching import runs_backward
from piscm.fit.piece import task_for
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.method import Request


def with_finite_start(request: Request, coordinate: sympy.Symbol | None) -> Request:
    """The request, begun at the initial values if the equations are singular at zero."""
    problem, start = request.problem, request.start
    if coordinate is None or start.expressions:
        return request
    try:
        task_for(problem, None, start, request.weights, np.random.default_rng(0))
    except ProblemError:
        values = _initial_values(problem, coordinate)
        return replace(request, start=Start(problem, values)) if values else request
    return request


def _initial_values(problem: Problem, time: sympy.Symbol) -> dict[sympy.Expr, sympy.Expr]:
    """The fields that conditions give at the start of the march, as functions of the rest."""
    low, high = problem.domain.span(time)
    start = high if runs_backward(problem, time) else low
    values: dict[sympy.Expr, sympy.Expr] = {}
    for condition in problem.conditions:
        if condition.place.values_of(time) != {start}:
            continue
        expression = condition.expression
        for field in problem.fields:
            if expression.has(sympy.Derivative) or not expression.has(field):
                continue
            value = sympy.Dummy()
            written = expression.xreplace({field: value})
            factor, rest = written.diff(value), written.xreplace({value: sympy.Integer(0)})
            known = not factor.has(value, *problem.fields, *problem.unknowns)
            if known and factor != 0 and not rest.has(*problem.fields, *problem.unknowns):
                values[field] = (-rest / factor).subs(time, start)
    return values
