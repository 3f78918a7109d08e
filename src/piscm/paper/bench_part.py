"""A part of `piscm bench`: cases that are measured one after the other, and what comes of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from piscm.assemble.sampling import Sampling
from piscm.construct.methods import Method
from piscm.march.options import Auto
from piscm.problem.problem import Problem
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.solve import solve

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One measurement.

    Attributes
    ----------
    title : str
        What the progress bar says.
    effort : float
        About how many seconds it takes, by which the bar estimates the rest.
    measure : callable
        Makes the measurement.
    """

    title: str
    effort: float
    measure: Callable[[], Row]


@dataclass(frozen=True)
class Part:
    """Measurements that make one table.

    Attributes
    ----------
    name, title, note : str
        What it is called on the command line and above its table, and how the table is read.
    columns : tuple of str
        The columns of the table, on the screen and in the file.
    cases : sequence of Case
    summary : callable
        The rows of the table, from those that were measured.
    """

    name: str
    title: str
    note: str
    columns: tuple[str, ...]
    cases: Sequence[Case]
    summary: Callable[[list[Row]], list[Row]]


def solved(
    problem: Problem, method: Method | Auto, sampling: Sampling | None, seed: int
) -> Solution:
    """A solution without a progress bar of its own.

    `solve` gives back what it has when it is interrupted; a measurement of that means nothing.
    """
    solution = solve(problem, method, sampling=sampling, seed=seed, progress=False)
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return solution
