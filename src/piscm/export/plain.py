"""A model as plain numbers: which nodes are responsible where, and what each field makes of them.

The cells of a grid divide the domain: windows along one coordinate, patches along all of them, or
one cell. A field of a problem with regions is one field in each of them, with nodes of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef
from sympy.logic.boolalg import Boolean

from piscm.compile.expression import Jet
from piscm.export.membership import membership
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.nodes import Nodes, feature_of
from piscm.network.patchwork import Patchwork
from piscm.problem.errors import ProblemError
from piscm.problem.mosaic import Mosaic
from piscm.problem.polar_power import polar_power
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Window:
    """The nodes that are responsible for some cell.

    Attributes
    ----------
    activation : str
    hidden : ndarray, shape (fields, nodes, coordinates)
        As each field sees them.
    biases : ndarray, shape (fields, nodes)
    weights : ndarray, shape (nodes, fields)
    """

    activation: str
    hidden: Floats
    biases: Floats
    weights: Floats


@dataclass(frozen=True)
class Cells:
    """Which window is responsible where.

    Attributes
    ----------
    edges : tuple of tuple of float
        Along each coordinate where one cell ends and the next begins.
    owner : tuple of int
        The window of each cell, the last coordinate running fastest.
    upward : bool
        Whether a point on an edge belongs to the cell above.
    """

    edges: tuple[tuple[float, ...], ...]
    owner: tuple[int, ...]
    upward: bool


@dataclass(frozen=True)
class Written:
    """A field as the user wrote it.

    Attributes
    ----------
    item : sympy function
    parts : tuple of pairs
        The number of the field that it is where an inequality holds; the last one everywhere else.
    """

    item: AppliedUndef
    parts: tuple[tuple[int, Boolean | None], ...]


@dataclass(frozen=True)
class Plain:
    """Everything that a formula or source code is made of.

    Attributes
    ----------
    starts : tuple of expressions
        What is added to the nodes of each field: starting values and singular functions.
    solved : (float, float)
        Between which values of the coordinate `axis` the problem was solved.
    """

    problem: Problem
    windows: tuple[Window, ...]
    cells: Cells
    starts: tuple[sympy.Expr, ...]
    unknowns: dict[str, float]
    written: tuple[Written, ...]
    axis: int
    solved: tuple[float, float]

    @property
    def n_nodes(self) -> int:
        """The number of nodes of all windows."""
        return sum(len(window.weights) for window in self.windows)


def plain_model(model: Model) -> Plain:
    """A model that is a sum of nodes, which alone can be written down as a formula."""
    if isinstance(model, Network):
        windows, cells = _of_network(model)
        axis = 0 if model.panels is None else model.panels.axis
        solved = (float(model.solved_down_to), float(model.solved_up_to))
    elif isinstance(model, Patchwork):
        windows, cells = _of_patchwork(model)
        axis, solved = 0, (-np.inf, np.inf)
    else:
        raise ProblemError(
            f"A {type(model).__name__} is no sum of nodes: it has no formula to export. Use "
            "to_xarray, to_dataframe or to_vtk, or solve with another method."
        )
    problem = model.problem
    values = dict(zip(problem.unknowns, map(float, model.unknowns), strict=True))
    starts = [
        model.start.expressions.get(index, sympy.S.Zero)
        + sum(sympy.Float(values[c]) * s for c, s in problem.singular.get(item, {}).items())
        for index, item in enumerate(problem.fields)
    ]
    asked = {s.name: v for s, v in values.items() if s not in problem.amplitudes}
    written = tuple(_written(problem, item) for item in problem.written_fields)
    return Plain(problem, tuple(windows), cells, tuple(starts), asked, written, axis, solved)


def written_out(expression: sympy.Expr) -> sympy.Expr:
    """An expression in functions that every language has."""
    return expression.replace(polar_power, lambda *of: polar_power(*of).written_out)


def _of_network(network: Network) -> tuple[list[Window], Cells]:
    none: tuple[float, ...] = ()
    dimension, panels = network.problem.domain.dimension, network.panels
    if panels is None:
        whole = _window(network.problem, network.nodes, network.weights, network.activation)
        return [whole], Cells((none,) * dimension, (0,), False)
    edges = [panels.edges if axis == panels.axis else none for axis in range(dimension)]
    ends = pairwise([0, *np.cumsum(panels.counts)])
    made = [
        _window(network.problem, network.nodes.some(own), network.weights[own], activation)
        for own, activation in zip((slice(*end) for end in ends), panels.activations, strict=True)
    ]
    return made, Cells(tuple(edges), tuple(range(len(made))), False)


def _of_patchwork(model: Patchwork) -> tuple[list[Window], Cells]:
    tiles = model.tiles
    made = [
        _window(model.problem, model.nodes.some(own), model.weights[own], model.activation)
        for own in map(tiles.own, range(len(tiles.counts)))
    ]
    return made, Cells(tuple(own[1:-1] for own in tiles.edges), tiles.owner, True)


def _window(problem: Problem, nodes: Nodes, weights: Floats, activation: str) -> Window:
    none = (0,) * problem.domain.dimension
    seen = [feature_of(Jet(field, none), problem) for field in range(len(problem.fields))]
    hidden = np.array([nodes.weights * np.array(own.sees, dtype=float) for own in seen])
    biases = np.array(
        [nodes.biases + (nodes.weights @ np.array(own.shift) if own.shift else 0) for own in seen]
    )
    return Window(activation, hidden, biases, weights)


def _written(problem: Problem, item: AppliedUndef) -> Written:
    """What a field is in each region; a region without inequalities is what is left."""
    if not problem.translations:
        return Written(item, ((problem.fields.index(item), None),))
    meant = [problem.fields.index(own.fields.get(item, item)) for own in problem.translations]
    if not isinstance(problem.domain, Mosaic):
        return Written(item, ((meant[0], None),))
    inside = [membership(own) for own in problem.domain.members]
    unclear = [number for number, own in enumerate(inside) if own is None]
    if len(unclear) > 1:
        names = ", ".join(problem.domain.names[number] for number in unclear)
        raise ProblemError(
            f"Where a point lies in the regions {names} is no matter of a few inequalities, so "
            "there is no formula to export. Use to_xarray, to_dataframe or to_vtk."
        )
    last = unclear[0] if unclear else len(inside) - 1
    order = [number for number in range(len(inside)) if number != last]
    parts = [(meant[number], inside[number]) for number in order]
    return Written(item, (*parts, (meant[last], None)))


def bounds_of_cells(cells: Cells) -> Sequence[tuple[tuple[float, float], ...]]:
    """The two ends of every cell along each coordinate, infinite at the outside, in order."""
    ends = [list(pairwise([-np.inf, *own, np.inf])) for own in cells.edges]
    grids = np.meshgrid(*(np.arange(len(own)) for own in ends), indexing="ij")
    numbers = np.stack([grid.ravel() for grid in grids], axis=-1)
    return [tuple(own[k] for own, k in zip(ends, row, strict=True)) for row in numbers]
