"""Networks that answer window by window, each with its own nodes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from piscm import Box, Condition, Problem, coordinates, field
from piscm.network.network import Network, Panels
from piscm.network.nodes import Nodes
from piscm.network.start import Start

x, t = coordinates("x t")
u = field("u", x, t)


MANY = settings(max_examples=20, deadline=None, derandomize=True)


seeds = st.integers(0, 1000)


activations = st.sampled_from(["sin", "tanh", "sigmoid", "gaussian"])


@st.composite
def networks(draw):
    """Windows with nodes of every kind, some of them empty."""
    rng = np.random.default_rng(draw(seeds))
    counts = tuple(draw(st.lists(st.integers(0, 5), min_size=2, max_size=5)))
    edges = tuple(sorted(rng.uniform(0.05, 0.95, len(counts) - 1)))
    kinds = tuple(draw(activations) for _ in counts)
    problem = Problem(Box({x: (0, 1), t: (0, 1)}), [u.diff(t) - u], [Condition(u, on={t: 0})])
    nodes = Nodes(rng.normal(size=(sum(counts), 2)), rng.normal(size=sum(counts)))
    weights = rng.normal(size=(sum(counts), 1))
    axis = draw(st.integers(0, 1))
    panels = Panels(axis, edges, counts, kinds)
    start = Start(problem, {u: x - t**2})
    return Network(problem, start, kinds[0], nodes, weights, np.zeros(0), panels)


@MANY
@given(networks(), seeds)
def test_a_mixture_of_points_is_point_by_point(network, seed):
    rng = np.random.default_rng(seed)
    axis = network.panels.axis
    points = rng.random((40, 2))
    points[:6, axis] = rng.choice([0.0, 1.0, *network.panels.edges], 6)
    rng.shuffle(points)
    compiled = network.compile(u * u.diff(x) + u.diff(x, t) ** 2 - t)
    together = network.value(compiled, points)
    alone = np.concatenate([network.value(compiled, point[None]) for point in points])
    np.testing.assert_allclose(together, alone, rtol=1e-11, atol=1e-11)


@MANY
@given(networks(), seeds)
def test_each_window_answers_with_its_own_nodes(network, seed):
    panels, rng = network.panels, np.random.default_rng(seed)
    ends = [0.0, *panels.edges, 1.0]
    first = 0
    for number, count in enumerate(panels.counts):
        own = slice(first, first + count)
        first += count
        nodes = Nodes(network.nodes.weights[own], network.nodes.biases[own])
        lone = Network(
            network.problem,
            network.start,
            panels.activations[number],
            nodes,
            network.weights[own],
            network.unknowns,
        )
        points = rng.random((7, 2))
        low, high = ends[number], ends[number + 1]
        points[:, panels.axis] = high - (high - low) * rng.random(7)  # its upper end is its own
        compiled = network.compile(u + u.diff(t))
        expected = lone.value(lone.compile(u + u.diff(t)), points)
        np.testing.assert_allclose(network.value(compiled, points), expected, atol=1e-12)
        gradient = network.gradient(compiled, points)
        other = np.ones(len(network.weights), bool)
        other[own] = False
        np.testing.assert_array_equal(gradient[other], 0.0)
