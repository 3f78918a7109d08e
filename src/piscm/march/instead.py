"""Patches where one network does not do: high wave numbers, several scales, fronts."""

from dataclasses import replace

import numpy as np

from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS
from piscm.march.enriched import enriched
from piscm.patches.asked import Asked
from piscm.patches.cutting import check_places
from piscm.patches.run import run_patches
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.history import HISTORY, as_history
from piscm.result.method import Outcome, Request
from piscm.result.status import Status

# Of how many dimensions domains may be.
_FLAT = 2
# A nonlinear problem takes several solves a trial: so many times fewer patches are tried.
_SEVERAL = 4
UNRESOLVED = (Status.HOPELESS, Status.NODE_LIMIT, Status.STALLED)
"""How a run ends that could not resolve the solution."""


def patches_instead(request: Request, outcome: Outcome, asked: Asked) -> Outcome:
    """The outcome, or that of patches if it is better; error bars of data have only networks."""
    error = np.inf if outcome.error is None else outcome.error.relative
    if outcome.status not in UNRESOLVED or error <= asked.tolerance:
        return outcome
    if (outcome.error is not None and outcome.error.free) or not may_be_cut(request.problem):
        return outcome
    if enriched(request.problem, outcome) is not None:  # corners and holes are for those
        return outcome
    if not all(block.linear for block in Part.whole(request.problem).blocks):
        asked = replace(asked, most=max(1, asked.most // _SEVERAL))
    try:
        other = run_patches(request, asked)
    except STOPS as stop:
        return replace(outcome, status=Status.after(stop))
    tried = (*outcome.tried, *other.tried)
    if other.error is None or not other.error.relative < error:
        return replace(outcome, tried=tried)
    return as_network(replace(other, tried=tried))


def as_network(found: Outcome) -> Outcome:
    """With one record a node in the history, as networks have it."""
    history = np.zeros(found.model.n_nodes, dtype=HISTORY)
    history["residual"], history["rank"] = found.residual, np.nan
    return replace(found, history=as_history(history))


def may_be_cut(problem: Problem) -> bool:
    """Whether patches can be, and take a bounded time: few unknowns on their faces."""
    if problem.unknowns or problem.observations or problem.in_regions or problem.singular:
        return False
    if problem.domain.dimension > _FLAT:
        return False
    try:
        check_places(Part.whole(problem))
    except ProblemError:
        return False
    return True
