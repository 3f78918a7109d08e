"""Problems, points, systems and small networks that tests of several rooms are made of."""

import numpy as np
import sympy

from piscm import (
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    unknown,
)
from piscm.assemble.assembly import Assembly
from piscm.assemble.sites import draw_points
from piscm.assemble.weighting import EVEN
from piscm.assemble.windows import Part
from piscm.construct.correct import Corrector
from piscm.construct.selection import Run
from piscm.network.draw import Draw
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start


def assembly_of(problem, sampling=None, initial=None, weights=EVEN, seed=0):
    """A whole problem at points, ready for a system."""
    part = Part.whole(problem)
    rng = np.random.default_rng(seed)
    points = draw_points(problem.domain, part.blocks, sampling or Sampling(60, 12), rng)
    return Assembly(part, points, weights, Start(problem, initial))


def system_of(problem, activation="sin", **options):
    """The system of a whole problem; options as those of `assembly_of`."""
    return assembly_of(problem, **options).system(activation)


def random_nodes(count, dimension, seed=0, scale=1.0):
    """Hidden nodes with normal weights and biases."""
    rng = np.random.default_rng(seed)
    return Nodes(scale * rng.normal(size=(count, dimension)), rng.normal(size=count))


def network_of(problem, nodes, weights, activation="sin", initial=None, unknowns=()):
    """A network with given nodes and weights."""
    start = Start(problem, initial)
    return Network(problem, start, activation, nodes, np.asarray(weights), np.array(unknowns))


def silent(nodes, residual):
    """A report that nobody hears."""


def mixed_problem():
    """Three fields, one of them of fewer coordinates, an unknown, and every kind of condition."""
    x, t = coordinates("x t")
    u, v, w = field("u", x, t), field("v", x, t), field("w", x)
    k = unknown("k")
    return Problem(
        Box({x: (-1, 1), t: (0, 2)}),
        [
            u.diff(t) + u * u.diff(x) - k * u.diff(x, 2) * v + x * w,
            v.diff(t, 2) - t * v.diff(x, t) + sympy.sin(u) * w.diff(x, 2),
            w.diff(x, 3) - w**2 + k,
        ],
        [
            Condition(u - v**2 - 1, on=[{t: 0}, {x: 1}]),
            Condition(w.diff(x) - 3 * w, on={x: -1}),
            Periodic(u * v + t * w - u.diff(x), along=x),
            Periodic(v.diff(x), along=x),
        ],
        {k: 0.3},
        [Observations(u * k + w, [[0.1, 0.2], [-0.5, 1.9]], [1.0, 2.0])],
    )


def run_of(system, method, seed=0):
    """What a selector is given at the start of a run."""
    selection = method.selector
    corrector = Corrector(system, method.threshold, selection.keeps_basis, method.max_nodes)
    return Run(
        system,
        Draw(system.problem.domain, method.scale),
        method.correction,
        corrector,
        method.max_nodes,
        method.threshold,
        np.random.default_rng(seed),
    )
