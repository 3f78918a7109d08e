"""Unknowns that all windows share, each window in patches.

As with windows of one network each, the equations are solved for given unknowns, and the data
move the unknowns alone (Gauss-Newton). How the fields move with an unknown is found by marching
again with a slightly different one: the same windows, patches, nodes and points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.unknowns import bounds_of
from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS
from piscm.budget.clock import check_time
from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import Uncertainty
from piscm.march.fit_unknowns import Move, Observed, spread_of, unknown_steps
from piscm.march.patch_windows import Done, PatchWindows, looks
from piscm.network.patchwork import Patchwork
from piscm.patches.asked import Asked
from piscm.patches.cutting import check_places
from piscm.patches.data import with_noise
from piscm.result.method import Outcome, Request
from piscm.result.progress import Watcher
from piscm.result.status import Status

Floats = NDArray[np.float64]

# The first march is one for the first guess, whose windows and patches may not do for what is
# found: there is a second.
_MARCHES = 2
_ROUNDS = 12
# The unknowns have settled when they move by less than this, or than this part of their standard
# errors: the next move would be far smaller.
_SETTLED, _MEANT = 1e-7, 0.05
# A change of an unknown that tells how the fields move, relative to it.
_NUDGE = 1e-4
# A step that makes the squares more than this many times as large is halved, so often.
_WORSE, _HALVINGS = 2.0, 6
# Data that are missed by this fraction of them contradict the equations.
_LOST = 0.5
# A relative change of an unknown that moves the data by less than this fraction is not seen.
_NOTHING = 1e-5


@dataclass(frozen=True)
class Fitted:
    """A march, its unknowns, and how far it is from the data.

    Attributes
    ----------
    done : list of Done
    unknowns : ndarray
    residuals : list of ndarray
        Of each set of data.
    uncertainty : Uncertainty or None
    """

    done: list[Done]
    unknowns: Floats
    residuals: list[Floats]
    uncertainty: Uncertainty | None = None

    @property
    def squares(self) -> float:
        total = sum(float(own @ own) for own in self.residuals)
        return total if np.isfinite(total) else np.inf


class PatchUnknowns:
    """A march in patches whose unknowns are fitted to data.

    Parameters
    ----------
    request : Request
    asked : Asked
    coordinate : sympy.Symbol
    count : int or None
        As of `PatchWindows`.
    """

    def __init__(
        self, request: Request, asked: Asked, coordinate: sympy.Symbol, count: int | None
    ) -> None:
        self._request, self._asked, self._problem = request, asked, request.problem
        self._march = PatchWindows(request, asked, coordinate, count)
        self._whole = Part.whole(request.problem)
        self._data = [block for block in self._whole.blocks if block.observed]
        nothing_drawn = np.random.default_rng(0)
        self._points = draw_points(request.problem.domain, self._data, Sampling(), nothing_drawn)
        self._guesses = np.array(list(request.problem.unknowns.values()), dtype=float)

    def outcome(self) -> Outcome:
        """The unknowns, the fields, and what is known of both."""
        check_places(self._whole)
        with self._request.reporting(self._asked.most, "solving", "patches") as report:
            report.expects(self._asked.tolerance)
            found, status, error = self._found(report)
        model, errors = self._model(found.done, found.unknowns), found.uncertainty
        told = self._march.told(found.done, status, error, model)
        if errors is not None and error is not None:
            told = replace(told, error=with_noise(error, *_spread(model, errors)))
        return replace(told, uncertainty=errors, exact=True)

    def _found(self, report: Watcher) -> tuple[Fitted, Status, ErrorEstimate | None]:
        unknowns = self._guesses
        for _ in range(_MARCHES):
            march = self._at(unknowns)
            done, status, error = march.solved(report)
            found = Fitted(done, unknowns, [])
            if status.stopped or (error is not None and error.free):
                return found, status, error
            try:
                found = self._fitted(self._looked(done, unknowns))
                unknowns = found.unknowns
                error = self._at(unknowns).error(found.done)
            except STOPS as stop:
                return found, Status.after(stop), None
            if found.uncertainty is not None and len(found.uncertainty.undetermined):
                return found, Status.UNDETERMINED, error
        lost = np.sqrt(found.squares) > _LOST * np.linalg.norm(self._values)
        return found, Status.MISFIT if lost else status, error

    # --- one march for given unknowns ---------------------------------------------------------

    def _at(self, unknowns: Floats) -> PatchWindows:
        return self._march.at(self._problem.forward([float(own) for own in unknowns]))

    def _model(self, done: Sequence[Done], unknowns: Floats) -> Patchwork:
        return replace(self._march.model(done), unknowns=unknowns)

    @property
    def _values(self) -> Floats:
        return np.concatenate([block.data for block in self._data if block.data is not None])

    def _looked(self, done: list[Done], unknowns: Floats) -> Fitted:
        """How far a march is from the data."""
        model = self._model(done, unknowns)
        pairs = zip(self._data, self._points, strict=True)
        return Fitted(done, unknowns, [model.residual(block, legs) for block, legs in pairs])

    def _moved(self, now: Fitted, unknowns: Floats) -> Fitted:
        """The same windows, patches, nodes and points for other unknowns."""
        check_time()
        return self._looked(self._at(unknowns).followed(now.done), unknowns)

    # --- Gauss-Newton ---------------------------------------------------------------------------

    def _fitted(self, now: Fitted) -> Fitted:
        bounds = bounds_of(self._problem)
        for _ in range(_ROUNDS):
            observed, move = self._slopes(now)
            steps, _ = unknown_steps(observed, bounds, now.unknowns)
            if steps is None or not np.isfinite(steps).all():
                return replace(now, uncertainty=self._undetermined(now, observed))
            new = self._stepped(now, steps)
            errors = spread_of(observed, [move], len(now.unknowns), self._data)
            if new is None:
                return replace(now, uncertainty=errors)
            bars = np.linalg.norm(errors.factor[:, -len(now.unknowns) :], axis=0)
            least = np.fmax(_SETTLED * self._sizes(now), _MEANT * bars)
            settled = (np.abs(new.unknowns - now.unknowns) <= least).all()
            now = replace(new, uncertainty=errors)
            if settled:
                break
        return now

    def _sizes(self, now: Fitted) -> Floats:
        """The size of a change of order one in each unknown."""
        sizes = np.maximum(np.abs(now.unknowns), np.abs(self._guesses))
        return np.where(sizes > 0, sizes, 1.0)

    def _slopes(self, now: Fitted) -> tuple[list[Observed], Move]:
        """How the data and the weights move with each unknown."""
        upper, sizes = bounds_of(self._problem).upper, self._sizes(now)
        weights = self._model(now.done, now.unknowns).weights
        by_data: list[list[Floats]] = [[] for _ in self._data]
        by_weights = []
        for number, size in enumerate(sizes):
            nudged = now.unknowns.copy()
            by = _NUDGE * size * (1.0 if nudged[number] + _NUDGE * size <= upper[number] else -1.0)
            nudged[number] += by
            other = self._moved(now, nudged)
            for listed, own, old in zip(by_data, other.residuals, now.residuals, strict=True):
                listed.append((own - old) / by)
            by_weights.append((self._model(other.done, nudged).weights - weights) / by)
        observed = []
        for block, residual, listed in zip(self._data, now.residuals, by_data, strict=True):
            assert block.data is not None
            spread = block.spread * np.ones(len(block.data))
            still = np.zeros(len(residual))
            observed.append(Observed(block, block.data, residual, still, np.stack(listed), spread))
        return observed, Move(np.zeros_like(weights), np.stack(by_weights))

    def _stepped(self, now: Fitted, steps: Floats) -> Fitted | None:
        """The march after a step, or after a part of it; None if none will do."""
        for _ in range(_HALVINGS):
            new = self._moved(now, now.unknowns + steps)
            if new.squares <= _WORSE * now.squares:
                return new
            steps = steps / 2
        return None

    def _undetermined(self, now: Fitted, observed: Sequence[Observed]) -> Uncertainty:
        """No error bars, and the relative changes of the unknowns that the data do not see."""
        slopes = np.concatenate([own.slopes for own in observed], axis=1)
        moved = (slopes * self._sizes(now)[:, None]).T / np.linalg.norm(self._values)
        _, seen, directions = np.linalg.svd(moved, full_matrices=True)
        seen = np.concatenate([seen, np.zeros(len(directions) - len(seen))])
        lost = directions[~(seen > _NOTHING)]
        if not len(lost):  # no step could be taken at all
            lost = directions[-1:]
        weights = self._model(now.done, now.unknowns).weights.size
        return Uncertainty(np.full((1, weights + len(directions)), np.nan), lost, {})


def _spread(model: Patchwork, errors: Uncertainty) -> tuple[tuple[float, ...], float]:
    """The size of what noise adds to each field, and to all, relative to them."""
    points, each, size = looks(model.problem), [], 0.0
    for item in model.problem.fields:
        compiled = model.compile(item)
        size += float(np.mean(model.value(compiled, points) ** 2))
        bars = model.deviation(compiled, points, errors.factor)
        each.append(float(np.sqrt(np.mean(bars**2))))
    relative = float(np.linalg.norm(each) / np.sqrt(size)) if size > 0 else 0.0
    return tuple(each), relative
