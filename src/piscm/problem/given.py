"""What users hand over where Python or SymPy would take anything: flags, and parts of formulas."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from piscm.problem.errors import ProblemError, brief


def checked_flag(value: Any, what: str) -> bool:
    """True or False, and nothing that could stand for it."""
    if not isinstance(value, bool | np.bool_):
        raise ProblemError(f"{what} is {brief(value)}: give True or False.")
    return bool(value)


def checked_mapping(value: Any, what: str, such_as: str) -> Mapping[Any, Any]:
    """A mapping; an example of one is part of the message."""
    if not isinstance(value, Mapping):
        raise ProblemError(f"{what} is {brief(value)}: give a mapping, as {such_as}.")
    return value


def as_sympy(value: Any) -> Any:
    """What SymPy makes of something that is no text; None if it can make nothing of it.

    Of text SymPy would make what Python evaluates it to.
    """
    if isinstance(value, str | bytes | type):
        return None
    try:
        return sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, ValueError, AttributeError, RecursionError):
        return None


class Named(sympy.Function):  # type: ignore[misc]  # SymPy has no type hints
    """A function that may stand in formulas; its arguments are formulas, too."""

    def __new__(cls, *arguments: Any, **options: Any) -> Any:
        made = [as_sympy(own) for own in arguments]
        for own, given in zip(made, arguments, strict=True):
            if not isinstance(own, sympy.Expr):
                raise ProblemError(f"{cls.__name__}({brief(given)}): give a SymPy expression.")
        return super().__new__(cls, *made, **options)
