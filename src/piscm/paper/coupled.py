"""A reaction–diffusion system with any number of fields, to see how the cost grows with them."""

import sympy

from piscm.problem.conditions import Condition
from piscm.problem.domain import Box
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field


def coupled_system(count: int) -> Problem:
    r"""Each field is fed by the next and consumed by its own cube.

    .. math:: \partial_t u_i = \tfrac1{100} \partial_x^2 u_i + u_{i+1} - u_i^3
    """
    x, t = coordinates("x t")
    fields = [field(f"u{number}", x, t) for number in range(1, count + 1)]
    following = [*fields[1:], fields[0]]
    conditions = []
    for number, u in enumerate(fields, start=1):
        conditions.append(Condition(u - sympy.sin(number * sympy.pi * x), on={t: 0}))
        conditions.append(Condition(u, on=[{x: 0}, {x: 1}]))
    return Problem(
        domain=Box({x: (0, 1), t: (0, 1)}),
        equations=[
            u.diff(t) - u.diff(x, 2) / 100 - other + u**3
            for u, other in zip(fields, following, strict=True)
        ],
        conditions=conditions,
    )
