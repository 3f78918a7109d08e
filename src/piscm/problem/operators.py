"""Operators of geometry by the names that they have in text."""

from collections.abc import Callable
from typing import Any

from piscm.problem.functions import OPERATORS
from piscm.problem.integrals import here, integral_in_text
from piscm.problem.normals import normal, normal_derivative

BY_NAME: dict[str, Callable[..., Any]] = dict(
    zip(OPERATORS, (normal, normal_derivative, integral_in_text, here), strict=True)
)
