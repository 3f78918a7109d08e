"""Windows along a coordinate, each in patches.

Every window is solved until two trials agree. What errors become later in the march no window can
tell, so there is a second, coarser march: its distance from the first one is its error, all that
was handed on included.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.marching import runs_backward
from piscm.assemble.sampling import Sampling
from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS
from piscm.compile.expression import Compiled
from piscm.fit.residuals import block_residuals
from piscm.inference.error_estimate import ErrorEstimate
from piscm.march.begin import with_finite_start
from piscm.network.patchwork import Patchwork, side_by_side
from piscm.patches.asked import Asked, Begun
from piscm.patches.cutting import check_places
from piscm.patches.distance import distance
from piscm.patches.levels import Level
from piscm.patches.run import error_of, told, workshop_of
from piscm.patches.search import Search
from piscm.patches.trial import Trial
from piscm.problem.problem import Problem
from piscm.result.history import history_of
from piscm.result.method import Outcome, Request
from piscm.result.progress import Watcher
from piscm.result.status import Status

Floats = NDArray[np.float64]

# What a window may add to the error, relative to the tolerance.
_AIM = 0.4
# If the error of all windows together misses the tolerance, they are solved again, this often.
_REPEATS, _MARGIN, _CLOSEST = 2, 3.0, 1e-3
# Windows whose length is chosen are not shorter than this part of the whole; after one that was
# solved the next may be longer by this factor.
_LONGER = 1.5
_SHORTEST = 2.0**-10
# However small the fields of a window are, they are solved to this.
_LOOSEST = 1e-2
# Points at which two marches are compared.
_LOOKS = 2000


@dataclass(frozen=True)
class Held:
    """The fields at the end of a window, held constant beyond."""

    model: Patchwork
    axis: int
    end: float

    @property
    def unknowns(self) -> Floats:
        return self.model.unknowns

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        there = points.copy()
        there[:, self.axis] = self.end
        jets = self.model.jets(compiled, there)
        for row, jet in zip(jets, compiled.jets, strict=True):
            if jet.orders[self.axis]:
                row[:] = 0.0
        return jets


@dataclass(frozen=True)
class Done:
    """A window that was solved."""

    low: float
    high: float
    part: Part
    trial: Trial
    past: tuple[Trial, ...]
    status: Status
    factor: float

    @property
    def size(self) -> float:
        """The root mean square of the fields."""
        model = self.trial.model
        points = looks(model.problem)
        return float(
            np.sqrt(
                sum(
                    np.mean(model.value(model.compile(item), points) ** 2)
                    for item in model.problem.fields
                )
            )
        )


class PatchWindows:
    """A march whose windows are solved in patches.

    Parameters
    ----------
    request : Request
    asked : Asked
        Of each window, but for the tolerance, which is that of the whole.
    coordinate : sympy.Symbol
    count : int or None
        Windows of equal length; None halves those that miss their tolerance.
    """

    def __init__(
        self, request: Request, asked: Asked, coordinate: sympy.Symbol, count: int | None
    ) -> None:
        self._request = with_finite_start(request, coordinate)
        self._asked, self._coordinate, self._count = asked, coordinate, count
        self._whole = Part.whole(request.problem)
        self._axis = request.problem.domain.axis(coordinate)
        self._backward = runs_backward(request.problem, coordinate)
        self._fresh_rng, rng = request.rng.spawn(2)
        self._key = int(rng.integers(2**62))

    def outcome(self) -> Outcome:
        """All windows, and what is known of their error."""
        check_places(self._whole)
        with self._request.reporting(self._asked.most, "solving", "patches") as report:
            report.expects(self._asked.tolerance)
            done, status, error = self.solved(report)
        return self.told(done, status, error)

    def at(self, problem: Problem) -> "PatchWindows":
        """The same march of a similar problem, with the same nodes and points."""
        other = copy(self)
        other._request = replace(self._request, problem=problem)
        other._whole = Part.whole(problem)
        return other

    def solved(self, report: Watcher) -> tuple[list[Done], Status, ErrorEstimate | None]:
        """March, and march again with a closer aim where the error grew on the way."""
        tolerance, aim = self._asked.tolerance, _AIM
        done, status = self._marched(aim * tolerance, report)
        try:
            error = None if status.stopped else self.error(done)
            for _ in range(_REPEATS if tolerance > 0 else 0):
                if status is not Status.CONVERGED or error is None or error.free:
                    break
                if error.relative <= tolerance or not np.isfinite(error.relative):
                    break
                aim *= max(_CLOSEST, tolerance / (_MARGIN * error.relative))
                other, ended = self._marched(aim * tolerance, report)
                if ended is not Status.CONVERGED:
                    break
                found = self.error(other)
                if not found.relative < error.relative:
                    break
                done, error = other, found
        except STOPS as stop:
            return done, Status.after(stop), None
        if error is not None and error.relative <= tolerance and status is Status.HOPELESS:
            status = Status.CONVERGED
        return done, status, error

    # --- windows ----------------------------------------------------------------------------

    def _marched(self, tolerance: float, report: Watcher) -> tuple[list[Done], Status]:
        low, high = self._request.problem.domain.span(self._coordinate)
        report.marches(self._coordinate.name, *((high, low) if self._backward else (low, high)))
        done: list[Done] = []
        try:
            for window in self._windows(low, high, tolerance, report):
                done.append(window)
                report.reached(window.low if self._backward else window.high, len(done))
        except STOPS as stop:
            if not done:
                raise
            return done, Status.after(stop)
        endings = [window.status for window in done]
        for ending in (Status.UNDETERMINED, Status.HOPELESS):
            if ending in endings:
                return done, ending
        return done, done[-1].status if done[-1].status.stopped else endings[0]

    def _windows(
        self, low: float, high: float, tolerance: float, report: Watcher
    ) -> Iterator[Done]:
        """Window after window, in the order of the march."""
        last: Done | None = None
        largest = 0.0
        at, end, sign = (high, low, -1.0) if self._backward else (low, high, 1.0)
        length = (high - low) / (self._count or 1)
        turn = 0
        while sign * (end - at) > 0:
            turn += 1
            to = at + sign * length
            if turn == self._count or sign * (end - to) < 1e-3 * length:
                to = end
            # The tolerance is relative to all windows, and fields may fade away.
            faded = largest / last.size if last is not None and last.size > 0 else 1.0
            aim = min(_LOOSEST, tolerance * max(1.0, faded))
            window = self._one(min(at, to), max(at, to), last, aim, report)
            chosen = self._count is None and length > 2 * _SHORTEST * (high - low)
            if chosen and window.status is Status.HOPELESS:
                length /= 2
                continue
            yield window
            if window.status.stopped or not np.isfinite(window.trial.error):
                return
            at, last, largest = to, window, max(largest, window.size)
            if self._count is None:  # what made one window hard may be over
                length = min(_LONGER * length, high - low)

    def _one(
        self, low: float, high: float, last: Done | None, tolerance: float, report: Watcher
    ) -> Done:
        """One window; it begins with what did for the last one."""
        part = self._part(low, high, None if last is None else last.trial.model)
        asked = replace(self._asked, tolerance=tolerance)
        workshop = workshop_of(self._request, part, asked, self._key)
        begun = self._begun(last, low, high)
        search = Search(workshop, asked, report, begun, confirmed=False)
        status = search.finished()
        assert search.best is not None
        return Done(low, high, part, search.best, tuple(search.past), status, search.factor)

    def _part(self, low: float, high: float, before: Patchwork | None) -> Part:
        return self._whole.window(self._coordinate, low, high, before)

    def _begun(self, last: Done | None, low: float, high: float) -> Begun | None:
        if last is None:
            return None
        level = last.trial.level
        edges = list(level.edges)
        unit = (np.array(edges[self._axis]) - last.low) / (last.high - last.low)
        moved = low + unit * (high - low)
        moved[0], moved[-1] = low, high
        edges[self._axis] = tuple(map(float, moved))
        end = last.low if self._backward else last.high
        guide = Held(last.trial.model, self._axis, end)
        return Begun(Level(tuple(edges), level.nodes, level.grown), last.factor, guide)

    # --- what is known ----------------------------------------------------------------------

    def followed(self, done: Sequence[Done], coarser: bool = False) -> list[Done]:
        """The same windows at their levels, or coarser ones, each after the last of these."""
        found: list[Done] = []
        for window in done:
            part = self._part(window.low, window.high, found[-1].trial.model if found else None)
            workshop = workshop_of(self._request, part, self._asked, self._key + coarser)
            level = window.trial.level
            trial = workshop.trial(
                level.coarser if coarser else level, window.trial.model, window.trial.factor
            )
            found.append(replace(window, part=part, trial=trial))
        return found

    def model(self, done: Sequence[Done]) -> Patchwork:
        """All windows as one."""
        works = [window.trial.model for window in done]
        return side_by_side(self._request.problem, self._request.start, works)

    def error(self, done: Sequence[Done]) -> ErrorEstimate:
        """From the distance to a coarser march; infinite where a field is free in a window."""
        own = [error_of(window.trial, self._asked.tolerance) for window in done]
        names = list(own[0].by_field)
        free = tuple(name for name in names if any(name in error.free for error in own))
        if free:
            return ErrorEstimate(np.inf, dict.fromkeys(names, np.inf), free=free)
        if all(window.trial.trivial for window in done):
            return own[0]
        coarse = self.followed(done, coarser=True)
        residuals = np.array(
            [[own.trial.error, other.trial.error] for own, other in zip(done, coarse, strict=True)]
        )
        fine, rough = np.sqrt(np.mean(residuals**2, axis=0))
        ratio = fine / rough if rough > 0 else 1.0
        mine, other = self.model(done), self.model(coarse)
        found = distance(mine, other, looks(mine.problem), float(ratio))
        errors = found.unconfirmed
        return ErrorEstimate(found.relative(errors), dict(zip(names, errors, strict=True)))

    def told(
        self,
        done: list[Done],
        status: Status,
        error: ErrorEstimate | None,
        model: Patchwork | None = None,
    ) -> Outcome:
        """The outcome of a march, whose windows are one model."""
        model = model or self.model(done)
        met = [
            (window.trial.model, block, legs)
            for window in done
            for block, legs in zip(window.part.blocks, window.trial.cutting.points, strict=True)
        ]
        sampling = done[-1].trial.cutting.sampling
        table, status = block_residuals(model, self._whole, met, sampling, self._fresh_rng, status)
        past = [trial for window in done for trial in window.past]
        return Outcome(
            model=model,
            status=status,
            residual=max(window.trial.error for window in done),
            block_residuals=table,
            history=history_of([trial.error for trial in past], [trial.seconds for trial in past]),
            sampling=sampling,
            error=error,
            tried=tuple(told(trial) for trial in past),
        )


def looks(problem: Problem) -> Floats:
    """Points all over a domain."""
    return problem.domain.sample_inside(_LOOKS, Sampling().unit_points(np.random.default_rng(7)))
