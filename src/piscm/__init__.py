"""Differential equations solved by a network grown by least squares instead of trained.

>>> import numpy as np
>>> from piscm import Box, Condition, PISC3, Problem, Sampling, coordinates, field, solve

Write the equation with SymPy, as an expression that must vanish. Here is a pendulum released from
rest at an angle of one radian:

>>> t = coordinates("t")
>>> u = field("u", t)
>>> import sympy
>>> pendulum = Problem(
...     domain=Box({t: (0, 3)}),
...     equations=[u.diff(t, 2) + sympy.sin(u)],
...     conditions=[Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
... )

Solve it, and call the solution like a function, for the field or for any expression in it:

>>> solution = solve(pendulum, PISC3(max_nodes=40, scale=3.0), sampling=Sampling(interior=100))
>>> angle = solution(t=np.linspace(0, 3, 4))
>>> energy = solution(u.diff(t) ** 2 / 2 - sympy.cos(u), t=np.linspace(0, 3, 4))
>>> bool(np.allclose(energy, -np.cos(1.0), atol=1e-6))
True
"""

import logging
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from piscm import baselines, plots, zoo
    from piscm.assemble.sampling import Sampling
    from piscm.construct.local import Local
    from piscm.construct.orthogonal import Orthogonal
    from piscm.eigen import eigenpairs
    from piscm.ensembles import ensemble
    from piscm.files import ProblemFile, read_problem_file
    from piscm.fit.eigenmode import Eigenmode
    from piscm.fit.pisc import PISC1, PISC2, PISC3
    from piscm.loading import load
    from piscm.march.methods import Auto
    from piscm.march.patched import Patches
    from piscm.march.policy import MarchPolicy
    from piscm.march.windowed import Windows
    from piscm.problem.box import Box
    from piscm.problem.calculus import curl, div, dot, grad, laplacian
    from piscm.problem.conditions import Condition, Periodic
    from piscm.problem.errors import ProblemError
    from piscm.problem.integrals import here, integral
    from piscm.problem.normals import normal, normal_derivative
    from piscm.problem.observations import Observations
    from piscm.problem.polar_power import polar_power
    from piscm.problem.priors import Prior
    from piscm.problem.problem import Problem
    from piscm.problem.region import Region
    from piscm.problem.samples import sampled
    from piscm.problem.symbols import coordinates, field, unknown
    from piscm.problem.systems import cylindrical, polar, spherical
    from piscm.result.functions import FieldFunction
    from piscm.result.progress import Progress
    from piscm.result.solution import Solution
    from piscm.result.status import Status
    from piscm.shapes.ball import Ball, Disk
    from piscm.shapes.brick import Brick, Interval, Rectangle
    from piscm.shapes.cloud import PointCloud
    from piscm.shapes.cylinder import Cylinder
    from piscm.shapes.ellipse import Ellipse
    from piscm.shapes.files import read_mesh
    from piscm.shapes.mesh import Mesh
    from piscm.shapes.polygon import Polygon
    from piscm.shapes.singular import singular_functions
    from piscm.solver import NotConverged, solve
    from piscm.sweeping import sweep

__version__ = version("piscm")

# What a run does is logged under "piscm"; nothing is shown unless the user asks for it.
logging.getLogger(__name__).addHandler(logging.NullHandler())

# Names are loaded on first use: SymPy alone takes half a second to import.
_WHERE = {
    "Auto": "march.methods",
    "Ball": "shapes.ball",
    "Box": "problem.box",
    "Brick": "shapes.brick",
    "Condition": "problem.conditions",
    "Cylinder": "shapes.cylinder",
    "Disk": "shapes.ball",
    "Eigenmode": "fit.eigenmode",
    "Ellipse": "shapes.ellipse",
    "Interval": "shapes.brick",
    "Local": "construct.local",
    "MarchPolicy": "march.policy",
    "Mesh": "shapes.mesh",
    "FieldFunction": "result.functions",
    "NotConverged": "solver",
    "Observations": "problem.observations",
    "Orthogonal": "construct.orthogonal",
    "PISC1": "fit.pisc",
    "PISC2": "fit.pisc",
    "PISC3": "fit.pisc",
    "Patches": "march.patched",
    "Periodic": "problem.conditions",
    "PointCloud": "shapes.cloud",
    "Polygon": "shapes.polygon",
    "Problem": "problem.problem",
    "Prior": "problem.priors",
    "ProblemError": "problem.errors",
    "ProblemFile": "files",
    "Progress": "result.progress",
    "Rectangle": "shapes.brick",
    "Region": "problem.region",
    "Sampling": "assemble.sampling",
    "Solution": "result.solution",
    "Status": "result.status",
    "Windows": "march.windowed",
    "coordinates": "problem.symbols",
    "curl": "problem.calculus",
    "cylindrical": "problem.systems",
    "div": "problem.calculus",
    "dot": "problem.calculus",
    "eigenpairs": "eigen",
    "ensemble": "ensembles",
    "field": "problem.symbols",
    "grad": "problem.calculus",
    "here": "problem.integrals",
    "integral": "problem.integrals",
    "read_problem_file": "files",
    "laplacian": "problem.calculus",
    "load": "loading",
    "normal": "problem.normals",
    "normal_derivative": "problem.normals",
    "polar_power": "problem.polar_power",
    "polar": "problem.systems",
    "read_mesh": "shapes.files",
    "sampled": "problem.samples",
    "singular_functions": "shapes.singular",
    "solve": "solver",
    "sweep": "sweeping",
    "spherical": "problem.systems",
    "unknown": "problem.symbols",
}
_MODULES = ("baselines", "plots", "zoo")

__all__ = [
    "PISC1",
    "PISC2",
    "PISC3",
    "Auto",
    "Ball",
    "Box",
    "Brick",
    "Condition",
    "Cylinder",
    "Disk",
    "Eigenmode",
    "Ellipse",
    "FieldFunction",
    "Interval",
    "Local",
    "MarchPolicy",
    "Mesh",
    "NotConverged",
    "Observations",
    "Orthogonal",
    "Patches",
    "Periodic",
    "PointCloud",
    "Polygon",
    "Prior",
    "Problem",
    "ProblemError",
    "ProblemFile",
    "Progress",
    "Rectangle",
    "Region",
    "Sampling",
    "Solution",
    "Status",
    "Windows",
    "baselines",
    "coordinates",
    "curl",
    "cylindrical",
    "div",
    "dot",
    "eigenpairs",
    "ensemble",
    "field",
    "grad",
    "here",
    "integral",
    "laplacian",
    "load",
    "normal",
    "normal_derivative",
    "plots",
    "polar",
    "polar_power",
    "read_mesh",
    "read_problem_file",
    "sampled",
    "singular_functions",
    "solve",
    "spherical",
    "sweep",
    "unknown",
    "zoo",
]

if not TYPE_CHECKING:  # a type checker sees only the names above

    def __getattr__(name):
        """Load a public name from its room."""
        if name in _MODULES:
            return import_module(f"piscm.{name}")
        if name not in _WHERE:
            raise AttributeError(f"module 'piscm' has no attribute {name!r}")
        found = getattr(import_module(f"piscm.{_WHERE[name]}"), name)
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *__all__})
