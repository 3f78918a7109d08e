"""The windows of a network, each with the problem that is left for it."""

from collections.abc import Iterator

from piscm.assemble.marching import runs_backward
from piscm.assemble.windows import Part
from piscm.network.network import Network
from piscm.problem.problem import Problem


def without_data(problem: Problem) -> Part:
    """What may determine the state alone: noise in data is no error of the equations."""
    whole = Part.whole(problem)
    several = len(problem.fields) > len(problem.equations)
    return whole if several or not problem.conditions else whole.without_observations()


def marched_backward(network: Network) -> bool:
    """Whether the last window was the first to be solved."""
    if network.panels is None:
        return False
    problem = network.problem
    return runs_backward(problem, problem.domain.coordinates[network.panels.axis])


def window_of(
    whole: Part, network: Network, low: float, high: float, before: Network | None
) -> Part:
    """The problem between two ends, which begins where another network ends."""
    if network.panels is None:
        return whole
    return whole.window(network.problem.domain.coordinates[network.panels.axis], low, high, before)


def own_windows(network: Network) -> Iterator[tuple[float, float, Network]]:
    """The ends of each window of a network, and its own network."""
    panels, domain = network.panels, network.problem.domain
    if panels is None:
        yield 0.0, 0.0, network
        return
    start, end = domain.span(domain.coordinates[panels.axis])
    ends = [start, *panels.edges, end]
    first = 0
    for number, count in enumerate(panels.counts):
        own = slice(first, first + count)
        first += count
        yield (
            ends[number],
            ends[number + 1],
            Network(
                network.problem,
                network.start,
                panels.activations[number],
                network.nodes.some(own),
                network.weights[own],
                network.unknowns,
            ),
        )
