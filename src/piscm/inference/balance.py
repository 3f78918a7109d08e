"""Whether the equations hold inside the layers of a solution, and not only beside them.

Rows near a face are weighed by how steep the nodes are there, so that true layers can be found. A
condition that contradicts the equations can hide in such a layer: it is met by a step of no width,
inside of which nothing balances the highest derivative. Of a true layer the terms cancel.
"""

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.grading import NEAREST, has_layers, near_faces
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.box import Box

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


def left_of(network: Network, equation: sympy.Expr, points: NDArray[np.float64]) -> float:
    """The residual of an equation as a fraction of its terms, by their root mean squares."""
    terms = sympy.Add.make_args(sympy.expand_mul(equation, deep=False))
    if not 1 < len(terms) <= _MOST_TERMS:
        return 0.0
    values = np.array([network.value(network.compile(term), points) for term in terms])
    size = np.sqrt(np.mean(np.abs(values).max(axis=0) ** 2))
    left = np.sqrt(np.mean(values.sum(axis=0) ** 2))
    return float(left / size) if size > 0 and np.isfinite(left) else 0.0
