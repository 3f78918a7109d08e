r"""The paper's selection: draw candidates, fit each alone, keep the best one that contracts enough.

A candidate with columns M takes the step :math:`\theta = \alpha M^\dagger v` with
:math:`v = -\tilde e`, and is admissible if the true residual after it satisfies

.. math:: \xi = (r + \mu_L) E_{L-1}^2 - E_L^2 > 0, \qquad \mu_L = (1 - r)/(L + 1).

The admissible candidate with the largest :math:`\xi` is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.budget.parts import parts
from piscm.construct.checks import check_ladder
from piscm.construct.selection import Proposal, Run, Selection
from piscm.linalg.truncated import gain_of_each, solve_each
from piscm.network.nodes import Nodes

Floats = NDArray[np.float64]

# Candidates of a batch that are judged in full at first.
_FIRST = 3
# Other candidates may miss their forecast, relatively, by so many times as much as those that were
# judged. With only the best three judged, two of four runs of Van der Pol left the path of judging
# all; with this factor none of 20 did.
_TRUST = 3.0
# Besides, single precision moves the angle between a column and the residual: by 5e-7 at most in
# 160,000 candidates of the paper's problems. Where the problem is linear, those that were judged
# tell by how much: others may be off by ten times as much, and within these bounds.
_TRUST_ANGLE, _LEAST_ANGLE, _MOST_ANGLE = 10.0, 5e-7, 1e-5


@dataclass(frozen=True, kw_only=True)
class Local(Selection):
    """Judge a candidate by the gain of its own step, with all other weights unchanged.

    Parameters
    ----------
    ranges : sequence of float
        Multiples of the scale, tried in order until one has an admissible candidate.
    candidates : int
        Number of nodes drawn for each range.
    dampings : sequence of float
        Factors on a new node's own step, tried in order.
    contractions : sequence of float
        Fractions to which a node must reduce the squared residual; each range that fails moves on
        to the next for good, and after the last any decrease is accepted.
    """

    weighs_nodes: ClassVar[bool] = True
    keeps_basis: ClassVar[bool] = False
    refines: ClassVar[bool] = False
    spare_digits: ClassVar[float] = 1.0

    dampings: Sequence[float] = tuple(k / 10 for k in range(10, 0, -1))
    contractions: Sequence[float] = tuple(1 - 10.0**-k for k in range(1, 8))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ladder(self.dampings, "Local(dampings=...)")
        check_ladder(self.contractions, "Local(contractions=...)")

    def begin(self, run: Run) -> "LocalSelector":
        return LocalSelector(self, run)


class Ladder:
    """The contraction r, which only moves forward: after the last rung any decrease is accepted."""

    def __init__(self, contractions: Sequence[float]) -> None:
        self._rungs = [*map(float, contractions), 1.0]
        self._index = 0

    def bound(self, energy: float, node: int) -> float:
        """The bound that the squared residual must fall below with this node."""
        r = self._rungs[self._index]
        return float((r + (1.0 - r) / (node + 1)) * energy)

    def move_on(self) -> None:
        self._index = min(self._index + 1, len(self._rungs) - 1)


class LocalSelector:
    """The paper's selection in one run."""

    def __init__(self, options: Local, run: Run) -> None:
        self._options, self._run = options, run
        self._ladder = Ladder(options.contractions)

    def accepted(self) -> None:
        """Nothing to record: the ladder has already moved."""

    def rejected(self) -> bool:
        return True  # all ranges and dampings have been tried

    def propose(
        self, state: State, linearization: Linearization, columns: Columns, nodes: Nodes
    ) -> Proposal | None:
        """The best admissible node of the first range and damping that has one, or None."""
        options, run = self._options, self._run
        for damping in options.dampings:
            for factor in options.ranges:
                batch = run.draw(options.candidates, factor, run.rng)
                bound = self._ladder.bound(state.energy, len(state.weights) + 1)
                best = self._best(state, linearization, batch, damping)
                if not best.state.energy < bound:  # the forecast may have failed
                    best, _ = self._judged(state, linearization, batch, damping)
                if best.state.energy < bound:
                    return replace(best, range=float(factor))
                self._ladder.move_on()
        return None

    def _best(
        self, state: State, linearization: Linearization, nodes: Nodes, damping: float
    ) -> Proposal:
        """The node of a batch with the least true residual after its own step.

        What each gains if the problem is linear is forecast in single precision, and they are
        judged in full in that order, until no other can be better: none is expected to miss its
        forecast by much more than those that were judged.
        """
        gains = self._forecast(state, linearization, nodes) * damping * (2.0 - damping)
        slack = _slack(gains, _MOST_ANGLE * state.norm)
        order = np.argsort(-gains, kind="stable")
        best: Proposal | None = None
        gained, done, missed = -np.inf, 0, 0.0
        while done < len(order):
            rest = order[done:]
            reachable = (1.0 + _TRUST * missed) * gains[rest] + slack[rest]
            count = int(np.count_nonzero(reachable > gained))
            if not count:
                break
            some = rest[: _FIRST if best is None else count]
            proposal, true = self._judged(state, linearization, nodes.some(some), damping)
            if best is None or true.max() > gained:
                best, gained = proposal, float(true.max())
            with np.errstate(all="ignore"):
                off = (np.abs(true - gains[some]) - slack[some]) / gains[some]
                turned = np.abs(np.sqrt(true) - np.sqrt(gains[some]))
            missed = max(missed, float(np.max(off[np.isfinite(off)], initial=0.0)))
            done += len(some)
            if done == len(some) and np.isfinite(turned).all():  # the first ones
                angle = _TRUST_ANGLE * float(turned.max()) / state.norm
                slack = _slack(gains, np.clip(angle, _LEAST_ANGLE, _MOST_ANGLE) * state.norm)
        assert best is not None
        return best

    def _forecast(self, state: State, linearization: Linearization, nodes: Nodes) -> Floats:
        """By how much each node would lower the squared residual if the problem were linear."""
        single = self._run.system.single
        shared, target = (a.astype(np.float32) for a in (linearization.unknowns, state.residual))
        gains = np.concatenate(
            [
                gain_of_each(single.columns(nodes.some(some), linearization), shared, target)
                for some in parts(len(nodes), len(target))
            ]
        )
        return np.where(np.isfinite(gains), gains, 0.0)

    def _judged(
        self, state: State, linearization: Linearization, nodes: Nodes, damping: float
    ) -> tuple[Proposal, Floats]:
        """The best of some nodes, and by how much each of them lowers the squared residual."""
        best: Proposal | None = None
        gained = np.zeros(0)
        for some in parts(len(nodes), len(state.residual)):
            other, lowered = self._judged_part(state, linearization, nodes.some(some), damping)
            if best is None or lowered.max() > gained.max():
                best = other
            gained = np.concatenate([gained, lowered])
        assert best is not None
        return best, gained

    def _judged_part(
        self, state: State, linearization: Linearization, nodes: Nodes, damping: float
    ) -> tuple[Proposal, Floats]:
        """The same for as many nodes as are evaluated at once."""
        system = self._run.system
        columns = system.evaluate(nodes)
        design = columns.at(linearization)
        steps = damping * solve_each(
            design, linearization.unknowns, -state.residual, self._run.threshold
        )
        weights = steps[:, : system.fields]
        unknowns = system.bounds.clip(state.unknowns, steps[:, system.fields :])
        change = system.each_alone(columns, weights, unknowns)
        residuals = system.residuals(state, change)
        # Late in a run a node gains less than the round-off of the squared residuals that would be
        # compared; what it moves the residual by tells the gain to as many digits as ever.
        moved = residuals - state.residual
        gains = -np.einsum("kn,kn->k", moved, residuals + state.residual)
        gains[~np.isfinite(gains)] = -np.inf
        best = int(np.argmax(gains))
        proposal = Proposal(
            nodes=nodes.some([best]),
            columns=columns.take([best]),
            state=replace(
                state,
                weights=np.vstack([state.weights, weights[best]]),
                unknowns=state.unknowns + unknowns[best],
                strands=change.added(state, best),
                residual=residuals[best],
            ),
            range=1.0,
            damping=float(damping),
        )
        return proposal, gains


def _slack(gains: Floats, angle: float) -> Floats:
    """What an error of the angle, times the length of the residual, may add to each gain."""
    return np.asarray((np.sqrt(gains) + angle) ** 2 - gains)
