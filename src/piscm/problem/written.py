"""What a user may write where an expression, a number or an unknown's guess is asked for."""

from typing import TypeAlias

import numpy as np
import sympy

Number: TypeAlias = int | float | np.integer | np.floating | sympy.Expr
"""A number of Python, NumPy or SymPy."""

Expression: TypeAlias = sympy.Expr | sympy.Eq
"""An expression that must vanish, or an equation."""

Guess: TypeAlias = Number | tuple[Number, Number | None, Number | None]
"""A first guess, or a guess with a lower and an upper bound (None for no bound)."""
