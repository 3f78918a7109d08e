"""How one window is attempted: with everything chosen automatically, or by the user's method."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
import sympy

from piscm.assemble.sampling import Sampling
from piscm.budget.budget import STOPS
from piscm.construct.construction import Construction
from piscm.fit.continuation import Continuation
from piscm.fit.grow_on import grow_on
from piscm.fit.piece import Piece, Task, best_of
from piscm.fit.pisc import PISC3
from piscm.fit.plan import Plan
from piscm.fit.portfolio import Found, Portfolio
from piscm.fit.portfolio_policy import PortfolioPolicy
from piscm.fit.side_by_side import Makes, one_by_one
from piscm.fit.stages import fit_window
from piscm.fit.trials import Laboratory
from piscm.march.policy import Attempt, MarchPolicy, Window
from piscm.network.network import Network
from piscm.result.history import Report
from piscm.result.status import Status

# In so many dimensions growth by selection is tried before many nodes are drawn at once.
_FLAT = 2


@dataclass(frozen=True)
class Setting:
    """What all attempts of a run share; `makes` makes the trials of the portfolio."""

    task: Task
    sampling: Sampling | None
    rng: np.random.Generator
    report: Report
    guess: Network | None = None
    makes: Makes = one_by_one

    def fit(self, window: Window, plan: Plan) -> Piece:
        """Fit one window according to a plan."""
        low, high, before = window.low, window.high, window.before
        return fit_window(self.task, low, high, before, plan, self.rng, self.report)


@dataclass(frozen=True)
class Attempts(ABC):
    """How windows are attempted, and the limits on each.

    Attributes
    ----------
    tolerance, max_nodes : those of one window
    activations : tuple of str
        Activations to try.
    more : int
        Factor on the number of nodes of a window if halving it does not help.
    policy : MarchPolicy
    """

    tolerance: float
    max_nodes: int
    activations: tuple[str, ...]
    more: int
    policy: MarchPolicy

    @abstractmethod
    def in_window(self, setting: Setting) -> Attempt:
        """Attempts at windows of a domain."""

    @abstractmethod
    def alone(self, setting: Setting) -> Attempt:
        """Attempts at a whole domain, without windows."""

    def at_once(self, setting: Setting) -> Found | None:
        """One network for a whole domain that could be marched, by a quick look."""
        return None


@dataclass(frozen=True)
class AutoAttempts(Attempts):
    """Networks whose activation, points and size are chosen automatically."""

    def in_window(self, setting: Setting) -> Attempt:
        own, nodes = self, self.max_nodes
        if setting.task.problem.domain.dimension == 1:
            own = replace(self, policy=self.policy.in_time)
            nodes = min(nodes, self.policy.nodes_in_time)

        def attempt(window: Window) -> Piece:
            most = window.more * nodes
            if window.inherits or window.guess is not None:
                most = int(self.policy.renewed * most)
            return own._attempt(setting, window, most)

        return attempt

    def alone(self, setting: Setting) -> Attempt:
        """More nodes, as long as the residual falls fast enough."""
        most = self.policy.alone * self.max_nodes

        def attempt(window: Window) -> Piece:
            aimed = replace(window, tolerance=self.policy.aim * window.tolerance, give_up=True)
            if setting.guess is not None:
                return self._attempt(setting, aimed, most, least=self.max_nodes)
            flat = setting.task.problem.domain.dimension <= _FLAT
            linear = all(block.linear for block in setting.task.whole.blocks)
            grows = flat and setting.sampling is None
            policy = PortfolioPolicy(pauses=grows or not linear)
            portfolio = self._portfolio(setting, window.tolerance, policy)
            found = None if portfolio is None else portfolio.run()
            if portfolio is None or found is None:
                return self._attempt(setting, aimed, most, least=self.max_nodes)
            if not linear and (portfolio.paused or found.piece.error > self.policy.astray):
                found = self._continued(setting, portfolio, found)
            if portfolio.paused and grows:
                return self._in_turns(setting, aimed, found, portfolio, most)
            if portfolio.paused and not found.piece.status.stopped:
                found = portfolio.go_on()
            if found.met or found.piece.status.stopped:
                return found.piece
            return self._grown_on(setting, aimed, found, portfolio.lab, most)

        return attempt

    def _continued(self, setting: Setting, portfolio: Portfolio, found: Found) -> Found:
        """More of the portfolio, led by what continuation in stiffness finds, if it finds a way."""
        if found.met or found.piece.status.stopped:
            return found
        continuation = Continuation(
            setting.task,
            portfolio.lab,
            self.activations,
            setting.rng,
            setting.report,
            portfolio.first_count,
            portfolio.policy.iterations,
            setting.sampling,
            setting.makes,
        )
        try:
            trials = continuation.run()
            return portfolio.led_by(trials, continuation.story) if trials else found
        except STOPS as stop:
            return replace(found, piece=found.piece.ended(Status.after(stop)))

    def _in_turns(
        self, setting: Setting, window: Window, found: Found, portfolio: Portfolio, most: int
    ) -> Piece:
        """Growth where one-shot networks have found next to nothing, then more of those."""
        try:
            grown = portfolio.contest.near_faces(self._attempt(setting, window, most))
        except STOPS as stop:
            return found.piece.ended(Status.after(stop))
        if grown.status.stopped:
            return best_of([found.piece, grown]).ended(grown.status)
        if grown.error <= window.tolerance / self.policy.aim:
            return replace(grown, tried=found.piece.tried)
        found = portfolio.go_on()
        if found.met or found.piece.status.stopped or grown.error < found.piece.error:
            best = found.piece if found.met else best_of([found.piece, grown])
            return replace(best.ended(found.piece.status), tried=found.piece.tried)
        if found.piece.error > self.policy.lost:
            return found.piece
        return self._grown_on(setting, window, found, portfolio.lab, most)

    def at_once(self, setting: Setting) -> Found | None:
        linear = all(block.linear for block in setting.task.whole.blocks)
        flat = setting.task.problem.domain.dimension <= _FLAT
        policy = PortfolioPolicy.beside_windows(linear, flat)
        portfolio = self._portfolio(setting, self.tolerance, policy)
        return None if portfolio is None else portfolio.run()

    def _portfolio(
        self, setting: Setting, tolerance: float, policy: PortfolioPolicy
    ) -> Portfolio | None:
        """None where data or unknowns are to be fitted, which takes row weights of their own."""
        problem = setting.task.problem
        if problem.asked.any() or problem.observations or not setting.task.equal:
            return None
        columns = self.policy.at_once * self.max_nodes
        return Portfolio(
            setting.task,
            tolerance,
            self.activations,
            setting.rng,
            setting.report,
            setting.sampling,
            replace(policy, columns=min(columns, policy.columns)),
            setting.makes,
        )

    def _grown_on(
        self, setting: Setting, window: Window, found: Found, lab: Laboratory, most: int
    ) -> Piece:
        """Growth from the best one-shot network, or from nothing if none found anything."""
        policy, lost = self.policy, found.piece.error > self.policy.lost
        if not lost and len(found.piece.network.nodes) * 2 > most:
            return found.piece
        method = PISC3(
            selection="orthogonal",
            candidates=policy.candidates,
            activation=found.member.activation,
            max_nodes=most,
            tolerance=window.tolerance,
        )
        try:
            if lost:
                grown = self._attempt(setting, window, most, least=self.max_nodes)
            else:
                grown = grow_on(found, lab, method, setting.rng, setting.report)
        except STOPS as stop:
            return found.piece.ended(Status.after(stop))
        best = min(found.piece, grown, key=lambda piece: piece.error)
        return replace(best.ended(grown.status), tried=found.piece.tried)

    def _attempt(self, setting: Setting, window: Window, most: int, least: int = 0) -> Piece:
        """One window, from the solution of a similar problem if that is given and does."""
        plan = self._plan(setting, window, most, least)
        if window.guess is not None:
            return setting.fit(window, replace(plan, guess=window.guess))
        guess = setting.guess
        if guess is None or window.before is not None:
            return setting.fit(window, plan)
        alike = replace(window, activations=(guess.activation,), points=4 * len(guess.nodes))
        plan_alike = replace(self._plan(setting, alike, most, least), guess=guess)
        piece = setting.fit(window, plan_alike)
        if piece.status.stopped or piece.error <= plan.enough:
            return piece
        return best_of([piece, setting.fit(window, plan)])

    def _plan(self, setting: Setting, window: Window, most: int, least: int) -> Plan:
        policy = self.policy
        methods = [
            PISC3(
                selection="orthogonal",
                candidates=policy.candidates,
                activation=activation,
                max_nodes=most,
                tolerance=window.tolerance,
            )
            for activation in window.activations
        ]
        sampling, per_node = setting.sampling, 0.0
        if sampling is None:
            flat = setting.task.problem.domain.dimension <= 2
            interior = max(policy.points.least, window.points)
            sampling = Sampling(interior, interior // _inside_for_each(flat, window.within))
            per_node = policy.points_per_node
        return Plan(
            methods,
            sampling,
            stages=range(policy.trial, most, policy.stage),
            points_per_node=per_node,
            out_of_reach=policy.out_of_reach(most, least) if window.give_up else None,
            inherits=window.inherits,
            kept=window.kept,
            expected=window.expected,
            fields=window.fields,
            least_share=policy.least_share if window.within else 0.0,
            enough=policy.miss * window.tolerance,
            worth_growing=policy.patience * window.tolerance,
            policy=policy.points,
        )


def _inside_for_each(flat: bool, within: bool) -> int:
    """Points of the equations for each point of a condition.

    Faces of two or more dimensions need points like the interior; on a line fewer suffice. Windows
    have many conditions, of time and at the sides, and twice as many points of them changed no
    error: they were 43 % of the rows of sine-Gordon, 56 % of those of Kuramoto–Sivashinsky.
    """
    if not flat:
        return 2
    return 8 if within else 4


@dataclass(frozen=True)
class FixedAttempts(Attempts):
    """Networks by a method with the user's settings."""

    method: Construction

    @classmethod
    def by(cls, method: Construction) -> "FixedAttempts":
        """Every window by the same method, unchanged."""
        return cls(
            tolerance=method.tolerance,
            max_nodes=method.max_nodes,
            activations=(method.activation,),
            more=1,
            policy=MarchPolicy(inherits=False),
            method=method,
        )

    def in_window(self, setting: Setting) -> Attempt:
        points = Sampling() if setting.sampling is None else setting.sampling

        def attempt(window: Window) -> Piece:
            own = replace(self.method, tolerance=window.tolerance)
            return setting.fit(window, Plan([own], points, policy=self.policy.points))

        return attempt

    def alone(self, setting: Setting) -> Attempt:
        return self.in_window(setting)


@dataclass(frozen=True)
class March:
    """How a run proceeds from window to window.

    Attributes
    ----------
    attempts : Attempts
    coordinate : sympy.Symbol or None
        The one to march along, if any.
    count : int or None
        Number of windows of equal length; None makes each as long as the nodes can resolve.
    required : bool
        The user asked for windows; one network for the whole domain will not do.
    """

    attempts: Attempts
    coordinate: sympy.Symbol | None
    count: int | None = None
    required: bool = False
