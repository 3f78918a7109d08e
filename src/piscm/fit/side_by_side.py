"""Trials of several members: one after the other, or side by side by the workers of an executor.

A worker is told how a trial is made and answers with weights and residuals. Points, nodes and
columns are made from the same random numbers wherever they are needed, so little travels, and the
bits do not depend on who works or how many.
"""

import copy
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from piscm.budget.budget import Budget, current, spending
from piscm.fit.members import Member
from piscm.fit.trial import Answer, Making, Trial
from piscm.fit.trials import Laboratory
from piscm.linalg.threads import one_thread
from piscm.network.network import Network

Floats = np.ndarray[Any, np.dtype[np.float64]]

# Operations of one least-squares solve below which it is not worth the way to a worker and back.
_WORTH = 1e8

Makes = Callable[[Laboratory, Sequence[Member], Making], Iterator[Trial]]
"""Makes the trials of several members, in their order."""


def one_by_one(lab: Laboratory, members: Sequence[Member], making: Making) -> Iterator[Trial]:
    """Trials one after the other."""
    lab.prepare(members, making.count)
    return (lab.trial(member, making) for member in members)


def side_by_side(executor: Executor | None) -> Makes:
    """How trials are made with an executor, or without anyone's help."""
    return one_by_one if executor is None else partial(_by_workers, executor)


def _by_workers(
    executor: Executor, lab: Laboratory, members: Sequence[Member], making: Making
) -> Iterator[Trial]:
    if len(members) < 2 or lab.work(making.count) < _WORTH:
        yield from one_by_one(lab, members, making)
        return
    lab.prepare(members, making.count)
    guide = None if making.guide is None or lab.ignores(making) else _Guide.of(making.guide)
    budget = current()
    left = None if math.isinf(budget.left) else max(0.0, budget.left)
    order = _Order(lab, making.without_guide, guide, left, budget.memory, os.getpid())
    # What is not needed any more when the caller stops asking is cancelled by `map`.
    for member, answer in zip(members, executor.map(partial(_answer, order), members), strict=True):
        yield lab.made(member, making, answer)


@dataclass(frozen=True)
class _Guide:
    """A trial to begin with, as it travels: how it was drawn, its nodes and weights."""

    member: Member
    network: Network
    residuals: Floats

    @classmethod
    def of(cls, trial: Trial) -> "_Guide":
        return cls(trial.member, trial.network, trial.residuals)


@dataclass(frozen=True)
class _Order:
    """What a worker is told; the time that is left, since clocks of machines differ."""

    lab: Laboratory
    making: Making
    guide: _Guide | None
    left: float | None
    memory: float
    process: int

    def by(self, lab: Laboratory) -> Making:
        """How trials are made with points and columns of the worker's own."""
        known = self.guide
        if known is None:
            return self.making
        return self.making.guided(lab.again(known.member, known.network, known.residuals))


_own = threading.local()
"""The laboratory that this thread worked in last: most orders come from the same run."""


def _answer(order: _Order, member: Member) -> Answer:
    """Work on one trial; runs in any process or thread."""
    with spending(Budget.of(order.left, order.memory)), _arithmetic(order):
        last: Laboratory | None = getattr(_own, "lab", None)
        if last is None or last.token != order.lab.token:
            last = _own.lab = copy.copy(order.lab)  # caches do not travel
        return last.trial(member, order.by(last)).answer


def _arithmetic(order: _Order) -> AbstractContextManager[Any]:
    """One BLAS thread; in its own process the run has seen to that."""
    return np.errstate(all="ignore") if os.getpid() == order.process else one_thread()
