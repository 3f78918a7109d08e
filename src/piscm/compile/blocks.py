"""Residual blocks: the common form of equations, conditions and observations.

A block is an expression, the place where it must vanish (or equal something), and a weight.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.budget.clock import check_time
from piscm.compile.expression import Compiled
from piscm.problem.place import Legs, Place, combined
from piscm.problem.places import Interior
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

KINDS = ("equations", "conditions", "observations")


@dataclass(frozen=True)
class Block:
    """One kind of row: an expression, its place, and the value it must have there.

    Attributes
    ----------
    name : str
        A name for people to read.
    kind : str
        "equations", "conditions" or "observations".
    compiled : Compiled
    place : Place
    weight : float
        Its weight relative to others of its kind.
    data : ndarray or None
        The values the expression must equal, one per row.
    inherited : callable or None
        The same as a function of the points, from the previous window.
    noise : float or None
        The standard deviation of the data, if the user gave it.
    loss : str
        "square" or "huber".
    """

    name: str
    kind: str
    compiled: Compiled
    place: Place
    weight: float = 1.0
    data: Floats | None = None
    inherited: Callable[[Floats], Floats] | None = None
    noise: float | None = None
    loss: str = "square"

    @property
    def key(self) -> tuple[str, Hashable]:
        """Its name and place: a window may cut one condition into two blocks of the same name."""
        return self.name, self.place.key

    @property
    def observed(self) -> bool:
        """Whether its rows are data."""
        return self.kind == "observations"

    def residual(self, legs: Legs, values: Sequence[Floats]) -> Floats:
        """The rows from the values of the expression at each leg, shape (..., points)."""
        total, target = combined(legs, values), self.target(legs)
        return total if target is None else np.asarray(total - target)

    def target(self, legs: Legs) -> Floats | None:
        """The values the rows must equal; None means zero."""
        return self.data if self.inherited is None else self.inherited(legs[0].points)


def compile_blocks(problem: Problem) -> list[Block]:
    """All blocks of a problem, with distinct names: equations, conditions, observations."""
    return list(_compiled_blocks(problem))


@lru_cache(maxsize=8)  # checks, fit and result of one run ask for the same blocks
def _compiled_blocks(problem: Problem) -> tuple[Block, ...]:
    def compiled(expression: sympy.Expr, where: str) -> Compiled:
        check_time()
        return Compiled(
            expression, problem.fields, problem.domain.coordinates, tuple(problem.unknowns), where
        )

    blocks: list[Block] = []
    names = [name for name, _ in block_names(problem)]
    for number, equation in enumerate(problem.equations, start=1):
        function = compiled(equation, f"Equation {number}")
        blocks.append(Block(names[len(blocks)], "equations", function, Interior()))
    for item in (*problem.conditions, *problem.observations):
        function, name = compiled(item.expression, item.where), names[len(blocks)]
        block = Block(name, item.kind, function, item.place, item.weight, item.data)
        blocks.append(replace(block, noise=item.noise, loss=item.loss))
    return tuple(blocks)


def block_names(problem: Problem) -> list[tuple[str, str]]:
    """The name and the kind of every block; names are distinct."""
    several = len(problem.equations) > 1
    named = [
        (f"equation {number}" if several else "equation", "equations")
        for number, _ in enumerate(problem.equations, start=1)
    ]
    named += [(item.name, item.kind) for item in (*problem.conditions, *problem.observations)]
    taken = [name for name, _ in named]
    return [(_distinct(name, taken[:index]), kind) for index, (name, kind) in enumerate(named)]


def _distinct(name: str, taken: Sequence[str]) -> str:
    """The name, numbered if it is already taken."""
    again = taken.count(name)
    return f"{name} ({again + 1})" if again else name
