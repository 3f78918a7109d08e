"""A whole run of `Auto` or `Windows`: what is solved, in which order, and what is taken."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import sympy
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS, finishing
from piscm.fit.error_bars import error_bars, status_with
from piscm.fit.piece import Piece
from piscm.fit.residuals import block_residuals, fitted_points
from piscm.inference.counting import missing_conditions
from piscm.inference.error_estimate import ErrorEstimate, estimate_error
from piscm.inference.uncertainty import Uncertainty
from piscm.march.attempts import March
from piscm.march.begin import with_finite_start
from piscm.march.fit_unknowns import FittedUnknowns, fit_unknowns
from piscm.march.joined import Joined, joined
from piscm.march.pieces import Pieces
from piscm.network.activations import activation_named
from piscm.problem.problem import Problem
from piscm.result.method import Outcome, Request
from piscm.result.progress import Watcher
from piscm.result.status import Status

# Fitted points at which the error is estimated, for each node; fresh ones come in addition. What
# waves do is seen by these as well; three of them as for steep nodes cost a fifth of the time more,
# and change the ratio of estimate and error by 3 % in the median.
_POINTS_PER_NODE, _POINTS_PER_WAVE = 3, 1
_TRUNCATION = 1e-14  # for the error bars of one network


def run(request: Request, march: March) -> Outcome:
    """Solve a problem window by window, or in one piece if there is nothing to march along."""
    request = with_finite_start(request, march.coordinate)
    whole = Part.whole(request.problem)
    fresh_rng, run_rng = request.rng.spawn(2)
    with request.reporting(march.attempts.max_nodes) as report:
        running = _Run(request, march, run_rng, report)
        found = running.found()
        errors, known, status = running.judged(found)
        for _ in range(march.attempts.policy.repeats):
            closer = running.closer(found, known)
            if closer is None:
                break
            found, known, status = closer
    network, pieces = found.network, found.pieces
    inside = max(piece.assembly.points.rows[0] for piece in pieces)
    sampling = request.sampling or Sampling(inside, max(100, inside // 4))
    status = status_with(status, errors, status is Status.CONVERGED)
    met = [
        (piece.network, block, legs)
        for piece in pieces
        for block, legs in zip(piece.assembly.part.blocks, piece.assembly.points, strict=True)
    ]
    table, status = block_residuals(network, whole, met, sampling.elsewhere, fresh_rng, status)
    return Outcome(
        model=network,
        status=status,
        residual=found.residual,
        block_residuals=table,
        history=found.history,
        sampling=sampling,
        uncertainty=errors,
        error=known,
        tried=tuple(note for piece in pieces for note in piece.tried),
        points=fitted_points(met),
        bent=found.bent,
        exact=found.unknowns is not None,
    )


class _Run:
    """One run, and the limits its windows share."""

    def __init__(
        self, request: Request, march: March, rng: np.random.Generator, report: Watcher
    ) -> None:
        self._request, self._march = request, march
        self._pieces = Pieces(request, march, rng, report)
        self._policy = march.attempts.policy
        self._tighter = 1.0  # factor on the tolerance of windows
        report.expects(march.attempts.tolerance)

    def found(self) -> Joined:
        """The result of the run."""
        problem, march = self._request.problem, self._march
        if not problem.asked.any() and (march.required or not problem.observations):
            return self._marched(problem)
        # Data constrain all times at once, so the whole domain comes first.
        whole = self._with_other_weights(self._pieces.whole(problem))
        alone = self._join(problem, None, [whole])
        if alone.status.stopped:
            return alone
        try:
            return self._beyond(whole, alone)
        except STOPS as stop:
            return replace(alone, status=Status.after(stop))

    def _beyond(self, whole: Piece, alone: Joined) -> Joined:
        """What is better than one network that was fitted to equations and data alike, or that."""
        problem, march = self._request.problem, self._march
        functions = len(problem.fields) > len(problem.equations)
        enough = not march.required and whole.error <= march.attempts.tolerance
        marches = march.coordinate is not None and not functions
        # Neither noise nor a prior that contradicts the data may bend the equation.
        bent = problem.priors or whole.misfit > self._policy.noise * march.attempts.tolerance
        exact = problem.asked.any() and not functions and bent
        if not exact and (enough or not marches):
            return alone
        if problem.asked.any():
            return self._with_exact_equations(whole, alone)
        # What is left may be noise of the data; if not, a march may resolve more.
        if alone.status is Status.CONVERGED:
            return alone
        found = self._marched(problem)
        return min(alone, found, key=lambda item: max(own.error for own in item.pieces))

    def _marched(self, problem: Problem) -> Joined:
        """One network at once if that will do, else windows."""
        whole = None if problem.observations else self._pieces.at_once(problem)
        if whole is not None and (whole.met or whole.piece.status.stopped):
            return self._join(problem, None, [whole.piece])
        try:
            pieces = self._pieces.windows(problem)
        except STOPS as stop:
            if whole is None:
                raise
            return self._join(problem, None, [whole.piece.ended(Status.after(stop))])
        first = pieces[0]
        if whole is not None and first.status.stopped and not first.error < whole.piece.error:
            return self._join(problem, None, [whole.piece.ended(first.status)])
        return self._join(problem, self._march.coordinate, pieces)

    def judged(self, found: Joined) -> tuple[Uncertainty | None, ErrorEstimate | None, Status]:
        """Error bars, the error estimate, and the status; nothing is known of a stopped run."""
        pieces, problem = found.pieces, self._request.problem
        errors: Uncertainty | None = None
        if found.status.stopped:
            return None, None, found.status
        try:
            if found.unknowns is not None:
                errors = found.unknowns.uncertainty
            elif len(pieces) == 1:
                errors = error_bars(problem, pieces[0].fit.refined, _TRUNCATION)
            localized = activation_named(found.network.activation).localized
            each = _POINTS_PER_NODE if localized else _POINTS_PER_WAVE
            fitted = [
                piece.some_points(each) for piece in sorted(pieces, key=lambda piece: piece.low)
            ]
            return (
                errors,
                estimate_error(found.network, fitted=fitted, uncertainty=errors),
                found.status,
            )
        except STOPS as stop:
            return errors, None, Status.after(stop)

    def closer(
        self, found: Joined, known: ErrorEstimate | None
    ) -> tuple[Joined, ErrorEstimate, Status] | None:
        """The march once more with a tighter aim, if errors have grown on the way; None if not.

        What the residual says of one window is its own error, not what becomes of it later. Windows
        and their nodes are those that were found, and some more.
        """
        march, problem, policy = self._march, self._request.problem, self._policy
        tolerance = march.attempts.tolerance
        given = problem.asked.any() or problem.observations
        chosen = march.coordinate is not None and march.count is None and not given
        if known is None or not chosen or len(found.pieces) == 1 or tolerance == 0:
            return None
        if not tolerance < known.relative or found.status is not Status.CONVERGED or known.free:
            return None
        # Infinite: the error has grown beyond what a linearization can tell.
        missed = tolerance / known.relative if np.isfinite(known.relative) else policy.unknown
        factor = max(policy.tightest, policy.closer * missed)
        self._tighter *= factor
        try:
            again = self._pieces.windows(problem, self._tighter, found.pieces)
            other = self._join(problem, march.coordinate, again)
            _, better, status = self.judged(other)
        except STOPS as stop:
            better, status = None, Status.after(stop)
        if status.stopped:  # what is known already is whole
            return replace(found, status=status), known, status
        if status is not Status.CONVERGED or better is None:
            return None
        return (other, better, status) if better.relative < known.relative else None

    def _with_other_weights(self, whole: Piece) -> Piece:
        """The better of a piece that misses the data and of one with other row weights.

        They lead elsewhere from the first guess, perhaps to another minimum.
        """
        if whole.status.stopped:
            return whole
        try:
            if not whole.misfit > self._policy.bad_fit:
                return whole
            other = self._pieces.whole(self._request.problem, equal=False)
            best = min(whole, other, key=lambda piece: piece.misfit)
            return best.ended(other.status) if other.status.stopped else best
        except STOPS as stop:
            return whole.ended(Status.after(stop))

    def _with_exact_equations(self, whole: Piece, alone: Joined) -> Joined:
        """Unknowns that all windows share, starting from those found by one network.

        The equations and conditions are solved for given unknowns, and the data move the unknowns
        alone. Without a coordinate to march along, the one window is the whole domain, and is
        taken if the forward problem determines its answer.
        """
        problem, coordinate = self._request.problem, self._march.coordinate
        policy, guess = self._policy, np.array(list(problem.unknowns.values()), dtype=float)
        most = max(policy.worse * whole.misfit, policy.lost)
        # A bent equation may have led the unknowns to where the data do not see them; the first
        # guess may do better then.
        for begin in (whole.network.unknowns, guess):
            shared = self._shared(begin)
            if isinstance(shared, Status):
                return replace(alone, status=shared)
            if shared is not None and not shared.misfit > most:
                break
        else:
            return replace(alone, bent=True)
        assert isinstance(shared, FittedUnknowns)
        together = self._join(problem, coordinate, shared.pieces, shared)
        status = Status.MISFIT if shared.misfit > policy.lost else together.status
        network = replace(together.network, problem=problem, unknowns=shared.unknowns)
        return replace(together, network=network, status=status)

    def _shared(self, start: NDArray[np.float64]) -> FittedUnknowns | Status | None:
        """What the data make of the unknowns while the equations hold, or why the run stopped.

        None if the equations alone determine no answer, or the data no unknowns.
        """
        coordinate = self._march.coordinate
        forward = self._request.problem.forward([float(value) for value in start])
        if missing_conditions(forward):  # the data stand in for them
            return None
        pieces = self._pieces.windows(forward)
        stopped = next((piece.status for piece in pieces if piece.status.stopped), None)
        if stopped is not None:
            return stopped
        if estimate_error(pieces[0].network).free:
            return None
        return fit_unknowns(self._request, pieces, coordinate, start)

    def _join(
        self,
        problem: Problem,
        coordinate: sympy.Symbol | None,
        pieces: Sequence[Piece],
        unknowns: FittedUnknowns | None = None,
    ) -> Joined:
        attempts = self._march.attempts

        def join(pieces: Sequence[Piece]) -> Joined:
            start, tolerance = self._request.start, attempts.tolerance
            lost = attempts.policy.lost
            return joined(problem, start, coordinate, pieces, tolerance, lost, unknowns)

        try:
            with finishing():
                return join(pieces)
        except STOPS as stop:  # there was no time to see how well the data are met
            return join([*pieces[:-1], pieces[-1].ended(Status.after(stop))])
