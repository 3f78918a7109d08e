"""`Auto`, which chooses everything itself."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import sympy

from piscm.assemble.marching import marching_coordinate
from piscm.budget.budget import STOPS
from piscm.construct.checks import check_count, check_positive
from piscm.fit.plan import PointPolicy
from piscm.march.attempts import AutoAttempts, March
from piscm.march.instead import patches_instead
from piscm.march.layered import in_layers, one_or_other
from piscm.march.policy import MarchPolicy
from piscm.march.run import run
from piscm.network.activations import activation_named
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.patches.asked import Asked
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.method import Method, Outcome, Request
from piscm.result.status import Status

# If the estimated error misses the tolerance, the run is repeated, at most so often, with one that
# is smaller by that factor and a margin; where that does not do, for a residual as much smaller
# than the one reached. It is never smaller than ours by more than this.
_TIGHTENED, _MARGIN, _MOST = 2, 3.0, 1e3
# Such a run may fall short of what it was asked for.
_SHORT = (Status.HOPELESS, Status.STALLED, Status.NODE_LIMIT)

ACTIVATIONS = ("sin", "tanh", "gaussian")


class Marching(Method):
    """What `Auto` and `Windows` have in common."""

    @property
    def measure(self) -> str:
        return "relative to the solution sought, at fresh points too"

    def chosen(self, model: Model) -> str:
        if isinstance(model, Patchwork):
            return str(model)
        assert isinstance(model, Network)
        panels, domain = model.panels, model.problem.domain
        if panels is None:
            return f"one window, {model.activation} nodes"
        coordinate = domain.coordinates[panels.axis]
        start, end = domain.span(coordinate)
        ends, counts = [start, *panels.edges, end], panels.counts
        if model.solved_up_to < end:
            ends, counts = ends[:-1], counts[:-1]
        if model.solved_down_to > start:
            ends, counts = ends[1:], counts[1:]
        kinds = " and ".join(sorted(set(panels.activations)))
        many = f"{len(counts)} windows" if len(counts) > 1 else "one window"
        return (
            f"{many} along {coordinate}, {_span(np.diff(ends))} long, of "
            f"{_span(counts)} {kinds} nodes"
        )


def _span(numbers: Any) -> str:
    """From the smallest to the largest, in words."""
    low, high = f"{min(numbers):.3g}", f"{max(numbers):.3g}"
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, kw_only=True)
class Auto(Marching):
    """Choose everything automatically: nodes, activation, points, row weights and windows.

    First a portfolio of networks whose nodes are drawn all at once is tried on the whole domain:
    every activation on a ladder of scales, layers at the faces, then more nodes of the best. Where
    that does not do, nodes are selected orthogonally, at scales drawn with them; points are added
    with the nodes, half of them residual-weighted; row scaling balances rows of every kind. If
    conditions on the low face of a coordinate make an initial value problem, the domain is cut
    along it into windows as long as the nodes can resolve. Where there is none and one network does
    not do, `Patches` are tried, and on shapes singular functions and rings around the corners.

    Parameters
    ----------
    tolerance : float
        Largest residual relative to the solution sought, at validation points too. Row scaling puts
        it in the units of the fields, so it indicates the size of the error.
    max_nodes : int
        Maximum number of nodes of one window; twice as many if a shorter one is no easier, four
        times as many if there is nothing to march along. A network whose nodes are drawn all at
        once may have ten times as many weights.
    activation : {"sin", "tanh", "sigmoid", "gaussian"}, optional
        If omitted, sine, tanh and Gaussian nodes are tried in every window that is not easy.
    max_seconds : float, optional
        The run ends after this time, with the best it has found.
    policy : MarchPolicy
        The parameters behind its choices, for studies.

    Examples
    --------
    >>> import piscm
    >>> t = piscm.coordinates("t")
    >>> u = piscm.field("u", t)
    >>> decay = piscm.Problem(
    ...     piscm.Box({t: (0, 1)}), [u.diff(t) + u], [piscm.Condition(u - 1, on={t: 0})]
    ... )
    >>> piscm.solve(decay, piscm.Auto(tolerance=1e-4, max_seconds=30)).status.ok
    True
    """

    tolerance: float = 1e-6
    max_nodes: int = 400
    activation: str | None = None
    max_seconds: float | None = None
    policy: MarchPolicy = field(default_factory=MarchPolicy)

    def __post_init__(self) -> None:
        check_positive(self.tolerance, "Auto(tolerance=...)")
        if self.tolerance >= 1:
            raise ProblemError(
                f"Auto(tolerance={self.tolerance!r}): it is relative to the solution; give a "
                "number below 1."
            )
        check_count(self.max_nodes, "Auto(max_nodes=...)")
        if self.max_seconds is not None:
            check_positive(self.max_seconds, "Auto(max_seconds=...)")
        if self.activation is not None:
            activation_named(self.activation)
        if not isinstance(self.policy, MarchPolicy):
            raise ProblemError(f"Auto(policy={brief(self.policy)}): give a MarchPolicy(...).")

    def check(self, problem: Problem) -> None:
        """Accept any problem."""

    def run(self, request: Request) -> Outcome:
        if request.problem.domain.dimension > 1:
            return one_or_other(request, self._in_layers, self._run)
        # On a line one network mostly finds layers in a moment, and tells its error more closely.
        return one_or_other(request, self._run, self._in_layers)

    def _in_layers(self, request: Request) -> Outcome | None:
        return in_layers(request, self.tolerance) if self.activation is None else None

    def _run(self, request: Request) -> Outcome:
        coordinate = marching_coordinate(request.problem)
        begun = deepcopy(request.rng)
        outcome = run(request, March(self.attempts, coordinate))
        for turn in range(_TIGHTENED):
            factor = self._missing(request.problem, outcome)
            if factor <= 1:
                break
            # The residual met the tolerance and the error did not: some problems amplify it. The
            # same random numbers lead to what is known, and beyond.
            below = min(self.tolerance, outcome.residual) if turn else self.tolerance
            wanted = max(below / (_MARGIN * factor), self.tolerance / _MOST)
            march = March(replace(self, tolerance=wanted).attempts, coordinate)
            try:
                again = run(replace(request, rng=deepcopy(begun)), march)
            except STOPS as stop:  # what was found before is whole
                return replace(outcome, status=Status.after(stop))
            if again.status.stopped:
                return replace(outcome, status=again.status)
            better = again.error and again.error.relative < factor * self.tolerance
            if better and self._met(again):
                outcome = replace(again, status=Status.CONVERGED)
            if again.status is not Status.CONVERGED:  # there is no more to be had
                break
        if coordinate is not None:  # shorter windows are tried already
            return outcome
        return patches_instead(
            request, outcome, Asked(tolerance=self.tolerance, most=self.max_nodes)
        )

    def _met(self, outcome: Outcome) -> bool:
        """Whether a run met our tolerance, if not the tighter one that it was asked for."""
        if outcome.status in _SHORT:
            return outcome.residual <= self.tolerance
        return outcome.status is Status.CONVERGED

    def _missing(self, problem: Problem, outcome: Outcome) -> float:
        """The factor by which the error misses the tolerance though the residual met it."""
        error = outcome.error
        if outcome.status is not Status.CONVERGED or error is None or problem.observations:
            return 0.0
        return error.relative / self.tolerance if np.isfinite(error.relative) else 0.0

    @property
    def attempts(self) -> AutoAttempts:
        activations = ACTIVATIONS if self.activation is None else (self.activation,)
        return AutoAttempts(
            tolerance=self.tolerance,
            max_nodes=self.max_nodes,
            activations=activations,
            more=self.policy.more,
            policy=self.policy,
        )

    @classmethod
    def from_options(cls, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]) -> Self:
        policy = dict(options["policy"])
        points = PointPolicy(**policy.pop("points"))
        return cls(**{**options, "policy": MarchPolicy(points=points, **policy)})
