"""Residual blocks: the common form of equations, conditions and observations.

A block is an expression, the place where it must vanish (or equal something), and a weight.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.budget.clock import check_time
from piscm.compile.expression import Compiled
from piscm.compile.factors import without_known_factor
from piscm.compile.integral_terms import separated
from piscm.compile.integrals import IntegralRows
from piscm.compile.poles import without_poles
from piscm.problem.integrals import integrals_in
from piscm.problem.mosaic import Mosaic
from piscm.problem.place import Legs, Place, combined
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
    integrands : tuple of Compiled
        What the legs after the first one sum up, if that is not `compiled`.
    precision : ndarray or None
        The weight of each datum relative to their mean, where their noise differs.
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
    integrands: tuple[Compiled, ...] = ()
    precision: Floats | None = None

    def of_leg(self, number: int) -> Compiled:
        """The expression whose values at a leg's points become rows."""
        return self.integrands[number - 1] if number and self.integrands else self.compiled

    @cached_property
    def linear(self) -> bool:
        """Whether its rows are affine in jets and unknowns together, with constant partials."""
        return all(part.linear for part in (self.compiled, *self.integrands))

    @property
    def key(self) -> tuple[str, Hashable]:
        """Its name and place: a window may cut one condition into two blocks of the same name."""
        return self.name, self.place.key

    @property
    def observed(self) -> bool:
        """Whether its rows are data."""
        return self.kind == "observations"

    @property
    def spread(self) -> "Floats | float":
        """The standard deviation of each datum relative to `noise`."""
        return 1.0 if self.precision is None else self.precision**-0.5

    def kept(self, rows: "NDArray[np.bool_] | NDArray[np.intp]") -> "Block":
        """The same with some of its data."""
        assert self.data is not None
        precision = None if self.precision is None else self.precision[rows]
        return replace(self, data=self.data[rows], precision=precision)

    def residual(self, legs: Legs, values: Sequence[Floats]) -> Floats:
        """The rows from the values of the expression at each leg, shape (..., points)."""
        total, target = combined(legs, values), self.target(legs)
        return total if target is None else np.asarray(total - target)

    def target(self, legs: Legs) -> Floats | None:
        """The values the rows must equal; None means zero."""
        return self.data if self.inherited is None else self.inherited(self.compiled.seen(legs[0]))


def compile_blocks(problem: Problem) -> list[Block]:
    """All blocks of a problem, with distinct names: equations, conditions, observations."""
    return list(_compiled_blocks(problem))


@lru_cache(maxsize=8)  # checks, fit and result of one run ask for the same blocks
def _compiled_blocks(problem: Problem) -> tuple[Block, ...]:
    def compiled(expression: sympy.Expr, where: str) -> Compiled:
        check_time()
        return Compiled(expression, problem.fields, coordinates, unknowns, where)

    def block(name: str, kind: str, expression: sympy.Expr, place: Place, where: str) -> Block:
        if not integrals_in(expression):
            return Block(name, kind, compiled(expression, where), place)
        local, terms = separated(expression, unknowns, where)
        rows = IntegralRows(place, tuple(terms), coordinates, where)
        integrands = tuple(compiled(term.integrand, where) for term in terms)
        return Block(name, kind, compiled(local, where), rows, integrands=integrands)

    coordinates, unknowns = problem.domain.coordinates, tuple(problem.unknowns)
    blocks: list[Block] = []
    names = [name for name, _ in block_names(problem)]
    for number, equation in enumerate(problem.equations, start=1):
        name, where = names[len(blocks)], f"Equation {number}"
        plain = without_known_factor(equation, problem.domain, where)
        finite = without_poles(plain, problem.domain)
        place = problem.place_of_equation(number - 1)
        blocks.append(block(name, "equations", finite, place, where))
    for item in (*problem.conditions, *problem.observations, *problem.priors):
        made = block(names[len(blocks)], item.kind, item.expression, item.place, item.where)
        made = replace(made, weight=item.weight, data=item.data)
        blocks.append(replace(made, noise=item.sigma, loss=item.loss, precision=item.precision))
    return tuple(blocks)


def block_names(problem: Problem) -> list[tuple[str, str]]:
    """The name and the kind of every block; names are distinct."""
    several = len(problem.equations) > 1
    named = [
        (f"equation {number}" if several else "equation", "equations")
        for number, _ in enumerate(problem.equations, start=1)
    ]
    if isinstance(problem.domain, Mosaic):
        where = [problem.domain.names[region] for region in problem.in_regions]
        named = [(f"{name} in {own}", kind) for (name, kind), own in zip(named, where, strict=True)]
    others = (*problem.conditions, *problem.observations, *problem.priors)
    named += [(item.name, item.kind) for item in others]
    taken = [name for name, _ in named]
    return [(_distinct(name, taken[:index]), kind) for index, (name, kind) in enumerate(named)]


def _distinct(name: str, taken: Sequence[str]) -> str:
    """The name, numbered if it is already taken."""
    again = taken.count(name)
    return f"{name} ({again + 1})" if again else name
