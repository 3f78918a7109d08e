"""The pieces of a solution: one network for the whole domain, or window after window."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import sympy

from piscm.assemble.marching import runs_backward
from piscm.budget.budget import STOPS
from piscm.fit.inherit import first_window
from piscm.fit.piece import Piece, task_for
from piscm.fit.portfolio import Found
from piscm.fit.side_by_side import side_by_side
from piscm.march.attempts import March, Setting
from piscm.march.marcher import Marcher, evenly, mirrored
from piscm.march.policy import Window
from piscm.network.network import Network
from piscm.problem.problem import Problem
from piscm.result.method import Request
from piscm.result.progress import Watcher
from piscm.result.status import Status


class Pieces:
    """Solves problems in pieces, as a run asks for them: the problem itself, or a forward one."""

    def __init__(
        self, request: Request, march: March, rng: np.random.Generator, report: Watcher
    ) -> None:
        self._request, self._march = request, march
        self._rng, self._report = rng, report

    def at_once(self, problem: Problem) -> Found | None:
        """One network instead of windows, where the choice is ours, by a quick look."""
        march = self._march
        if march.coordinate is None or march.required or march.count is not None:
            return None
        return march.attempts.at_once(self._setting(problem, None))

    def whole(self, problem: Problem, equal: bool = True) -> Piece:
        """One network for the whole domain."""
        attempts = self._march.attempts
        attempt = attempts.alone(self._setting(problem, None, equal))
        tolerance, activations = attempts.tolerance, attempts.activations
        return attempt(Window(0.0, 1.0, None, tolerance, activations, give_up=False))

    def windows(
        self, problem: Problem, tighter: float = 1.0, like: Sequence[Piece] = ()
    ) -> list[Piece]:
        """The windows in order; a run that is stopped keeps the complete ones.

        Their tolerance is that of the run times `tighter`. They begin with those of an earlier
        march, `like`, if there was one.
        """
        march, attempts = self._march, self._march.attempts
        if march.coordinate is None:
            return [self.whole(problem)]
        attempt = attempts.in_window(self._setting(problem, march.coordinate))
        low, high = problem.domain.span(march.coordinate)
        backward = runs_backward(problem, march.coordinate)
        if backward:
            attempt = mirrored(attempt, low + high)
        if march.count is not None:
            windows = evenly(
                attempt, low, high, march.count, attempts.tolerance, attempts.activations
            )
        else:
            policy, in_time_alone = attempts.policy, problem.domain.dimension == 1
            tolerance = attempts.tolerance
            if in_time_alone and not problem.observations:  # whose noise may forbid it
                tolerance = min(tolerance, policy.loosest_in_time)
            marcher = Marcher(
                attempt,
                policy,
                tighter * tolerance,
                attempts.max_nodes,
                attempts.activations,
                attempts.more,
                policy.shortest_in_time if in_time_alone else policy.shortest,
                in_time_alone,
            )
            ahead = [piece.mirrored(low + high) for piece in like] if backward else like
            windows = marcher.march(low, high, ahead)
        pieces: list[Piece] = []
        self._report.marches(march.coordinate.name, *((high, low) if backward else (low, high)))
        try:
            for found in windows:
                piece = found.mirrored(low + high) if backward else found
                if pieces and piece.status.stopped:  # nobody knows how good half a window is
                    pieces[-1] = pieces[-1].ended(piece.status)
                    break
                # With data, the columns are needed for error bars.
                pieces.append(piece if problem.observations else piece.without_columns())
                self._report.reached(piece.low if backward else piece.high, len(pieces))
        except STOPS as stop:
            if not pieces:
                raise
            pieces[-1] = pieces[-1].ended(Status.after(stop))
        return pieces

    def _setting(
        self, problem: Problem, coordinate: sympy.Symbol | None, equal: bool = True
    ) -> Setting:
        request = self._request
        task = task_for(problem, coordinate, request.start, request.weights, self._rng)
        task = replace(task, equal=equal)
        makes, guess = side_by_side(request.executor), self._guess(problem)
        return Setting(task, request.sampling, self._rng, self._report, guess, makes)

    def _guess(self, problem: Problem) -> Network | None:
        """The solution that the user starts from, as a network for this problem."""
        guess = self._request.guess
        if guess is None:
            return None
        known = np.array(list(problem.unknowns.values()), dtype=float)
        return replace(first_window(guess), problem=problem, unknowns=known)
