"""What a window takes over from the one before: nodes, moved and stretched, and a first guess.

The solution changes little from one window to the next, so the nodes that resolve one resolve the
next one too, and least squares for their weights replaces growth. A step or bump that is still
inside the domain when its path is continued follows that path: it moves along with its front. All
other nodes stay what they were in the coordinates of their own window.

The equation is first linearized at the state that the window before ends with, held constant.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import scipy
import sympy
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.marching import runs_backward
from piscm.assemble.state import Linearization
from piscm.assemble.system import System
from piscm.construct.correct import Corrector
from piscm.linalg.basis import Basis, Factor
from piscm.linalg.upper import upper_factor
from piscm.network.activations import activation_named
from piscm.network.network import Network
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# A step or bump is inside a box if its argument is this close to zero somewhere in it.
_NEAR = 1.0


def moved_nodes(
    before: Network, kept: Sequence[int] | None, coordinate: sympy.Symbol, low: float, high: float
) -> Nodes:
    """Nodes of a window (those kept, or all) as nodes of another one along the coordinate."""
    box = before.problem.domain.bounding_box
    axis = box.axis(coordinate)
    start, end = box.lower[axis], box.upper[axis]
    old = before.nodes if kept is None else before.nodes.some(list(kept))
    weights = old.weights.copy()
    weights[:, axis] *= (end - start) / (high - low)
    biases = old.biases + old.weights[:, axis] * start - weights[:, axis] * low
    if activation_named(before.activation).localized:
        lower, upper = box.lower.copy(), box.upper.copy()
        far = _distance(old, lower, upper)
        lower[axis], upper[axis] = low, high
        # A front is steep across the window rather than along it.
        steep = np.abs(old.weights) * box.width
        follows = 2 * steep[:, axis] <= steep.sum(axis=1)
        follows &= _distance(old, lower, upper) <= np.maximum(far, _NEAR)
        weights[follows], biases[follows] = old.weights[follows], old.biases[follows]
    return Nodes(weights, biases)


def first_window(network: Network) -> Network:
    """The network of the first window that is known, or all of it if there is only one."""
    panels = network.panels
    if panels is None:
        return network
    number = next(i for i, count in enumerate(panels.counts) if count)
    if network.solved_down_to == -np.inf and runs_backward(
        network.problem, network.problem.domain.coordinates[panels.axis]
    ):
        number = len(panels.counts) - 1
    first = sum(panels.counts[:number])
    own = slice(first, first + panels.counts[number])
    return replace(
        network,
        activation=panels.activations[number],
        nodes=network.nodes.some(own),
        weights=network.weights[own],
        panels=None,
    )


def _distance(nodes: Nodes, lower: Floats, upper: Floats) -> Floats:
    """The smallest absolute argument of each node in a box."""
    corners = np.array(list(product(*zip(lower, upper, strict=True))))
    arguments = nodes.weights @ corners.T + nodes.biases[:, None]
    crosses = (arguments.min(axis=1) <= 0) & (arguments.max(axis=1) >= 0)
    return np.where(crosses, 0.0, np.abs(arguments).min(axis=1))


def held_constant(before: Network, coordinate: sympy.Symbol, at: float) -> Network:
    """A network as it is at one value of the coordinate, for all values of it."""
    axis = before.problem.domain.axis(coordinate)
    weights = before.nodes.weights.copy()
    biases = before.nodes.biases + weights[:, axis] * at
    weights[:, axis] = 0.0
    return replace(before, nodes=Nodes(weights, biases))


def first_weights(
    system: System, columns: Columns, guess: Network, corrector: Corrector, truncation: float
) -> tuple[Floats, Linearization] | None:
    """Weights of the columns' nodes by one Newton step from the state of another network.

    With the linearization there; None if it is not finite.
    """
    others = system.evaluate(guess.nodes)
    weights = guess.weights
    state = system.state_with(others, weights, guess.unknowns)
    linearization = system.linearize(state)
    if not linearization.finite or not np.isfinite(state.energy):
        return None
    there = others.at(linearization).reshape(-1, system.rows)
    target = np.asarray(weights.ravel() @ there - state.residual)
    if len(linearization.unknowns):  # they stay what they are
        basis = Basis(system.rows)
        basis.append(columns.at(linearization).reshape(-1, system.rows))
    else:
        basis = corrector.basis(columns, slice(0, len(columns)), linearization)
    solution = basis.solve(target, truncation).solution
    return solution.reshape(len(columns), system.fields), linearization


def factor_of(columns: Floats) -> Factor:
    """The factor of columns, shape (nodes, fields, rows)."""
    flat = columns.reshape(-1, columns.shape[-1])
    lengths = np.linalg.norm(flat, axis=1)
    lengths[lengths == 0] = 1.0
    return Factor(lengths, upper_factor((flat / lengths[:, None]).T))


def worth_keeping(factor: Factor, weights: Floats, budget: float) -> list[int]:
    r"""Nodes without which the squared residual would rise by more than a budget, in all.

    With the columns :math:`M = QR` and :math:`r_k` the rows of :math:`R^{-1}`, leaving out column k
    raises the squared residual of the minimum by :math:`\beta_k^2 / \|r_k\|^2`. One node after the
    other is left out, the least useful first, and the rest takes over what it did.

    Parameters
    ----------
    factor : that of the columns
    weights : ndarray, shape (nodes, fields)
    """
    nodes, fields = weights.shape
    lengths, triangle = factor
    diagonal = np.abs(np.diagonal(triangle))
    if not nodes or len(triangle) < weights.size or not diagonal.min() > 1e-14:
        return list(range(nodes))
    inverse = np.asfortranarray(scipy.linalg.lapack.dtrtri(triangle)[0].T)  # r_k are its columns
    squares = np.einsum("ij,ij->j", inverse, inverse)
    scaled = weights.ravel() * lengths
    left, spent = np.ones(nodes, dtype=bool), 0.0
    for _ in range(nodes):
        costs = (scaled**2 / np.where(squares > 0, squares, np.inf)).reshape(nodes, fields)
        each = np.where(left, costs.sum(axis=1), np.inf)
        worst = int(np.argmin(each))
        if spent + each[worst] > budget:
            break
        left[worst] = False
        for column in range(worst * fields, (worst + 1) * fields):
            row = inverse[:, column].copy()
            square = float(row @ row)
            if square == 0.0:
                continue
            share = row @ inverse / square
            spent += float(scaled[column] ** 2) / square
            scaled = scaled - share * scaled[column]
            inverse = scipy.linalg.blas.dger(-1.0, row, share, a=inverse, overwrite_a=True)
            squares = np.maximum(squares - share**2 * square, 0.0)
            inverse[:, column], squares[column], scaled[column] = 0.0, 0.0, 0.0
    return [int(k) for k in np.flatnonzero(left)]
