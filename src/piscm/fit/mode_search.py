"""The search for a network in which modes are accurate: small trials first, then more nodes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import Points, draw_points
from piscm.budget.budget import STOPS
from piscm.budget.clock import check_time
from piscm.fit.eigenproblem import ZERO, Modes, at_home, eigenvalue_of, modes_of
from piscm.fit.members import Member
from piscm.fit.piece import Task
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.problem.errors import ProblemError
from piscm.result.history import Report
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Weights of the first trials and of the last.
_FIRST, _LAST = 100, 1600
# Scales of the first trials, as far as the points can see, and how many radians or steps that is.
_LADDERS = {
    "sin": (np.pi, (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)),
    "tanh": (1.0, (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)),
    "gaussian": (1.0, (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)),
}
# Fitted points of the equations for each weight, and of every condition.
_INSIDE, _AROUND = 4, 2
# A mode whose residual is larger than this is none.
_NOTHING = 0.5
# The estimate of an error is right within this factor, mostly; of two networks, the error of the
# better one is at least this fraction of their distance.
_SURE, _LEAST = 2.0, 0.05
# Twice as many nodes must lower the residual to this fraction, or the search ends.
_FAST = 0.5
# Modes whose eigenvalues differ less than this, relatively, may be mixed with each other.
_ALIKE = 0.05


@dataclass(frozen=True)
class Trial:
    """The modes in the span of some nodes.

    Attributes
    ----------
    member : Member
    nodes : Nodes
    modes : Modes
        Those asked for, in ascending order, then some more.
    count : int
        How many were asked for; fewer if there are not as many.
    points, fresh : Points
    estimates : ndarray, shape (count,)
        The estimated relative error of each mode and its eigenvalue.
    """

    member: Member
    nodes: Nodes
    modes: Modes
    count: int
    points: Points
    fresh: Points
    estimates: Floats

    @property
    def residual(self) -> float:
        """The largest of the modes asked for."""
        own = self.modes.residuals[: self.count]
        return float(own.max()) if len(own) else np.inf

    @property
    def rank(self) -> tuple[int, float]:
        """How good it is, the best first: by the number of modes, then by their residual."""
        return -self.count, self.residual

    def error(self, number: int) -> float:
        """The estimated relative error of a mode and its eigenvalue, with a margin."""
        # Of least squares the eigenvalue is off by about the residual, in all networks alike.
        own = max(self.modes.residuals[number], self.modes.moves[number])
        return float(_SURE * max(self.estimates[number], own))

    def network(self, task: Task, number: int) -> Network:
        """A mode, with root mean square 1."""
        problem, own = task.problem, self.modes.weights[:, number]
        count = len(self.nodes) * len(problem.fields)
        unknowns = np.full(len(problem.unknowns), self.modes.values[number])
        unknowns[~problem.asked] = own[count:]
        weights = own[:count].reshape(len(self.nodes), -1)
        kind = self.member.activation
        return Network(problem, task.start, kind, self.nodes, weights, unknowns)

    def beside(self, task: Task, other: "Trial") -> "Trial":
        """The same with errors estimated from the distance to a trial that is less accurate."""
        share = max(_LEAST, min(1.0, self.residual / other.residual))
        made = np.array([self._distance(task, number, other) for number in range(self.count)])
        return replace(self, estimates=np.fmin(self.estimates, share * made))

    def _distance(self, task: Task, number: int, other: "Trial") -> float:
        """How far a mode and its eigenvalue are from those of another trial."""
        value = self.modes.values[number]
        size = max(abs(value), ZERO * float(np.abs(self.modes.values).max()))
        gaps = np.abs(other.modes.values - value)
        near = np.flatnonzero(gaps <= _ALIKE * size)
        if not len(near):
            return np.inf
        points = self.fresh
        mine = _values(self.network(task, number), points)
        theirs = np.stack([_values(other.network(task, int(i)), points) for i in near], axis=1)
        left = mine - theirs @ np.linalg.lstsq(theirs, mine, rcond=None)[0]
        return float(max(np.linalg.norm(left) / np.linalg.norm(mine), gaps.min() / size))


@dataclass
class ModeSearch:
    """One search for the modes nearest to the first guess.

    Attributes
    ----------
    task : Task
    count : int
    tolerance : float
        On the estimated relative error of modes and eigenvalues.
    rng : numpy.random.Generator
    report : Report
    sampling : Sampling or None
        The user's points, if they were given.
    """

    task: Task
    count: int
    tolerance: float
    rng: np.random.Generator
    report: Report
    sampling: Sampling | None = None

    def run(self) -> tuple[Trial, Status, tuple[str, ...]]:
        """The best trial, how the search ended, and what was tried."""
        self._keys = [int(key) for key in self.rng.integers(2**62, size=2)]
        self._best: Trial | None = None
        self._tried: list[str] = []
        status = Status.HOPELESS
        try:
            for _ in self._stages():
                if self._met:
                    status = Status.CONVERGED
                    break
                check_time()
        except STOPS as stop:
            if self._best is None:
                raise
            status = Status.after(stop)
        best = self._best
        if best is None or not best.count:
            raise ProblemError(
                "No mode was found near the first guess of the eigenvalue and within its bounds: "
                "give another one, or see whether the conditions allow any."
            )
        return best, status, tuple(self._tried)

    @property
    def _shift(self) -> float:
        return self.task.problem.unknowns[eigenvalue_of(self.task.problem)]

    @property
    def _met(self) -> bool:
        best = self._best
        if best is None or best.count < self.count:
            return False
        return all(best.error(number) <= self.tolerance for number in range(best.count))

    def _stages(self) -> Iterator[None]:
        dimension, fields = self.task.problem.domain.dimension, len(self.task.problem.fields)
        count = _FIRST if dimension > 1 else _FIRST // 2
        leaders: list[Trial] = []
        seen = (2 * count) ** (1 / dimension)
        for name, (finest, ladder) in _LADDERS.items():
            trials = []
            for scale in ladder:
                if scale <= finest * seen:
                    trials.append(self._trial(Member(name, (scale,) * dimension), count))
                    yield
            leaders.append(min(trials, key=lambda trial: trial.rank))
        leaders.sort(key=lambda trial: trial.rank)
        members = [leader.member for leader in leaders[:2]]
        past = [self._missed(leaders[0])]
        while 2 * count * fields <= _LAST:
            count *= 2
            trials = []
            for member in dict.fromkeys([*members, *members[0].finer, _coarser(members[0])]):
                trials.append(self._trial(member, count))
                yield
            trials.sort(key=lambda trial: trial.rank)
            members = [trials[0].member, trials[1].member]
            past.append(self._missed(trials[0]))
            if len(past) > 2 and past[-1] > _FAST**2 * past[-3]:
                return

    def _missed(self, trial: Trial) -> float:
        return trial.residual if trial.count == self.count else np.inf

    def _trial(self, member: Member, count: int) -> Trial:
        points, fresh = self._points(count)
        rng = np.random.default_rng([self._keys[0], count])
        box = self.task.problem.domain.bounding_box
        nodes = member.draw(count, box, rng)
        modes = modes_of(self.task, member.activation, nodes, (points, fresh), self.count, rng)
        order = _asked_first(modes, self.count, self._shift)
        kept = Modes(
            modes.values[order], modes.weights[:, order], modes.residuals[order], modes.moves[order]
        )
        found = min(self.count, int(np.count_nonzero(modes.residuals < _NOTHING)))
        trial = Trial(member, nodes, kept, found, points, fresh, np.full(found, np.inf))
        best = self._best
        if best is not None and best.count == trial.count > 0:
            better, worse = sorted((best, trial), key=lambda own: own.rank)
            self._best = better.beside(self.task, worse)
        elif best is None or trial.count > best.count:
            self._best = trial
        self._tried.append(f"{count} {member}: {trial.residual:.0e}")
        self.report(count, self._best.residual if self._best else np.inf)
        return trial

    def _points(self, count: int) -> tuple[Points, Points]:
        fields = len(self.task.problem.fields)
        sampling = self.sampling or Sampling(_INSIDE * count * fields, _AROUND * count)
        rng = np.random.default_rng([self._keys[1], count])
        domain, blocks = self.task.problem.domain, self.task.whole.blocks
        points = draw_points(domain, blocks, sampling, rng)
        return points, draw_points(domain, blocks, sampling.elsewhere, rng)


def _asked_first(modes: Modes, count: int, shift: float) -> NDArray[np.int_]:
    """The modes nearest to a value, ascending; then the others. What is no mode comes last."""
    distance = np.where(modes.residuals < _NOTHING, np.abs(modes.values - shift), np.inf)
    order = np.argsort(distance, kind="stable")
    first = order[:count]
    return np.concatenate([first[np.argsort(modes.values[first], kind="stable")], order[count:]])


def _coarser(member: Member) -> Member:
    return replace(member, scales=tuple(scale / np.sqrt(2.0) for scale in member.scales))


def _values(network: Network, points: Points) -> Floats:
    own = [
        network.value(network.compile(item), inside)
        for item, inside in at_home(network.problem, points)
    ]
    return np.concatenate(own)
