"""A network as plain numbers, window by window."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.errors import ProblemError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """The nodes of one window.

    Attributes
    ----------
    upper : float
        Its upper end along the coordinate of the windows; infinite for the last one.
    activation : str
    hidden : ndarray, shape (nodes, coordinates)
    biases : ndarray, shape (nodes,)
    weights : ndarray, shape (nodes, fields)
    """

    upper: float
    activation: str
    hidden: Floats
    biases: Floats
    weights: Floats


def plain_network(model: Model) -> Network:
    """The model, if it is a sum of nodes, which alone can be written down as a formula."""
    if type(model) is not Network:
        raise ProblemError(
            f"A {type(model).__name__} is no sum of nodes: it has no formula to export. Use "
            "to_xarray, to_dataframe or to_vtk, or solve with another method."
        )
    if model.problem.in_regions or model.problem.singular:
        raise ProblemError(
            "Fields of regions and singular functions have no formula to export. Use to_xarray, "
            "to_dataframe or to_vtk."
        )
    if model.problem.statement is not None or model.problem.singular:
        raise ProblemError(
            "A solution on regions, or with singular functions, is not exported as a formula; use "
            "to_xarray, to_dataframe or to_vtk."
        )
    return model


def windows_of(network: Network) -> list[Window]:
    """The windows in their order; one if the network has none."""
    panels = network.panels
    if panels is None:
        return [
            Window(
                np.inf,
                network.activation,
                network.nodes.weights,
                network.nodes.biases,
                network.weights,
            )
        ]
    made, last = [], 0
    uppers = (*panels.edges, np.inf)
    for upper, count, activation in zip(uppers, panels.counts, panels.activations, strict=True):
        own = slice(last, last + count)
        last += count
        nodes = network.nodes.some(own)
        made.append(Window(upper, activation, nodes.weights, nodes.biases, network.weights[own]))
    return made
