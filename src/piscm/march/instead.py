"""Patches where one network does not do: high wave numbers, several scales."""

import copy
from dataclasses import replace

import numpy as np

from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS, OutOfTimeError
from piscm.patches.cutting import check_places
from piscm.patches.run import Asked, run_patches
from piscm.problem.box import Box
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.history import HISTORY, as_history
from piscm.result.method import Outcome, Request
from piscm.result.status import Status

# How a run ends that could not resolve the solution.
_UNRESOLVED = (Status.HOPELESS, Status.NODE_LIMIT, Status.STALLED)


def patches_first(request: Request, asked: Asked) -> Outcome | None:
    """Patches that meet the tolerance, where a small look shows scales too fine for one network.

    Only for linear problems, whose trials take one least-squares solve each. None if the solution
    is smooth, or if patches do not do either.
    """
    problem = request.problem
    part = Part.whole(problem)
    linear = all(block.linear for block in part.blocks)
    plain = isinstance(problem.domain, Box) and problem.domain.dimension <= 2
    if not linear or not plain or request.sampling is not None or not _may_be_cut(problem):
        return None
    # The random numbers of what follows must not depend on whether there was a look.
    own = replace(request, rng=copy.deepcopy(request.rng))
    try:
        found = run_patches(own, replace(asked, fine_only=True))
    except OutOfTimeError:
        return None
    return _as_network(found, found.tried) if found.status is Status.CONVERGED else None


def patches_instead(request: Request, outcome: Outcome, asked: Asked) -> Outcome:
    """The outcome, or that of patches if it is better; error bars of data have only networks."""
    error = np.inf if outcome.error is None else outcome.error.relative
    if outcome.status not in _UNRESOLVED or error <= asked.tolerance:
        return outcome
    if (outcome.error is not None and outcome.error.free) or not _may_be_cut(request.problem):
        return outcome
    try:
        other = run_patches(request, asked)
    except STOPS as stop:
        return replace(outcome, status=Status.after(stop))
    tried = (*outcome.tried, *other.tried)
    if other.error is None or not other.error.relative < error:
        return replace(outcome, tried=tried)
    return _as_network(other, tried)


def _as_network(found: Outcome, tried: tuple[str, ...]) -> Outcome:
    """With one record a node in the history, as networks have it."""
    history = np.zeros(found.model.n_nodes, dtype=HISTORY)
    history["residual"], history["rank"] = found.residual, np.nan
    return replace(found, tried=tried, history=as_history(history))


def _may_be_cut(problem: Problem) -> bool:
    if problem.unknowns or problem.observations:
        return False
    try:
        check_places(Part.whole(problem))
    except ProblemError:
        return False
    return True
