"""What `solve` and `eigenpairs` are given, checked before any work."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.budget.budget import Budget
from piscm.budget.memory import default_memory
from piscm.compile.blocks import KINDS
from piscm.construct.checks import check_positive
from piscm.march.methods import Auto
from piscm.march.windowed import Windows
from piscm.network.network import Network
from piscm.network.start import Start
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.problem.requirement import checked_weight
from piscm.result.method import Method
from piscm.result.solution import Solution


def checked_method(method: Method | None, tol: float | None) -> Method:
    """The method, `Auto` by default, with another tolerance if one is given."""
    if method is None:
        method = Auto()
    if not isinstance(method, Method):
        kind = method.__name__ if isinstance(method, type) else type(method).__name__
        raise ProblemError(
            f"The method is {kind}; give PISC1(), PISC2(), PISC3(), Auto(), Windows(t), Patches() "
            "or one of piscm.baselines."
        )
    return method if tol is None else method.with_tolerance(tol)


def check_sampling(sampling: Any) -> None:
    """Refuse points that are none."""
    if sampling is not None and not isinstance(sampling, Sampling):
        raise ProblemError("sampling must be a Sampling, as Sampling(interior=1000, boundary=100).")


def budget_of(method: Method, max_seconds: float | None, max_memory: float | None) -> Budget:
    """What a run may take."""
    if max_seconds is not None:
        check_positive(max_seconds, "solve(max_seconds=...)")
    if max_memory is not None:
        check_positive(max_memory, "solve(max_memory=...)")
    seconds = method.time_limit if max_seconds is None else max_seconds
    return Budget.of(seconds, default_memory() if max_memory is None else max_memory)


def checked_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    """A weight for every kind of rows."""
    weights = {} if weights is None else weights
    if not isinstance(weights, Mapping):
        raise ProblemError("weights must be a mapping, as weights={'conditions': 10}.")
    for kind in weights:
        if kind not in KINDS:
            raise ProblemError(f"weights names {brief(kind)}; the kinds are {', '.join(KINDS)}.")
    return {kind: checked_weight(weights.get(kind, 1.0), kind) for kind in KINDS}


def checked_start(problem: Problem, method: Method, initial: Any) -> tuple[Start, Network | None]:
    """Where a run starts: expressions, and the network of another solution if one was given."""
    if not isinstance(initial, Solution):
        _check_no_text(initial)
        return Start(problem, initial), None
    guess = _checked_guess(problem, method, initial)
    begun = guess.start.expressions
    return Start(problem, {problem.fields[index]: own for index, own in begun.items()}), guess


def _checked_guess(problem: Problem, method: Method, other: Solution) -> Network:
    """The network of another solution, if the problem can begin with it."""
    network = other.network
    if not isinstance(method, Auto | Windows) or not isinstance(network, Network):
        raise ProblemError(
            "initial is a solution: Auto() and Windows(t) can begin with one that they found; "
            "other methods take expressions, as initial={u: 1 - x**2}."
        )
    same = network.problem.fields == problem.fields
    if not same or network.problem.domain.coordinates != problem.domain.coordinates:
        raise ProblemError(
            f"initial is a solution for {brief(network.problem.fields)}, and the problem is for "
            f"{brief(problem.fields)}: fields and coordinates must be the same."
        )
    if not len(network.nodes) or not network.solved_everywhere:
        raise ProblemError("initial is a solution that is not complete: solve its problem first.")
    return network


def _check_no_text(initial: Any) -> None:
    """Refuse starting values that are text, of which SymPy would make what Python evaluates."""
    for item, written in initial.items() if isinstance(initial, Mapping) else ():
        if isinstance(written, str):
            raise ProblemError(
                f"The starting value of {brief(item)} is text ({brief(written)}); write it with "
                "SymPy symbols."
            )


def check_watchers(progress: Any, callback: Any) -> None:
    """Refuse what can neither show nor follow a run."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ProblemError(f"progress={brief(progress)}: give True, False, None or a function.")
    if not (callback is None or callable(callback)):
        raise ProblemError(f"callback={brief(callback)}: give a function of one argument.")


def generator(seed: int) -> np.random.Generator:
    """The only source of random numbers of a run."""
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise ProblemError(f"seed={brief(seed)}: give a whole number from 0 up.")
    return np.random.default_rng(int(seed))
