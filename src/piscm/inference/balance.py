"""Whether the equations hold inside the layers of a solution, and not only beside them.

Rows near a face are weighed by how steep the nodes are there, so that true layers can be found. A
condition that contradicts the equations can hide in such a layer: it is met by a step of no width,
inside of which nothing balances the highest derivative. Of a true layer the terms cancel.
"""

import numpy as np
import sympy

from piscm.assemble.grading import NEAREST, has_layers, near_faces
from piscm.assemble.sampling import Sampling
from piscm.compile.expression import Compiled
from piscm.compile.integral_terms import separated
from piscm.compile.integrals import IntegralRows
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.box import Box
from piscm.problem.integrals import integrals_in
from piscm.problem.numeric import Floats
from piscm.problem.place import combined
from piscm.problem.places import Interior

_POINTS = 2000
# What is left of an equation near the faces, as a fraction of its terms: of a layer that is
# resolved some 1e-4 or less, of a step that is none all of it.
_UNBALANCED = 0.3
_MOST_TERMS = 50


def unbalanced_equations(network: Model) -> list[int]:
    """The numbers of the equations, from 1 on, that do not hold within the layers of a network."""
    problem = network.problem
    if not isinstance(network, Network) or not isinstance(problem.domain, Box):
        return []
    if not has_layers(network.nodes, problem.domain):
        return []
    rng = np.random.default_rng(0)
    points = near_faces(
        problem.domain.sample_inside(_POINTS, lambda count, n: rng.random((count, n))),
        problem.domain,
        NEAREST,
        rng,
    )
    return [
        number
        for number, equation in enumerate(problem.equations, start=1)
        if left_of(network, equation, points) > _UNBALANCED
    ]


def left_of(network: Network, equation: sympy.Expr, points: Floats) -> float:
    """The residual of an equation as a fraction of its terms, by their root mean squares."""
    terms = sympy.Add.make_args(sympy.expand_mul(equation, deep=False))
    if not 1 < len(terms) <= _MOST_TERMS:
        return 0.0
    local = [term for term in terms if not integrals_in(term)]
    values = [network.value(network.compile(term), points) for term in local]
    if len(local) < len(terms):
        values.append(_sums(network, sympy.Add(*terms) - sympy.Add(*local), points))
    size = np.sqrt(np.mean(np.abs(values).max(axis=0) ** 2))
    left = np.sqrt(np.mean(np.sum(values, axis=0) ** 2))
    return float(left / size) if size > 0 and np.isfinite(left) else 0.0


def _sums(network: Network, written: sympy.Expr, points: Floats) -> Floats:
    """All terms with integrals together."""
    problem, where = network.problem, "An equation"
    coordinates, unknowns = problem.domain.coordinates, tuple(problem.unknowns)
    _, terms = separated(written, unknowns, where)
    legs = IntegralRows(Interior(), tuple(terms), coordinates, where).sums(
        points, problem.domain, Sampling(len(points)).drawing(np.random.default_rng(0))
    )
    values = []
    for term, leg in zip(terms, legs, strict=True):
        own = Compiled(term.integrand, problem.fields, coordinates, unknowns, where)
        values.append(network.value(own, own.seen(leg)))
    return combined(legs, values)
