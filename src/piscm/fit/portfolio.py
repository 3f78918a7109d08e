"""A portfolio of one-shot networks for a whole domain: cheap trials, the best of which goes on.

1. Scan: small networks of every activation on a ladder of scales.
2. Search: a scale for each coordinate, by factors of 2.
3. Enlarge: more nodes, as long as the residual at fresh points falls fast.
4. Where that stalls, the best member of another activation, or one with layers, takes its turn.

Where the first scan finds next to nothing the run pauses, so that growth by selection may be tried:
it finds steep nodes of the right direction (a slanted layer), which random draws hardly do.

Who is best, and whether that will do, is told by a `Contest`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from piscm.assemble.grading import all_faces
from piscm.assemble.sampling import Sampling
from piscm.budget.budget import STOPS
from piscm.budget.clock import check_time
from piscm.fit.contest import Contest
from piscm.fit.members import VERY_MANY, Member
from piscm.fit.piece import Piece, Task
from piscm.fit.portfolio_policy import PortfolioPolicy
from piscm.fit.side_by_side import Makes, one_by_one
from piscm.fit.trial import Trial
from piscm.fit.trials import Laboratory
from piscm.network.activations import activation_named
from piscm.result.history import Report
from piscm.result.status import Status

# Above this residual nothing at all was found, and the whole ladder is tried again with more nodes.
_NOTHING = 0.5
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
        self.contest = Contest(
            self.task.problem, self.lab, self.tolerance, self.policy, self.makes, self.report
        )
        self._scanned_as: dict[str, Member] = {}  # by kind, before its scales were searched
        self._reached: dict[int, float] = {}  # the least residual, by number of nodes
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
                if self.contest.met:
                    status = Status.CONVERGED
                    break
                check_time()
                if self.paused:
                    break
        except STOPS as stop:
            if self.contest.leader is None:
                raise
            status = Status.after(stop)
        best, tried = self.contest.best, tuple(self.contest.tried)
        piece = replace(best.piece(status), estimate=best.estimate, tried=tried)
        return Found(piece, self.contest.met, best.member)

    def led_by(self, trials: Sequence[Trial], how: str) -> Found:
        """The same from trials, one of a kind, that somebody else has found a way to."""
        self.contest.tried.append(how)
        self._todo = self._pursued({own.member.kind: self.contest.judged(own) for own in trials})
        return self.go_on()

    @property
    def _fields(self) -> int:
        return len(self.task.problem.fields)

    @property
    def _linear(self) -> bool:
        return all(block.linear for block in self.task.whole.blocks)

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
            if self.contest.seems_layered:
                yield from self._layered(count, leaders)
            most = 4 * count * self._fields > self.policy.columns
            if most or self.contest.best.error <= self.policy.learnt:
                break
            if count == first and self.policy.pauses:
                self.paused = True
                yield
        if self.contest.best.error > self.policy.learnt and self.policy.rounds == 1:
            return  # windows will do better
        yield from self._pursued(leaders)

    def _pursued(self, leaders: dict[str, Trial]) -> Iterator[None]:
        """The best of each kind: its scales, then more nodes, then the next best."""
        first = self.first_count
        yield from self._raced(leaders)
        while leaders:
            leader = leaders.pop(min(leaders, key=lambda kind: leaders[kind].error))
            if leader.error > self.policy.learnt and leader is not self.contest.leader:
                return
            yield from self._enlarged(leader)
            if not self.contest.in_layers:
                found: dict[str, Trial] = {}
                yield from self._layered(first, found)
                leaders.update(found)

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
        if not self.contest.boxed or not self.policy.layers:
            return
        leaders.update(self.contest.look_at_faces(leaders))
        dimension, layers = self.task.problem.domain.dimension, self.policy.layers
        even = (1.0,) * dimension
        names = [name for name in self.activations if activation_named(name).localized]
        for name in names:
            members = [Member(name, even, nearest) for nearest in layers]
            yield from self._ladder(members, count, leaders)
        if dimension == 1 or self.contest.best.error <= self.policy.learnt:
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
        kind, known, best = members[0].kind, None, self.contest.leader
        before = leaders.pop(kind, None)
        if before is not None and best is not None and best.error < _NOTHING:
            if before.error > _BEHIND * best.error:
                return  # it was far behind with fewer nodes already
            place = members.index(before.member)
            members = members[max(0, place - 1) : place + 2]
        # The first one guides the others.
        for group in (members[:1], members[1:]):
            for trial in self.contest.trials(group, count, self.contest.leader):
                if known is None or trial.error < known.error:
                    leaders[kind] = known = trial
                yield
        self.contest.note(known)

    def _raced(self, leaders: dict[str, Trial]) -> Iterator[None]:
        """A scale for each coordinate, then twice the nodes, for all that are not far behind."""
        near = _BEHIND * self.contest.best.error
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
                for trial in self.contest.trials(members, last.count, last):
                    yield
                    if trial.error < self.policy.better * last.error:
                        last = leaders[kind] = trial
                        improved = True
                        break
        self.contest.note(last)

    def _allows(self, member: Member) -> bool:
        return member.activation in self.activations

    @property
    def _cheap(self) -> int:
        """The number of nodes up to which members are compared."""
        return 4 * self.first_count

    def _larger(self, kind: str, count: int, leaders: dict[str, Trial]) -> Iterator[None]:
        """More nodes, the new ones with the same scale, or larger ones as long as that helps."""
        last, others = leaders[kind], leaders.values()
        ahead = min((own.error for own in others if own.count == count), default=np.inf)
        members: Sequence[Member] = (last.member, *last.member.finer)
        while members:  # a scale that few nodes did not need is reached step by step
            for trial in self.contest.trials(members, count, last, grown=True):
                yield
                if trial.error < leaders[kind].error:
                    leaders[kind] = trial
                if trial.error > _BEHIND * ahead:  # another scale rarely makes up for that
                    self.contest.note(leaders[kind])
                    return
            best = leaders[kind].member
            members = best.finer if best != last.member and best in members else ()
        for trial in self.contest.trials(self._undone(last.member), count, last):
            yield
            if trial.error < leaders[kind].error:
                leaders[kind] = trial
        self.contest.note(leaders[kind])

    def _undone(self, member: Member) -> list[Member]:
        """A member without one of the changes of the search, for each; only once.

        A trial of a nonlinear problem takes many fits, too many to make sure.
        """
        before = self._scanned_as.pop(member.kind, member)
        return member.nearer(before) if self._linear else []

    def _far_behind(self, trial: Trial) -> bool:
        """Whether a member was far better with as many nodes; a few seconds say so, not minutes."""
        best = self._reached[trial.count] = min(trial.error, self._reached.get(trial.count, np.inf))
        return trial.error > _BEHIND * best

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
            (trial,) = self.contest.trials([last.member], count, last, grown=True)
            yield
            # What was best for few nodes may not be for many.
            slow = trial.error > self.policy.fast * last.error
            finer = last.member.finer if slow or count <= self._cheap else ()
            for other in self.contest.trials(finer, count, last, grown=True):
                yield
                trial = other if other.promises_more(trial) else trial
            for other in self.contest.trials(self._undone(last.member), count, last):
                yield
                trial = other if other.error < trial.error else trial
            past.append(trial)
            self.contest.note(trial)
            if count > self._cheap and self._far_behind(trial):
                return
            if len(past) > 2 and trial.error > self.policy.fast * past[-3].error:
                return
