"""How one window is attempted: with everything found out, or by a method of the user's."""

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from piscm.assemble.sampling import Sampling
from piscm.construct.construction import Construction
from piscm.fit.piece import Piece, Task
from piscm.fit.pisc import PISC3
from piscm.fit.stages import Plan, fit_window
from piscm.march.policy import Attempt, MarchPolicy, Window
from piscm.result.history import Report


@dataclass(frozen=True)
class Setting:
    """What every attempt of a run shares."""

    task: Task
    sampling: Sampling | None
    rng: np.random.Generator
    report: Report
    deadline: float

    @property
    def seconds_left(self) -> float | None:
        return None if np.isinf(self.deadline) else max(1e-3, self.deadline - time.perf_counter())

    def fit(self, window: Window, plan: Plan) -> Piece:
        """One window by a plan."""
        low, high, before = window.low, window.high, window.before
        return fit_window(self.task, low, high, before, plan, self.rng, self.report)


@dataclass(frozen=True)
class Attempts(ABC):
    """How windows are attempted, and the limits that hold for each.

    Attributes
    ----------
    tolerance, max_nodes : of one window
    activations : tuple of str
        Those that are tried.
    max_seconds : float or None
        Of the whole run.
    more : int
        How many times as many nodes a window may have where halving it does not help.
    finds_out : bool
        Whether nodes, points and windows are chosen, and not as the user gave them.
    policy : MarchPolicy
    """

    tolerance: float
    max_nodes: int
    activations: tuple[str, ...]
    max_seconds: float | None
    more: int
    finds_out: bool
    policy: MarchPolicy

    @abstractmethod
    def in_window(self, setting: Setting) -> Attempt:
        """Attempts at windows of a domain."""

    @abstractmethod
    def alone(self, setting: Setting) -> Attempt:
        """Attempts at a whole domain, with nothing to cut."""


@dataclass(frozen=True)
class AutoAttempts(Attempts):
    """Networks whose activation, points and size are found out."""

    def in_window(self, setting: Setting) -> Attempt:
        return lambda window: self._attempt(setting, window, window.more * self.max_nodes)

    def alone(self, setting: Setting) -> Attempt:
        """More nodes, for as long as they promise enough."""
        most = self.policy.alone * self.max_nodes

        def attempt(window: Window) -> Piece:
            aimed = replace(window, tolerance=self.policy.aim * window.tolerance, give_up=True)
            return self._attempt(setting, aimed, most, least=self.max_nodes)

        return attempt

    def _attempt(self, setting: Setting, window: Window, most: int, least: int = 0) -> Piece:
        policy = self.policy
        methods = [
            PISC3(
                selection="orthogonal",
                candidates=policy.candidates,
                activation=activation,
                max_nodes=most,
                tolerance=window.tolerance,
                max_seconds=setting.seconds_left,
            )
            for activation in window.activations
        ]
        sampling, per_node = setting.sampling, 0.0
        if sampling is None:
            # Faces of two dimensions and more take after the interior; on a line fewer are plenty.
            flat = setting.task.problem.domain.dimension <= 2
            interior = int(policy.points_per_node * policy.trial)
            sampling = Sampling(interior, interior // 4 if flat else interior // 2)
            per_node = policy.points_per_node
        plan = Plan(
            methods,
            sampling,
            stages=range(policy.trial, most, policy.stage),
            points_per_node=per_node,
            out_of_reach=policy.out_of_reach(most, least) if window.give_up else None,
            policy=policy.points,
        )
        return setting.fit(window, plan)


@dataclass(frozen=True)
class FixedAttempts(Attempts):
    """Networks by a method whose settings the user gave."""

    method: Construction

    @classmethod
    def by(cls, method: Construction) -> "FixedAttempts":
        """Every window by the same method, as it is."""
        return cls(
            tolerance=method.tolerance,
            max_nodes=method.max_nodes,
            activations=(method.activation,),
            max_seconds=method.max_seconds,
            more=1,
            finds_out=False,
            policy=MarchPolicy(),
            method=method,
        )

    def in_window(self, setting: Setting) -> Attempt:
        points = Sampling() if setting.sampling is None else setting.sampling

        def attempt(window: Window) -> Piece:
            own = replace(self.method, tolerance=window.tolerance, max_seconds=setting.seconds_left)
            return setting.fit(window, Plan([own], points, policy=self.policy.points))

        return attempt

    def alone(self, setting: Setting) -> Attempt:
        return self.in_window(setting)
