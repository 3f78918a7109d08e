"""Continuation in stiffness, for nonlinear problems where Gauss–Newton from the start stalls.

A small factor in front of the highest derivatives is what makes fronts and layers steep, and what
leaves Gauss–Newton in a minimum that is no solution. So these derivatives are made larger, in every
equation, until the problem is easy, and smaller again in steps that adapt: each solution is where
the next fit begins. No parameter of the problem has to be named.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import sympy

from piscm.assemble.sampling import Sampling
from piscm.budget.clock import check_time
from piscm.fit.members import Member
from piscm.fit.piece import Task, task_for
from piscm.fit.side_by_side import Makes, one_by_one
from piscm.fit.trial import Making, Trial
from piscm.fit.trials import Laboratory
from piscm.network.activations import activation_named
from piscm.problem.problem import Problem
from piscm.result.history import Report

# Scales of the members: what the easier problem takes, and what is steeper in the end.
_WAVES, _STEPS = (2.0, 4.0, 8.0, 16.0, 32.0), (2.0, 4.0, 8.0, 16.0)
# A trial with a smaller residual is near enough to a solution to go on from it.
_NEAR = 0.05
# The highest derivatives are multiplied by powers of this, at most so many times, to begin with.
_EASIER, _EASIEST = 4.0, 8
# They are divided by the same, then by more after a success and by less after a failure, within
# these limits; where the least factor fails as well, more nodes are tried, at most so many times.
_BOLDER, _LEAST, _MOST, _DOUBLED = 1.5, 1.2, 16.0, 2
# In all so many problems are solved, however the steps turn out.
_PROBLEMS = 30


def stiffened(problem: Problem, factor: float) -> Problem:
    """The problem with the derivatives of the highest order in each equation times a factor."""
    if factor == 1.0:
        return problem
    number, equations = sympy.Float(factor), []
    for equation in problem.equations:
        own = [part for part in equation.atoms(sympy.Derivative) if part.expr in problem.fields]
        order = max((part.derivative_count for part in own), default=0)
        highest = [part for part in own if part.derivative_count == order]
        equations.append(equation.xreplace({part: number * part for part in highest}))
    return problem.with_equations(equations)


@dataclass
class Continuation:
    """One run of the continuation.

    Attributes
    ----------
    task : Task
        The problem itself.
    lab : Laboratory
        Makes its trials.
    activations : sequence of str
    rng : numpy.random.Generator
    report : Report
    count : int
        Number of nodes to begin with.
    iterations : int
        Gauss–Newton steps of a trial.
    sampling : Sampling or None
        The user's points, if they were given.
    makes : callable
        Makes trials that do not depend on each other.
    """

    task: Task
    lab: Laboratory
    activations: Sequence[str]
    rng: np.random.Generator
    report: Report
    count: int
    iterations: int
    sampling: Sampling | None = None
    makes: Makes = one_by_one
    solved: list[float] = field(default_factory=list, init=False)

    def run(self) -> list[Trial]:
        """Trials of the problem itself that are near a solution, the best of each activation.

        None if there is no way to one.
        """
        self._left = _PROBLEMS
        found, factor = self._easy()
        step, most = _EASIER, self.count * 2**_DOUBLED
        while found and factor > 1.0 and self._left > 0:
            smaller = max(1.0, factor / step)
            nearer = self._from(found[0], smaller)
            if nearer:
                found, factor = nearer, smaller
                self.solved.append(factor)
                step = min(step**_BOLDER, _MOST)
                continue
            step = step**0.5
            if step < _LEAST:
                self.count, step = 2 * self.count, _EASIER**0.5
                if self.count > most:
                    break
        return found if factor == 1.0 else []

    @property
    def story(self) -> str:
        """How the highest derivatives were changed, in words."""
        factors = ", ".join(f"{factor:.3g}" for factor in self.solved)
        return f"continuation with the highest derivatives times {factors}"

    def _easy(self) -> tuple[list[Trial], float]:
        """A solution where the highest derivatives are as much larger as they need to be."""
        factor = 1.0
        for _ in range(_EASIEST):
            factor *= _EASIER
            found = self._solutions(self._laboratory(factor), None)
            if found:
                self.solved.append(factor)
                return found, factor
        return [], factor

    def _from(self, guide: Trial, factor: float) -> list[Trial]:
        """Solutions for another factor; one of the same kind is enough on the way."""
        lab = self._laboratory(factor)
        if factor > 1.0:
            found = self._fitted(lab, [guide.member], guide)
            if found:
                return found
        return self._solutions(lab, guide)

    def _solutions(self, lab: Laboratory, guide: Trial | None) -> list[Trial]:
        """The best trial of each activation that is near enough, the best one first."""
        self._left -= 1
        found: list[Trial] = []
        for name in self.activations:
            scales = _STEPS if activation_named(name).localized else _WAVES
            dimension = self.task.problem.domain.dimension
            members = [Member(name, (scale,) * dimension) for scale in scales]
            found += self._fitted(lab, members, guide)[:1]
        return sorted(found, key=lambda trial: trial.error)

    def _fitted(
        self, lab: Laboratory, members: Sequence[Member], guide: Trial | None
    ) -> list[Trial]:
        """The trials that are near enough, the best one first."""
        found = []
        for trial in self.makes(lab, members, Making(self.count, guide, False, self.iterations)):
            check_time()
            self.report(trial.count, trial.state.norm)
            if trial.error <= _NEAR:
                found.append(trial)
        return sorted(found, key=lambda trial: trial.error)

    def _laboratory(self, factor: float) -> Laboratory:
        if factor == 1.0:
            return self.lab
        task = self.task
        problem = stiffened(task.problem, factor)
        own = task_for(problem, None, task.start, task.weights, self.rng)
        return Laboratory(replace(own, equal=task.equal), self.sampling, self.rng)
