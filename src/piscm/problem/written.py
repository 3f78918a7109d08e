"""The types a user may write for an expression, a number or the guess of an unknown."""

from typing import TypeAlias

import numpy as np
import sympy

Number: TypeAlias = int | float | np.integer | np.floating | sympy.Expr
"""A Python, NumPy or SymPy number."""

Expression: TypeAlias = sympy.Expr | sympy.Eq
"""An expression that must vanish, or an equation."""

Guess: TypeAlias = Number | tuple[Number, Number | None, Number | None]
"""A first guess, or a guess with a lower and an upper bound (None for no bound)."""
