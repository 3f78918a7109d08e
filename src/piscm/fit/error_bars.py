"""Error bars of a fitted network, and what they imply for the status of the run."""

from dataclasses import replace

import numpy as np

from piscm.fit.refine import Refined
from piscm.inference.uncertainty import Uncertainty, uncertainty
from piscm.problem.problem import Problem
from piscm.result.status import Status

# A direction that hardly moves the unknowns that were asked for is no news.
_TOLD = 0.1


def error_bars(problem: Problem, refined: Refined, truncation: float) -> Uncertainty | None:
    """Error bars, if there are data or unknowns to have them."""
    if not (problem.asked.any() or problem.observations) or not len(refined.state.weights):
        return None
    if not refined.system.linearize(refined.state).finite:
        return None
    guesses = np.array(list(problem.unknowns.values()))
    sizes = np.maximum(np.abs(refined.state.unknowns), np.abs(guesses))
    sizes = np.where(sizes > 0, sizes, 1.0)
    errors = uncertainty(refined.system, refined.columns, refined.state, sizes, truncation)
    told = np.linalg.norm(errors.undetermined[:, problem.asked], axis=1) > _TOLD
    return replace(errors, undetermined=errors.undetermined[told])


def status_with(ended: Status, errors: Uncertainty | None, converged: bool) -> Status:
    """The status of the run, in view of what came after growth."""
    if ended.stopped or ended is Status.NOT_FINITE:
        return ended
    if errors is not None and len(errors.undetermined):
        return Status.UNDETERMINED
    missed = ended in (Status.NODE_LIMIT, Status.STALLED)
    return Status.CONVERGED if missed and converged else ended
