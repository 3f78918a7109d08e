"""The last word on a run: whether its answer can be relied on.

A method says how its growth or its fit ended. Here the error estimate, what the problem leaves open
and what the points cannot see are looked at as well.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.between import unseen_blocks
from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS
from piscm.inference.balance import unbalanced_equations
from piscm.inference.counting import counting_text
from piscm.inference.covering import bare_boundary
from piscm.inference.error_estimate import ErrorEstimate, estimate_error, unknown_error
from piscm.inference.information import undetermined_unknowns
from piscm.inference.obstacles import obstacles
from piscm.inference.singular_places import unfollowed_places
from piscm.inference.uncertainty import Uncertainty
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.problem.contents import uncertainty_of_integrals
from piscm.result.method import Outcome
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Growth ended with a residual above the tolerance; the error may be below it all the same.
_SHORT_OF_RESIDUAL = (Status.NODE_LIMIT, Status.HOPELESS, Status.STALLED)

_ANYTHING = (
    "a change of it leaves every equation and condition as it is; add a condition, such as a value "
    "at a point"
)


def judged(outcome: Outcome, tolerance: float, seed: int) -> Outcome:
    """The outcome with its final status, and with remarks on what a user must know."""
    network, status = outcome.model, outcome.status
    if status.stopped or status is Status.NOT_FINITE:
        return _with_obstacles(outcome)
    if not isinstance(network, Network) and outcome.error is None:
        return outcome
    try:
        if isinstance(network, Network) and not outcome.determined:
            bars = _with_open_unknowns(outcome, network, tolerance)
            outcome = replace(outcome, uncertainty=bars)
            if outcome.error is None and status.ok:
                known = estimate_error(network, seed, uncertainty=bars)
                outcome = replace(outcome, error=known)
        status, remarks = _status(outcome, network, tolerance)
        broken = unbalanced_equations(network) if status.ok else []
        if broken:
            told = ", ".join(f"equation {number}" for number in broken)
            remarks = (f"not met in a layer at the boundary: {told}; do conditions contradict it?",)
            status = Status.HOPELESS
        steep = unfollowed_places(network, outcome.residual, tolerance) if status.ok else []
        if steep:
            remarks = (f"not met where the gradient may be infinite: {_places(network, steep)}",)
            status = Status.HOPELESS
        doubtful = status.ok or status is Status.INACCURATE
        vague = uncertainty_of_integrals(network.problem) if doubtful else 0.0
        if vague > tolerance:
            remarks = (
                f"integrals over a cloud of points may be off by {100 * vague:.2g} %; give more "
                "points of the boundary",
            )
            status = Status.INACCURATE
        if status is Status.UNSEEN or broken or steep or vague > tolerance:  # no estimate saw it
            outcome = replace(outcome, error=unknown_error(network.problem))
    except STOPS as stop:
        return replace(outcome, status=Status.after(stop))
    return _with_obstacles(replace(outcome, status=status, remarks=remarks))


def _with_obstacles(outcome: Outcome) -> Outcome:
    """A run that failed, with what makes its solution rough."""
    if not outcome.status.failed or outcome.status is Status.UNDETERMINED:
        return outcome
    found = obstacles(outcome.model.problem)
    return replace(outcome, remarks=(*outcome.remarks, *found))


def _status(outcome: Outcome, network: Model, tolerance: float) -> tuple[Status, tuple[str, ...]]:
    status, error, uncertainty = outcome.status, outcome.error, outcome.uncertainty
    # Where no node helped, nothing is known of a solution: what is free at the start may not be so.
    begun = status is not Status.STALLED or outcome.model.n_nodes > 0
    if error is not None and error.free and begun:
        missing = counting_text(network.problem) or _bare_text(network)
        # Nodes that did not resolve the solution say little of what is free: a jump hides it.
        if missing or status not in _SHORT_OF_RESIDUAL or not obstacles(network.problem):
            return Status.UNDETERMINED, (_free_text(error, missing),)
    if uncertainty is not None and len(uncertainty.undetermined):
        return Status.UNDETERMINED, ()
    met = error is not None and error.relative <= tolerance
    if not status.ok and not (met and status in _SHORT_OF_RESIDUAL):
        return status, ()
    hidden = unseen_blocks(network, [block.rows for block in outcome.block_residuals])
    if hidden:
        return Status.UNSEEN, (f"varies between the points: {', '.join(hidden)}",)
    if error is not None and not error.relative <= tolerance:
        rest = np.sqrt(max(0.0, error.relative**2 - error.from_noise**2))
        noisy = rest <= max(tolerance, error.from_noise)
        return Status.NOISY if noisy else Status.INACCURATE, ()
    if outcome.bent:
        return Status.BENT, ()
    return status if status.ok else Status.CONVERGED, ()


def _free_text(error: ErrorEstimate, missing: str) -> str:
    """Which fields are free, and what would fix them."""
    return f"not determined: {', '.join(error.free)} ({missing or _ANYTHING})"


def _bare_text(network: Model) -> str:
    """Where a condition is missing on the boundary; empty if nowhere."""
    where = bare_boundary(Part.whole(network.problem), network)
    if where is None:
        return ""
    return f"no condition holds on the boundary near {_places(network, [where])}; add one there"


def _places(network: Model, points: Sequence[Floats]) -> str:
    """Some points by their coordinates."""
    names = network.problem.domain.coordinates
    each = [zip(names, np.round(point, 12) + 0.0, strict=True) for point in points]
    return "; ".join(", ".join(f"{name} = {value:.3g}" for name, value in own) for own in each)


def _with_open_unknowns(outcome: Outcome, network: Network, tolerance: float) -> Uncertainty | None:
    """The uncertainty with the unknowns that nothing determines."""
    found = outcome.uncertainty
    directions = undetermined_unknowns(network, tolerance, by_data=outcome.exact)
    if not len(directions):
        return found
    if found is None:
        columns = network.weights.size + network.unknowns.size
        return Uncertainty(np.full((1, columns), np.nan), directions, {})
    return replace(found, undetermined=np.concatenate([found.undetermined, directions]))
