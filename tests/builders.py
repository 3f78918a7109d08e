"""Problems, points, systems and small networks that tests of several rooms are made of."""

import numpy as np
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
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


def decay_of(u, unknowns=None, observations=(), rate=1, start=1, end=2):
    """u' = -rate u from a start at zero, for a field of one coordinate."""
    (t,) = u.args
    return Problem(
        Box({t: (0, end)}),
        [u.diff(t) + rate * u],
        [Condition(u - start, on={t: 0})],
        unknowns,
        list(observations),
    )


GROWING = decay_of(field("u", coordinates("x")), rate=-1, end=1)
THREE_NODES = PISC3(max_nodes=3, candidates=5)
FEW_POINTS = Sampling(interior=16, boundary=4)


def solved_in_no_time(problem=GROWING, method=THREE_NODES, sampling=FEW_POINTS, **options):
    """A solution of three nodes, of u' = u or of another problem: all but accurate."""
    return solve(problem, method, sampling=sampling, **options)


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


def etdrk4(modes, growth, source, step, steps):
    """Integrate v' = growth v + source(v), for modes v, by exponential time differencing."""
    linear = step * growth
    # Means over a circle avoid the cancellation in the coefficients where `linear` is small.
    z = linear[:, None] + np.exp(2j * np.pi * (np.arange(32) + 0.5) / 32)
    whole, half = np.exp(linear), np.exp(linear / 2)
    to_half = step * ((np.exp(z / 2) - 1) / z).mean(1).real
    first = step * ((-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3).mean(1).real
    middle = 2 * step * ((2 + z + np.exp(z) * (z - 2)) / z**3).mean(1).real
    last = step * ((-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3).mean(1).real
    for _ in range(steps):
        at_start = source(modes)
        a = half * modes + to_half * at_start
        at_a = source(a)
        at_b = source(half * modes + to_half * at_a)
        at_c = source(half * a + to_half * (2 * at_b - at_start))
        modes = whole * modes + first * at_start + middle * (at_a + at_b) + last * at_c
    return modes
