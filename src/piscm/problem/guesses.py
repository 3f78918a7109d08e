"""First guesses of unknowns, and their bounds."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.numeric import finite_number
from piscm.problem.priors import Prior
from piscm.problem.symbols import checked_name


def intervals(unknowns: Any, domain: Domain) -> dict[sympy.Symbol, tuple[float, float, float]]:
    """Guess, lower and upper bound of each unknown."""
    if unknowns is None:
        return {}
    if not isinstance(unknowns, Mapping):
        raise ProblemError("unknowns must map each unknown to its first guess, as {mu: 0.1}.")
    taken = {coordinate.name for coordinate in domain.coordinates}
    for symbol in unknowns:
        if not isinstance(symbol, sympy.Symbol):
            raise ProblemError(f"unknowns holds {brief(symbol)}: make it with unknown(...).")
        if symbol in domain.coordinates:
            raise ProblemError(f"{symbol} is a coordinate of the domain, not an unknown.")
        if checked_name(symbol.name) in taken:
            raise ProblemError(f"{symbol.name!r} names two things: choose another name for one.")
        taken.add(symbol.name)
    return {symbol: interval(symbol, given) for symbol, given in unknowns.items()}


def interval(symbol: sympy.Symbol, given: Any) -> tuple[float, float, float]:
    """Guess, lower and upper bound of an unknown, as a user gives them."""
    guess, low, high = given, None, None
    if isinstance(given, Prior):
        given = given.interval
    if isinstance(given, tuple | list):
        if len(given) != 3:
            raise ProblemError(
                f"The unknown {symbol} has {brief(given)}; give a first guess, or "
                "(guess, low, high)."
            )
        guess, low, high = given
    value = finite_number(guess, f"The first guess of {symbol}")
    lower = -np.inf if _open(low, -np.inf) else finite_number(low, f"The lower bound of {symbol}")
    upper = np.inf if _open(high, np.inf) else finite_number(high, f"The upper bound of {symbol}")
    if symbol.is_positive:
        lower = max(lower, 0.0)
        if value <= 0:
            raise ProblemError(
                f"The unknown {symbol} is positive, but its first guess is {value:g}."
            )
    if not (lower < upper and lower <= value <= upper):
        raise ProblemError(
            f"The unknown {symbol} has the first guess {value:g}, which is not between its bounds "
            f"{lower:g} and {upper:g}."
        )
    return value, lower, upper


def _open(bound: Any, end: float) -> bool:
    return bound is None or (isinstance(bound, float | sympy.Expr) and bound == end)
