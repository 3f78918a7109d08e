"""A portfolio of one-shot networks for a whole domain: cheap trials, the best of which goes on.

1. Scan: small networks of every activation on a ladder of scales.
2. Search: a scale for each coordinate, by factors of 2.
3. Enlarge: more nodes, as long as the residual at fresh points falls fast.
4. Where that stalls, the best member of another activation, or one with layers, takes its turn.

Where the first scan finds next to nothing the run pauses, so that growth by selection may be tried:
it finds steep nodes of the right direction (a slanted layer), which random draws hardly do.

Members are judged by the residual at points that were not fitted: as many nodes as rows fit
anything. The error itself is estimated from the distance between two members.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from piscm.assemble.grading import all_faces
from piscm.assemble.sampling import Sampling
from piscm.budget.budget import STOPS
from piscm.budget.clock import check_time
from piscm.fit.members import VERY_MANY, Member
from piscm.fit.piece import Piece, Task
from piscm.fit.portfolio_policy import PortfolioPolicy
from piscm.fit.side_by_side import Makes, one_by_one
from piscm.fit.trial import Making, Trial
from piscm.fit.trials import Laboratory
from piscm.inference.balance import unbalanced_equations
from piscm.network.activations import activation_named
from piscm.problem.box import Box
from piscm.result.history import Report
from piscm.result.status import Status

# Above this residual nothing at all was found, and the whole ladder is tried again with more nodes.
_NOTHING = 0.5
# Little was learnt if the residual exceeds this in one or two dimensions, where trials are cheap.
_ROUGH = 0.02
# A residual this many times as large near the faces as elsewhere shows a layer.
_LAYER = 4.0
# The estimate of the error is right within this factor, mostly.
_SURE = 1.5
# A kind of member this many times worse than the best is not pursued.
_BEHIND = 4.0
# ... and one this many times worse drops out of the race with more nodes.
_NECK = 2.0


@dataclass(frozen=True)
class Found:
    """The result of the portfolio: the best network, whether it will do, how it was drawn."""

    piece: Piece
    met: bool
    member: Member


@dataclass
class Portfolio:
    """One run of the portfolio.

    Attributes
    ----------
    task : Task
    tolerance : float
        On the residual at fresh points and on the estimated error, both relative.
    activations : sequence of str
    rng : numpy.random.Generator
    report : Report
    sampling : Sampling or None
        The user's points, if they were given.
    policy : PortfolioPolicy
    makes : callable
        Makes trials that do not depend on each other, one after the other or side by side.
    """

    task: Task
    tolerance: float
    activations: Sequence[str]
    rng: np.random.Generator
    report: Report
    sampling: Sampling | None = None
    policy: PortfolioPolicy = field(default_factory=PortfolioPolicy)
    makes: Makes = one_by_one

    def run(self) -> Found | None:
        """The best network found; None if there is nothing to find, the start being a solution."""
        self.lab = Laboratory(self.task, self.sampling, self.rng)
        self._best: Trial | None = None
        self._tried: list[str] = []
        self._scanned_as: dict[str, Member] = {}  # by kind, before its scales were searched
        self._in_layers = False  # whether members are judged near the faces
        self.paused = False
        first = self.first_count
        if not self.lab.level(first, None).size > 0:
            return None
        self._todo = self._stages(first)
        return self.go_on()

    def go_on(self) -> Found:
        """The same from where the run has paused."""
        status = Status.HOPELESS
        self.paused = False
        try:
            for _ in self._todo:
                if self._met:
                    status = Status.CONVERGED
                    break
                check_time()
                if self.paused:
                    break
        except STOPS as stop:
            if self._best is None:
                raise
            status = Status.after(stop)
        best = self._best
        assert best is not None
        piece = replace(best.piece(status), estimate=best.estimate, tried=tuple(self._tried))
        return Found(piece, self._met, best.member)

    def led_by(self, trials: Sequence[Trial], how: str) -> Found:
        """The same from trials, one of a kind, that somebody else has found a way to."""
        self._tried.append(how)
        self._todo = self._pursued({own.member.kind: self._judged(own) for own in trials})
        return self.go_on()

    def near_faces(self, piece: Piece) -> Piece:
        """The piece judged near the faces too, by what the residual may miss the tolerance there.

        What even points miss, a layer between them and a face, must not pass for a solution.
        """
        if not self._boxed:
            return piece
        error = self.lab.error_near_faces(piece.network) / self.policy.slack
        return replace(piece, held_out=float(np.fmax(piece.held_out, error)))

    @property
    def _fields(self) -> int:
        return len(self.task.problem.fields)

    @property
    def _linear(self) -> bool:
        return all(block.linear for block in self.task.whole.blocks)

    @property
    def _met(self) -> bool:
        best = self._best
        if best is None or self._missing(best) > 1.0:
            return False
        if best.member.nearest is not None or not self._boxed:
            return True
        # What even points miss, a layer between them and a face, must not pass for a solution.
        return self._missing(self.lab.near_faces(best)) <= 1.0

    @property
    def first_count(self) -> int:
        """The number of nodes of the first trials."""
        trial = self.policy.trial
        return min(trial, max(trial // 2, 2 * trial // self._fields))

    # --- the stages; each yields after every trial ------------------------------------------------

    def _stages(self, first: int) -> Iterator[None]:
        leaders: dict[str, Trial] = {}
        for count in (first * 2**turn for turn in range(self.policy.rounds)):
            yield from self._scanned(count, leaders)
            if self._seems_layered:
                yield from self._layered(count, leaders)
            assert self._best is not None
            most = 4 * count * self._fields > self.policy.columns
            if most or self._best.error <= self.policy.learnt:
                break
            if count == first and self.policy.pauses:
                self.paused = True
                yield
        assert self._best is not None
        if self._best.error > self.policy.learnt and self.policy.rounds == 1:
            return  # windows will do better
        yield from self._pursued(leaders)

    def _pursued(self, leaders: dict[str, Trial]) -> Iterator[None]:
        """The best of each kind: its scales, then more nodes, then the next best."""
        first = self.first_count
        yield from self._raced(leaders)
        while leaders:
            leader = leaders.pop(min(leaders, key=lambda kind: leaders[kind].error))
            if leader.error > self.policy.learnt and leader is not self._best:
                return
            yield from self._enlarged(leader)
            if not self._in_layers:
                found: dict[str, Trial] = {}
                yield from self._layered(first, found)
                leaders.update(found)

    @property
    def _seems_layered(self) -> bool:
        """Whether to look for layers at once: little was learnt, or less near the faces."""
        best = self._best
        assert best is not None
        rough = _ROUGH if self.task.problem.domain.dimension <= 2 else self.policy.learnt
        if best.error > rough or self._in_layers:
            return True
        return self._boxed and self.lab.near_faces(best).error > _LAYER * best.error

    @property
    def _boxed(self) -> bool:
        return isinstance(self.task.problem.domain, Box)

    def _scanned(self, count: int, leaders: dict[str, Trial]) -> Iterator[None]:
        """Every activation on its ladder of scales, as far as the points can see."""
        dimension = self.task.problem.domain.dimension
        seen = (2 * count) ** (1 / dimension)  # points along one coordinate
        for name in self.activations:
            ladder, finest = self.policy.waves, np.pi * seen
            if activation_named(name).localized:
                ladder, finest = self.policy.steps, seen
            seen_scales = [scale for scale in ladder if scale <= finest] or ladder[:1]
            few = dimension >= VERY_MANY
            members = [Member(name, (scale,) * dimension, sparse=few) for scale in seen_scales]
            yield from self._ladder(members, count, leaders)

    def _layered(self, count: int, leaders: dict[str, Trial]) -> Iterator[None]:
        """Steep nodes near the faces, at points that can see them; all are judged there now."""
        if not self._boxed or not self.policy.layers:
            return
        assert self._best is not None
        self._in_layers = True
        leaders.update({kind: self.lab.near_faces(trial) for kind, trial in leaders.items()})
        self._best = self.lab.near_faces(self._best)
        dimension, layers = self.task.problem.domain.dimension, self.policy.layers
        even = (1.0,) * dimension
        names = [name for name in self.activations if activation_named(name).localized]
        for name in names:
            members = [Member(name, even, nearest) for nearest in layers]
            yield from self._ladder(members, count, leaders)
        if dimension == 1 or self._best.error <= self.policy.learnt:
            return
        # With few nodes for each face nothing may be seen of a layer that only one of them has.
        faces = all_faces(dimension)
        for name in names[:1]:
            members = [Member(name, even, nearest, (face,)) for face in faces for nearest in layers]
            yield from self._ladder(members, count, leaders)

    def _ladder(
        self, members: Sequence[Member], count: int, leaders: dict[str, Trial]
    ) -> Iterator[None]:
        """One kind of member; the second time only near the best, if there was one."""
        if not members:
            return
        kind, known = members[0].kind, None
        before = leaders.pop(kind, None)
        if before is not None and self._best is not None and self._best.error < _NOTHING:
            if before.error > _BEHIND * self._best.error:
                return  # it was far behind with fewer nodes already
            place = members.index(before.member)
            members = members[max(0, place - 1) : place + 2]
        # The first one guides the others.
        for group in (members[:1], members[1:]):
            for trial in self._trials(group, count, self._best):
                if known is None or trial.error < known.error:
                    leaders[kind] = known = trial
                yield
        self._note(known)

    def _raced(self, leaders: dict[str, Trial]) -> Iterator[None]:
        """A scale for each coordinate, then twice the nodes, for all that are not far behind."""
        assert self._best is not None
        near = _BEHIND * self._best.error
        close = [kind for kind, trial in leaders.items() if trial.error <= near]
        for kind in sorted(close, key=lambda kind: leaders[kind].error):
            yield from self._searched(kind, leaders)
        if not close:  # all that somebody else has found is far behind
            return
        # What is ahead by little with few nodes may be far behind with many.
        count, within = 2 * leaders[close[0]].count, _BEHIND
        while len(close) > 1:
            near = within * min(leaders[kind].error for kind in close)
            close = [kind for kind in close if leaders[kind].error <= near]
            for kind in sorted(close, key=lambda kind: leaders[kind].error):
                yield from self._larger(kind, count, leaders)
            count, within = round(np.sqrt(2.0) * count), _NECK
            if count > self._cheap or not self._linear:
                return

    def _searched(self, kind: str, leaders: dict[str, Trial]) -> Iterator[None]:
        """A scale for each coordinate, and where layers are: one change after the other."""
        last, improved = leaders[kind], True
        self._scanned_as[kind] = last.member
        while improved:
            improved = False
            for changes in last.member.changes:
                changed = [change(last.member) for change in changes]
                members = [own for own in changed if own != last.member and self._allows(own)]
                for trial in self._trials(members, last.count, last):
                    yield
                    if trial.error < self.policy.better * last.error:
                        last = leaders[kind] = trial
                        improved = True
                        break
        self._note(last)

    def _allows(self, member: Member) -> bool:
        return member.activation in self.activations

    @property
    def _cheap(self) -> int:
        """The number of nodes up to which members are compared."""
        return 4 * self.first_count

    def _larger(self, kind: str, count: int, leaders: dict[str, Trial]) -> Iterator[None]:
        """More nodes, the new ones with the same scale or a larger one."""
        last = leaders[kind]
        members = (last.member, *last.member.finer)
        for trial in self._trials(members, count, last, grown=True):
            yield
            if trial.error < leaders[kind].error:
                leaders[kind] = trial
        for trial in self._trials(self._undone(last.member), count, last):
            yield
            if trial.error < leaders[kind].error:
                leaders[kind] = trial
        self._note(leaders[kind])

    def _undone(self, member: Member) -> list[Member]:
        """A member without one of the changes of the search, for each; only once.

        A trial of a nonlinear problem takes many fits, too many to make sure.
        """
        before = self._scanned_as.pop(member.kind, member)
        return member.nearer(before) if self._linear else []

    def _enlarged(self, leader: Trial) -> Iterator[None]:
        """More and more nodes, while that pays.

        The ladder of counts and the end do not depend on the tolerance: a looser one only stops
        earlier, a tighter one never with something worse.
        """
        most = self.policy.columns // self._fields
        past = [leader]
        while past[-1].count < most:
            last = past[-1]
            count = min(most, round(np.sqrt(2.0) * last.count))
            (trial,) = self._trials([last.member], count, last, grown=True)
            yield
            # What was best for few nodes may not be for many.
            slow = trial.error > np.sqrt(self.policy.fast) * last.error
            finer = last.member.finer if slow or count <= self._cheap else ()
            for other in self._trials(finer, count, last, grown=True):
                yield
                trial = other if other.error < trial.error else trial
            for other in self._trials(self._undone(last.member), count, last):
                yield
                trial = other if other.error < trial.error else trial
            past.append(trial)
            self._note(trial)
            if len(past) > 2 and trial.error > self.policy.fast * past[-3].error:
                return

    def _missing(self, trial: Trial) -> float:
        """By what factor a trial misses what is asked."""
        policy = self.policy
        slack = policy.slack if trial.member.nearest is None else policy.layer_slack
        return max(_SURE * trial.estimate, trial.error / slack) / self.tolerance

    # --- trials -----------------------------------------------------------------------------------

    def _trials(
        self, members: Sequence[Member], count: int, guide: Trial | None, grown: bool = False
    ) -> Iterator[Trial]:
        """Trials with one guide."""
        making = Making(count, guide, grown, self.policy.iterations)
        for trial in self.makes(self.lab, members, making):
            yield self._judged(trial)

    def _judged(self, trial: Trial) -> Trial:
        """A trial beside the best one, whose place it may take."""
        if self._in_layers:
            trial = self.lab.near_faces(trial)
        best = self._best
        layered = trial.member.nearest is not None
        if layered and best and trial.error < best.error and unbalanced_equations(trial.network):
            # A condition is easily met by a step of no width, in which no equation holds.
            trial = replace(trial, held_out=np.inf)
        if best is not None:
            trial = trial.beside(best)
            if best.estimate == np.inf:
                self._best = best.beside(trial)
        if best is None or trial.error < best.error:
            self._best = trial
        self.report(trial.count, trial.state.norm)  # who stops the run now finds the trial in place
        return trial

    def _note(self, trial: Trial | None) -> None:
        if trial is not None:
            self._tried.append(f"{trial.count} {trial.member}: {trial.error:.0e}")
