"""A whole run in patches, and what becomes of its best trial."""

from contextlib import closing

import numpy as np

from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS
from piscm.fit.residuals import block_residuals
from piscm.inference.error_estimate import ErrorEstimate
from piscm.patches.asked import MOST_PATCHES, Asked
from piscm.patches.crew import crew_of
from piscm.patches.cutting import check_places
from piscm.patches.data import WithBars, with_bars
from piscm.patches.search import FREE, Search
from piscm.patches.trial import Trial
from piscm.patches.workshop import Workshop
from piscm.result.history import history_of
from piscm.result.method import Outcome, Request
from piscm.result.status import Status

# Data that are missed by this fraction of them contradict the rest.
_LOST = 0.5


def workshop_of(request: Request, part: Part, asked: Asked, key: int) -> Workshop:
    """Where trials of a problem, or of a window of it, are made."""
    return Workshop(
        part,
        request.start,
        request.weights,
        asked.activation,
        asked.scale,
        key,
        request.sampling,
        crew_of(request.executor),
    )


def run_patches(request: Request, asked: Asked) -> Outcome:
    """Solve a problem in patches."""
    part = Part.whole(request.problem)
    check_places(part)
    fresh_rng, run_rng = request.rng.spawn(2)
    key = int(run_rng.integers(2**62))
    workshop = workshop_of(request, part, asked, key)
    with closing(workshop.crew):
        return _outcome(request, workshop, asked, fresh_rng)


def _outcome(
    request: Request, workshop: Workshop, asked: Asked, fresh_rng: np.random.Generator
) -> Outcome:
    part = workshop.part
    with request.reporting(MOST_PATCHES, "solving", "patches") as report:
        report.expects(asked.tolerance)
        search = Search(workshop, asked, report)
        status = search.finished()
        best, past = search.best, search.past
        assert best is not None
        status, bars = _noisy(search, best, status, asked.tolerance)
    if bars is not None:
        best = bars.trial
    error = error_of(best, asked.tolerance)
    met = [
        (best.model, block, legs)
        for block, legs in zip(part.blocks, best.cutting.points, strict=True)
    ]
    sampling = best.cutting.sampling
    table, status = block_residuals(
        best.model, part, met, sampling, fresh_rng, status, best.residuals
    )
    return Outcome(
        model=best.model,
        status=status,
        residual=best.error,
        block_residuals=table,
        history=history_of([trial.error for trial in past], [trial.seconds for trial in past]),
        sampling=sampling,
        error=error if bars is None else bars.error(error),
        uncertainty=None if bars is None else bars.uncertainty,
        tried=tuple(told(trial) for trial in past),
    )


def _noisy(
    search: Search, best: Trial, status: Status, tolerance: float
) -> tuple[Status, WithBars | None]:
    """What noise does, where there are data or unknowns."""
    problem = search.workshop.part.problem
    if status.stopped or best.trivial or not (problem.observations or problem.asked.any()):
        return status, None
    try:
        bars = with_bars(search.workshop, best, tolerance)
    except STOPS as stop:
        return Status.after(stop), None
    if bars.misfit > _LOST:
        return Status.MISFIT, bars
    # What is due to noise is no fault of the nodes.
    met = bars.trial.estimate <= max(tolerance, bars.relative)
    if status is Status.HOPELESS and met:
        status = Status.CONVERGED
    return status, bars


def told(trial: Trial) -> str:
    """A trial in a few words: its patches, their nodes, its residual."""
    shape = " × ".join(map(str, trial.level.shape))
    grown = f", twice as many in {len(trial.level.grown)}" if trial.level.grown else ""
    return f"{shape} patches of {trial.level.nodes} nodes{grown}: {trial.error:.0e}"


def error_of(trial: Trial, tolerance: float) -> ErrorEstimate:
    """The estimated error; infinite where the fields are free or nothing is known."""
    names = [str(item.func) for item in trial.model.problem.fields]
    free = tuple(
        name for name, size in zip(names, trial.amplification, strict=True) if not size < FREE
    )
    if trial.trivial and not free:
        return ErrorEstimate(0.0, dict.fromkeys(names, 0.0))
    if free or trial.rival is None:
        each = dict.fromkeys(names, np.inf)
        return ErrorEstimate(np.inf, each, free=free)
    errors = trial.rival.widened(trial.by_field, trial.hidden(tolerance))
    return ErrorEstimate(trial.rival.relative(errors), dict(zip(names, errors, strict=True)))
