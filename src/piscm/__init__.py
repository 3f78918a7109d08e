"""Differential equations solved by a network that is grown by least squares, not trained.

>>> import numpy as np
>>> from piscm import Box, Condition, PISC3, Problem, Sampling, coordinates, field, solve

Write the equation with SymPy; what is given must vanish. Here is a pendulum, at rest at an angle
of one radian:

>>> t = coordinates("t")
>>> u = field("u", t)
>>> import sympy
>>> pendulum = Problem(
...     domain=Box({t: (0, 3)}),
...     equations=[u.diff(t, 2) + sympy.sin(u)],
...     conditions=[Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
... )

Solve it, and call the solution like a function, or ask for any expression in it:

>>> solution = solve(pendulum, PISC3(max_nodes=40, scale=3.0), sampling=Sampling(interior=100))
>>> angle = solution(t=np.linspace(0, 3, 4))
>>> energy = solution(u.diff(t) ** 2 / 2 - sympy.cos(u), t=np.linspace(0, 3, 4))
>>> bool(np.allclose(energy, -np.cos(1.0), atol=1e-6))
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from piscm.assemble.sampling import Sampling
from piscm.fit.pisc import PISC1, PISC2, PISC3
from piscm.loading import load
from piscm.march.methods import Auto, Windows
from piscm.problem.box import Box
from piscm.problem.conditions import Condition, Observations, Periodic
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field, unknown
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.solve import NotConverged, solve

if TYPE_CHECKING:
    from piscm import plots, zoo

__version__ = "0.1.0"

__all__ = [
    "PISC1",
    "PISC2",
    "PISC3",
    "Auto",
    "Box",
    "Condition",
    "NotConverged",
    "Observations",
    "Periodic",
    "Problem",
    "ProblemError",
    "Sampling",
    "Solution",
    "Status",
    "Windows",
    "coordinates",
    "field",
    "load",
    "plots",
    "solve",
    "unknown",
    "zoo",
]


def __getattr__(name: str) -> Any:
    """Pictures and the zoo are loaded when they are first asked for."""
    if name in ("plots", "zoo", "baselines"):
        return import_module(f"piscm.{name}")
    raise AttributeError(f"module 'piscm' has no attribute {name!r}")
