"""The marching methods: `Auto`, which chooses everything itself, and `Windows`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import sympy

from piscm.assemble.marching import checked_coordinate, marching_coordinate
from piscm.budget.budget import STOPS
from piscm.construct.checks import check_count, check_positive
from piscm.construct.construction import Construction
from piscm.fit.pisc import PISC3
from piscm.fit.plan import PointPolicy
from piscm.march.attempts import AutoAttempts, FixedAttempts, March
from piscm.march.instead import patches_instead
from piscm.march.policy import MarchPolicy
from piscm.march.run import run
from piscm.network.activations import activation_named
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.network.saved import class_named
from piscm.patches.run import Asked
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.method import Method, Outcome, Request
from piscm.result.status import Status

# If the estimated error misses the tolerance, the run is repeated, at most so often, with one that
# is smaller by that factor, a margin and no more than this.
_TIGHTENED, _MARGIN, _MOST = 2, 3.0, 1e3

ACTIVATIONS = ("sin", "tanh", "gaussian")


class _Marching(Method):
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
class Auto(_Marching):
    """Choose everything automatically: nodes, activation, points, row weights and windows.

    First a portfolio of networks whose nodes are drawn all at once is tried on the whole domain:
    every activation on a ladder of scales, layers at the faces, then more nodes of the best. Where
    that does not do, nodes are selected orthogonally, at scales drawn with them; points are added
    with the nodes, half of them residual-weighted; row scaling balances rows of every kind. If
    conditions on the low face of a coordinate make an initial value problem, the domain is cut
    along it into windows as long as the nodes can resolve. Where there is none and one network does
    not do, `Patches` are tried.

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
        coordinate = marching_coordinate(request.problem)
        outcome = run(request, March(self._attempts, coordinate))
        for _ in range(_TIGHTENED):
            factor = self._missing(request.problem, outcome)
            if factor <= 1:
                break
            # The residual met the tolerance and the error did not: some problems amplify it.
            tighter = replace(self, tolerance=self.tolerance / min(_MARGIN * factor, _MOST))
            try:
                again = run(request, March(tighter._attempts, coordinate))
            except STOPS as stop:  # what was found before is whole
                return replace(outcome, status=Status.after(stop))
            if again.status.stopped:
                return replace(outcome, status=again.status)
            if again.status is not Status.CONVERGED or again.error is None:
                break
            if not again.error.relative < factor * self.tolerance:
                break
            outcome = again
        if coordinate is not None:  # shorter windows are tried already
            return outcome
        return patches_instead(
            request, outcome, Asked(tolerance=self.tolerance, most=self.max_nodes)
        )

    def _missing(self, problem: Problem, outcome: Outcome) -> float:
        """The factor by which the error misses the tolerance though the residual met it."""
        error = outcome.error
        if outcome.status is not Status.CONVERGED or error is None or problem.observations:
            return 0.0
        return error.relative / self.tolerance if np.isfinite(error.relative) else 0.0

    @property
    def _attempts(self) -> AutoAttempts:
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


@dataclass(frozen=True)
class Windows(_Marching):
    """March along one coordinate; each window takes its initial conditions from the previous one.

    Parameters
    ----------
    coordinate : sympy.Symbol
        The one with initial conditions, those on its low face.
    count : int or "auto"
        This many windows of equal length, or as many as it takes: a window that misses the method's
        tolerance is halved.
    method : PISC1, PISC2, PISC3 or Auto, optional
        How each window is solved. The default is `Auto` if the count is "auto", and otherwise
        `PISC3` with orthogonal selection. Row scaling is used whatever the method.
    """

    coordinate: sympy.Symbol
    count: int | str = 5
    method: Construction | Auto | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.coordinate, sympy.Symbol):
            raise ProblemError(f"Windows({brief(self.coordinate)}): give a coordinate, as t.")
        if isinstance(self.count, str):
            if self.count != "auto":
                raise ProblemError(f"Windows(count={self.count!r}): give a number, or 'auto'.")
        else:
            check_count(self.count, "Windows(count=...)")
            object.__setattr__(self, "count", int(self.count))
        if self.method is not None and not isinstance(self.method, Construction | Auto):
            raise ProblemError("Windows(method=...): give PISC1(), PISC2(), PISC3() or Auto().")
        if self.count == "auto" and not self.each.tolerance > 0:
            raise ProblemError(
                "Windows(count='auto') splits what misses the tolerance: give its method one."
            )

    @property
    def each(self) -> Construction | Auto:
        """How each window is solved."""
        if self.method is not None:
            return self.method
        return Auto() if self.count == "auto" else PISC3(selection="orthogonal", candidates=100)

    def check(self, problem: Problem) -> None:
        self.each.check(problem)
        checked_coordinate(problem, self.coordinate)

    @property
    def time_limit(self) -> float | None:
        return self.each.max_seconds

    @property
    def asked(self) -> float:
        return self.each.asked

    def with_tolerance(self, tolerance: float) -> "Windows":
        return replace(self, method=replace(self.each, tolerance=tolerance))

    def run(self, request: Request) -> Outcome:
        each = self.each
        attempts = each._attempts if isinstance(each, Auto) else FixedAttempts.by(each)
        count = None if isinstance(self.count, str) else self.count
        return run(request, March(attempts, self.coordinate, count, required=True))

    def options(self) -> dict[str, Any]:
        return {
            "coordinate": self.coordinate.name,
            "count": self.count,
            "method": self.each.document(),
        }

    @classmethod
    def from_options(cls, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]) -> Self:
        named = {symbol.name: symbol for symbol in coordinates}
        each = options["method"]
        if set(options) != {"coordinate", "count", "method"}:
            raise ProblemError(f"its windows have the options {brief(list(options))}.")
        kind = class_named(Method, each["name"])
        if not issubclass(kind, Construction | Auto):
            raise ProblemError(f"its windows hold {brief(each['name'])}.")
        method = kind.from_options(each["options"], coordinates)
        return cls(named[options["coordinate"]], options["count"], method=method)
