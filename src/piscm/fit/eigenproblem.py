"""Eigenproblems: equations that are linear in the fields and in one unknown, and hold no source."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.assemble.assembly import Assembly
from piscm.assemble.sites import Points
from piscm.compile.blocks import compile_blocks
from piscm.fit.piece import Task
from piscm.linalg.pencil import Columns
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

_TRUNCATIONS = (1e-8, 1e-10, 1e-12, 1e-14)
_MORE = 3
# An eigenvalue below this fraction of the largest is zero, and its error relative to that fraction.
ZERO = 1e-3


def eigenvalue_of(problem: Problem) -> sympy.Symbol:
    """The unknown that is the eigenvalue; `ProblemError` unless it is an eigenproblem."""
    unknowns = [symbol for symbol in problem.unknowns if symbol not in problem.amplitudes]
    if len(unknowns) != 1:
        raise ProblemError(
            f"An eigenproblem has one unknown, the eigenvalue; this problem has {len(unknowns)}. "
            "Give Problem(..., unknowns={lam: a value near which eigenvalues are sought})."
        )
    if problem.observations:
        raise ProblemError("An eigenproblem has no observations: they would fix a multiple.")
    (symbol,) = unknowns
    for block in compile_blocks(problem):
        for compiled in (block.compiled, *block.integrands):
            expression, moving = compiled.written
            jets = [own for own in moving if own not in problem.unknowns]
            _check_linear(expression, jets, symbol, compiled.where)
    if not any(equation.has(symbol) for equation in problem.equations):
        raise ProblemError(f"The eigenvalue {symbol} appears in no equation.")
    return symbol


def _check_linear(
    expression: sympy.Expr, jets: Sequence[sympy.Symbol], symbol: sympy.Symbol, where: str
) -> None:
    source = sympy.expand(expression.xreplace(dict.fromkeys(jets, sympy.S.Zero)))
    if source != 0:
        raise ProblemError(
            f"{where} holds {brief(source)} without a field: in an eigenproblem every term holds "
            "one. (A normalization is not needed: modes come out with norm 1.)"
        )
    partials = [expression.diff(jet) for jet in jets]
    if any(partial.has(*jets) for partial in partials):
        raise ProblemError(
            f"{where} is not linear in the fields. For a nonlinear eigenproblem add a "
            "normalization, as Condition(integral(u**2, over=domain) - 1), and use solve."
        )
    if any(sympy.expand(partial.diff(symbol, 2)) != 0 for partial in partials):
        raise ProblemError(
            f"{where} is not linear in {symbol}. Give another field the name of {symbol} times "
            f"the field, as v = {symbol}*u, with an equation of its own."
        )


@dataclass(frozen=True)
class Modes:
    """Eigenvalues, and the weights of their modes with root mean square 1.

    Attributes
    ----------
    values : ndarray, shape (modes,)
    weights : ndarray, shape (weights, modes)
        Those of the nodes, (node, field) in order, then the factors of singular functions.
    residuals : ndarray, shape (modes,)
        At fresh points, relative to the mode and to the terms of its equation.
    moves : ndarray, shape (modes,)
        By how much the residual could move each eigenvalue, relatively.
    """

    values: Floats
    weights: Floats
    residuals: Floats
    moves: Floats

    def worst(self, count: int) -> float:
        """The residual of the worst of the best modes."""
        return float(np.sort(self.residuals)[count - 1]) if len(self.residuals) >= count else np.inf


def modes_of(
    task: Task,
    activation: str,
    nodes: Nodes,
    points: tuple[Points, Points],
    asked: int,
    rng: np.random.Generator,
) -> Modes:
    """The modes nearest to the first guess of the eigenvalue in the span of some nodes.

    There are more than were asked for: those that belong to a multiple eigenvalue at the end, and
    spurious ones. `points` are those that are fitted, and fresh ones.
    """
    count = asked + _MORE
    problem = task.problem
    symbol = eigenvalue_of(problem)
    shift, (low, high) = problem.unknowns[symbol], problem.bounds[symbol]
    fitted, fresh = (_rows(task, activation, nodes, own) for own in points)
    columns = Columns(*fitted, shift)
    trials = []
    for truncation in _TRUNCATIONS:
        found, weights = columns.pencil(truncation).nearest(count, rng)
        allowed = (found >= low) & (found <= high)
        trials.append(_judged(found[allowed], weights[:, allowed], fresh))
    # The fewer digits a basis has to spare, the more it needs; nobody knows how many beforehand.
    return min(trials, key=lambda modes: modes.worst(asked))


def _judged(found: Floats, weights: Floats, fresh: tuple[Floats, Floats, Floats]) -> Modes:
    """The modes with root mean square 1 and their residuals at fresh points."""
    base, slope, values = fresh
    missed = base @ weights + (slope @ weights) * found
    with np.errstate(all="ignore"):
        sizes = np.linalg.norm(values @ weights, axis=0)
        # Rows are scaled by a typical node, which may be much steeper than a mode.
        largest, slopes = np.abs(found).max(initial=0.0), np.linalg.norm(slope @ weights, axis=0)
        missed = np.linalg.norm(missed, axis=0)
        residuals = missed / np.minimum(sizes, largest * slopes)
        moves = missed / (np.maximum(np.abs(found), ZERO * largest) * slopes)
        weights = weights / sizes
    residuals, moves = (np.where(np.isfinite(own), own, np.inf) for own in (residuals, moves))
    return Modes(found, weights, residuals, moves)


def _rows(
    task: Task, activation: str, nodes: Nodes, points: Points
) -> tuple[Floats, Floats, Floats]:
    """The rows at zero, how they change with the eigenvalue, and the values of the fields."""
    problem = task.problem
    assembly = Assembly(task.whole, points, task.weights, task.start, task.scaling)
    system = assembly.system(activation)
    columns = system.evaluate(nodes)
    none = np.zeros((len(nodes), len(problem.fields)))

    asked = problem.asked

    def at(value: float) -> Floats:
        state = system.state_with(columns, none, np.where(asked, value, 0.0))
        linearization = system.linearize(state)
        nodal = columns.at(linearization).reshape(-1, system.rows)
        return np.concatenate([nodal, linearization.unknowns[~asked]]).T

    base = at(0.0)
    slope = at(1.0) - base
    network = Network(problem, task.start, activation, nodes, none, np.zeros(len(asked)))
    kept = np.concatenate([np.ones(none.size, dtype=bool), ~asked])
    own = [
        network.gradient(network.compile(item), inside)[kept].T
        for item, inside in at_home(problem, points)
    ]
    return base, slope, np.concatenate(own) / np.sqrt(len(everywhere(problem, points)))


def at_home(problem: Problem, points: Points) -> list[tuple[AppliedUndef, Floats]]:
    """Every field, with the points inside at which it has a meaning: those of its region."""
    return [(item, points[problem.equation_at_home(item)][0].points) for item in problem.fields]


def everywhere(problem: Problem, points: Points) -> Floats:
    """The points inside all regions together."""
    numbers = dict.fromkeys(problem.equation_at_home(item) for item in problem.fields)
    return np.concatenate([points[number][0].points for number in numbers])
