"""What a method is given, as a few numbers: the rows of a problem with its points and weights."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from piscm import Problem, Sampling, solve
from piscm.assemble.assembly import Assembly
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.network.activations import ACTIVATIONS
from piscm.network.nodes import Nodes
from piscm.network.series import Series
from piscm.result.method import Method, Outcome, Request

# Nodes whose residuals are looked at, and how many mixtures of them; a few see every row.
_NODES, _MIXTURES = 5, 3


class _Asked(Exception):  # noqa: N818  # it is an answer, not an error
    """Brings back what `solve` asked of a method."""

    def __init__(self, request: Request) -> None:
        self.request = request


@dataclass(frozen=True)
class _Probe(Method):
    """A method that only tells what it is asked."""

    def check(self, problem: Problem) -> None:
        pass

    def run(self, request: Request) -> Outcome:
        raise _Asked(request)


def numbers_given(problem: Problem, sampling: Sampling, weights: Mapping[str, float]) -> list[str]:
    """Numbers that change with anything a method gets from `solve`, to nine digits.

    They are the first random numbers of seed 0, and residuals of a few networks in all rows,
    weighted as they are for the method. Whatever equations, points and weights go through on
    their way to a method, it is seen here by its effect.
    """
    request = _request(problem, sampling, weights)
    fitted_rng, _, node_rng = request.rng.spawn(3)
    part = Part.whole(problem)
    points = draw_points(problem.domain, part.blocks, sampling, fitted_rng)
    system = Assembly(part, points, request.weights, request.start).system("sin")
    numbers = list(node_rng.random(2))
    nodes = Nodes(
        node_rng.uniform(-2, 2, (_NODES, problem.domain.dimension)), node_rng.uniform(-2, 2, _NODES)
    )
    columns = system.evaluate(nodes)
    look = np.cos(np.arange(system.rows))
    for _ in range(_MIXTURES):
        mixture = node_rng.uniform(0.5, 1.5, (_NODES, system.fields))
        unknowns = system.guesses * node_rng.uniform(0.5, 1.5, len(system.guesses))
        state = system.state_with(columns, mixture, unknowns)
        numbers += [state.norm, float(look @ np.abs(state.residual))]
    return [f"{number:.9e}" for number in numbers]


def numbers_of_activations() -> list[str]:
    """Derivatives of all activations up to order 6, as values and as series, to nine digits.

    How they are computed may change; what they are decides a row's numbers up to rounding, in which
    processors differ as well.
    """
    z, orders = np.linspace(-3.0, 3.0, 7), range(7)
    line: Series = {(0,): z, (1,): np.full_like(z, 1.5), (2,): np.cos(z)}
    numbers: list[float] = []
    for activation in ACTIVATIONS.values():
        made = activation.derivatives(z, orders)
        deep = activation.deep(line, [(order,) for order in orders], np)
        numbers += [made[k].sign * own for k in orders for own in made[k].values]
        numbers += [own for value in deep.values() for own in value]
    return [f"{number:.9e}" for number in numbers]


def _request(problem: Problem, sampling: Sampling, weights: Mapping[str, float]) -> Request:
    try:
        solve(problem, _Probe(), sampling=sampling, weights=weights, seed=0, progress=False)
    except _Asked as asked:
        return asked.request
    raise AssertionError("a probe always answers")
