"""Who is best of all trials of a portfolio, and whether that will do.

Trials are judged by the residual at points that were not fitted: as many nodes as rows fit
anything. The error itself is estimated from the distance between two of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from piscm.fit.members import Member
from piscm.fit.piece import Piece
from piscm.fit.portfolio_policy import PortfolioPolicy
from piscm.fit.side_by_side import Makes
from piscm.fit.trial import Making, Trial
from piscm.fit.trials import Laboratory
from piscm.inference.balance import unbalanced_equations
from piscm.problem.box import Box
from piscm.problem.problem import Problem
from piscm.result.history import Report

# Little was learnt if the residual exceeds this in one or two dimensions, where trials are cheap.
_ROUGH = 0.02
# A residual this many times as large near the faces as elsewhere shows a layer.
_LAYER = 4.0
# The estimate of the error is right within this factor, mostly.
_SURE = 1.5


@dataclass
class Contest:
    """All trials of one run, beside the best of them.

    Attributes
    ----------
    problem : Problem
    lab : Laboratory
        Makes the trials.
    tolerance : float
        On the residual at fresh points and on the estimated error, both relative.
    policy : PortfolioPolicy
    makes : callable
        Makes trials that do not depend on each other, one after the other or side by side.
    report : Report
    leader : Trial or None
        The best one.
    tried : list of str
        What was tried, in words.
    in_layers : bool
        Whether trials are judged near the faces.
    """

    problem: Problem
    lab: Laboratory
    tolerance: float
    policy: PortfolioPolicy
    makes: Makes
    report: Report
    leader: Trial | None = None
    tried: list[str] = field(default_factory=list)
    in_layers: bool = False

    def trials(
        self, members: Sequence[Member], count: int, guide: Trial | None, grown: bool = False
    ) -> Iterator[Trial]:
        """Trials with one guide, each judged when it is made."""
        making = Making(count, guide, grown, self.policy.iterations)
        for trial in self.makes(self.lab, members, making):
            yield self.judged(trial)

    def judged(self, trial: Trial) -> Trial:
        """A trial beside the best one, whose place it may take."""
        if self.in_layers:
            trial = self.lab.near_faces(trial)
        best = self.leader
        layered = trial.member.nearest is not None
        if layered and best and trial.error < best.error and unbalanced_equations(trial.network):
            # A condition is easily met by a step of no width, in which no equation holds.
            trial = replace(trial, held_out=np.inf)
        if best is not None:
            trial = trial.beside(best)
            if best.estimate == np.inf:
                self.leader = best.beside(trial)
        if best is None or trial.error < best.error:
            self.leader = trial
        self.report(trial.count, trial.state.norm)  # who stops the run now finds the trial in place
        return trial

    def note(self, trial: Trial | None) -> None:
        """Say in words that a trial was made."""
        if trial is not None:
            self.tried.append(f"{trial.count} {trial.member}: {trial.error:.0e}")

    @property
    def best(self) -> Trial:
        """The best of one trial or more."""
        assert self.leader is not None
        return self.leader

    @property
    def met(self) -> bool:
        """Whether the best one will do."""
        best = self.leader
        if best is None or self._missing(best) > 1.0:
            return False
        if best.member.nearest is not None or not self.boxed:
            return True
        # What even points miss, a layer between them and a face, must not pass for a solution.
        return self._missing(self.lab.near_faces(best)) <= 1.0

    def _missing(self, trial: Trial) -> float:
        """By what factor a trial misses what is asked."""
        policy = self.policy
        slack = policy.sure_slack if trial.confirmed else policy.slack
        slack = slack if trial.member.nearest is None else policy.layer_slack
        return max(_SURE * trial.estimate, trial.error / slack) / self.tolerance

    # --- near the faces ---------------------------------------------------------------------------

    @property
    def boxed(self) -> bool:
        """Whether there are faces to have layers at."""
        return isinstance(self.problem.domain, Box)

    @property
    def seems_layered(self) -> bool:
        """Whether to look for layers at once: little was learnt, or less near the faces."""
        best = self.best
        rough = _ROUGH if self.problem.domain.dimension <= 2 else self.policy.learnt
        if best.error > rough or self.in_layers:
            return True
        return self.boxed and self.lab.near_faces(best).error > _LAYER * best.error

    def look_at_faces(self, trials: Mapping[str, Trial]) -> dict[str, Trial]:
        """Judge all near the faces from now on; some trials of before as they are there."""
        self.in_layers = True
        self.leader = self.lab.near_faces(self.best)
        return {kind: self.lab.near_faces(trial) for kind, trial in trials.items()}

    def near_faces(self, piece: Piece) -> Piece:
        """The piece judged near the faces too, by what the residual may miss the tolerance there.

        What even points miss, a layer between them and a face, must not pass for a solution.
        """
        if not self.boxed:
            return piece
        error = self.lab.error_near_faces(piece.network) / self.policy.slack
        return replace(piece, held_out=float(np.fmax(piece.held_out, error)))
