"""Operators by the names that they have in text."""

from collections.abc import Callable
from typing import Any

from piscm.problem.calculus import curl, div, dot, grad, laplacian
from piscm.problem.functions import CALCULUS, OPERATORS, SYSTEMS
from piscm.problem.integrals import here, integral_in_text
from piscm.problem.normals import normal, normal_derivative
from piscm.problem.systems import cylindrical, polar, spherical

_OF_SCALARS: tuple[Callable[..., Any], ...] = (
    normal,
    normal_derivative,
    integral_in_text,
    here,
    polar,
    cylindrical,
    spherical,
)

BY_NAME: dict[str, Callable[..., Any]] = dict(zip((*OPERATORS, *SYSTEMS), _OF_SCALARS, strict=True))
"""Operators whose arguments are scalars."""

OF_VECTORS: dict[str, Callable[..., Any]] = dict(
    zip(CALCULUS, (grad, div, laplacian, curl, dot), strict=True)
)
"""Operators that take or give vectors."""
