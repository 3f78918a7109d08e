"""From a problem to a solution."""

import logging
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from piscm.asking import (
    budget_of,
    check_sampling,
    check_watchers,
    checked_method,
    checked_start,
    checked_weights,
    generator,
)
from piscm.assemble.sampling import Sampling
from piscm.assemble.scales import check_scales
from piscm.budget.budget import OutOfTimeError, spending
from piscm.budget.interrupts import interrupts_at_checks
from piscm.compile.blocks import block_names, compile_blocks
from piscm.compile.jumps import check_jumps
from piscm.inference.counting import counting_text
from piscm.linalg.threads import one_thread
from piscm.linalg.workers import loss, workers_of
from piscm.march.enriched import better, enriched
from piscm.march.first_look import first_look, needs_more_nodes
from piscm.march.methods import Auto
from piscm.march.ringed import in_rings, ringed
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.problem.errors import IllPosedWarning, ProblemError, brief
from piscm.problem.given import checked_flag
from piscm.problem.problem import Problem
from piscm.result.history import history_of
from piscm.result.method import BlockResidual, Method, Outcome, Request
from piscm.result.progress import Callback
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.result.verdict import judged

_log = logging.getLogger(__name__)


class NotConverged(RuntimeError):  # noqa: N818  (what happened, not an error of the program)
    """Raised with ``throw=True`` if the run did not end well; carries the solution."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.status.value)
        self.solution = solution

    def __reduce__(self) -> tuple[Any, ...]:
        return NotConverged, (self.solution,)


@contextmanager
def _clear_interrupt() -> Iterator[None]:
    """Ctrl-C that could not be answered with a solution, in one line."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Interrupted before there was anything to return.") from None


@_clear_interrupt()
def solve(
    problem: Problem,
    method: Method | None = None,
    *,
    tol: float | None = None,
    sampling: Sampling | None = None,
    weights: Mapping[str, float] | None = None,
    initial: Mapping[sympy.Expr, sympy.Expr | float] | Solution | None = None,
    seed: int = 0,
    progress: bool | Callable[[int, float], None] | None = None,
    callback: Callback | None = None,
    throw: bool = False,
    max_seconds: float | None = None,
    max_memory: float | None = None,
    executor: Any = None,
) -> Solution:
    """Solve a problem.

    Parameters
    ----------
    problem : Problem
        Domain, equations, conditions, and any unknowns and observations.
    method : PISC1, PISC2, PISC3, Windows, Patches, Auto or one of `piscm.baselines`, optional
        The default is `Auto`, which chooses nodes, points, row weights and windows itself.
    tol : float, optional
        Replaces the method's `tolerance`. For `Auto` it is relative to the size of the solution and
        defaults to 1e-6.
    sampling : Sampling, optional
        The points. `Windows` and `Auto` start each window with them; if omitted, `Auto` chooses.
    weights : mapping of str to float, optional
        The weights of all "equations", "conditions" or "observations"; 1 by default.
    initial : mapping of fields to expressions, or Solution, optional
        Starting values, to which the network is added; zero by default. `Auto` and `Windows` also
        begin with the solution of a similar problem, with a parameter a little different.
    seed : int
        The same seed gives bit-identical results.
    progress : bool or callable, optional
        True shows a progress bar, None only on a terminal; a function is called as
        ``f(nodes, residual)``.
    callback : callable, optional
        Called after every step of growth with a `piscm.Progress` (nodes, residual, seconds, how far
        windows got). If it returns True or raises StopIteration, the run ends with the best so far.
    throw : bool
        Raise `NotConverged`, which carries the solution, if ``solution.status.failed``.
    max_seconds : float, optional
        Replaces the method's `max_seconds`: the run ends after this time with the best it has
        found. Putting that together may take a tenth more, and a fraction of a second. Methods
        that use JAX finish compiling first.
    max_memory : float, optional
        Bytes that the run may take, as 4e9; by default most of what is free. Growth ends where
        more nodes would take more; points and candidates that would are refused.
    executor : concurrent.futures.Executor or dask Client, optional
        Who works on patches, and on the larger one-shot trials of `Auto`, at the same time: a
        ``ProcessPoolExecutor()``, ``client.get_executor()``, or a Dask client itself, whose workers
        then keep their factors. The result has the same bits whoever works.

    Returns
    -------
    Solution
        Call it with coordinates to evaluate it; print it for a summary of its quality. A run that
        does not converge is returned as well, and its `status` says so in a sentence. Ctrl-C and
        the limits return the best so far, which is NaN where the run did not get to.

    Raises
    ------
    ProblemError
        Before any computation, if the input does not make sense.
    NotConverged
        With ``throw=True``.
    KeyboardInterrupt
        On Ctrl-C before there is anything to return.

    Examples
    --------
    >>> from piscm import Box, Condition, Problem, coordinates, field, solve
    >>> t = coordinates("t")
    >>> u = field("u", t)
    >>> decay = Problem(Box({t: (0, 2)}), [u.diff(t) + u], [Condition(u - 1, on={t: 0})])
    >>> solution = solve(decay, tol=1e-8)
    >>> solution.status.ok
    True
    >>> round(float(solution(t=1.0)), 6)
    0.367879
    """
    began = time.perf_counter()
    method = checked_method(method, tol)
    budget = budget_of(method, max_seconds, max_memory)
    check_sampling(sampling)
    throw = checked_flag(throw, "solve(throw=...)")
    if not isinstance(problem, Problem):
        raise ProblemError(f"solve needs a Problem, not a {type(problem).__name__}.")
    kind_weights = checked_weights(weights)
    start, guess = checked_start(problem, method, initial)
    rng = generator(seed)
    check_watchers(progress, callback)
    workers = workers_of(executor)
    request = Request(
        problem,
        sampling,
        kind_weights,
        start,
        rng,
        progress,
        guess,
        callback=callback,
        executor=workers,
    )
    _log.info("solving for %s by %s", brief(problem.fields), type(method).__name__)
    # Ctrl-C waits for the next look at the clock: from here on there may be something to return.
    with spending(budget), interrupts_at_checks():
        if isinstance(method, Auto) and guess is None:
            first = first_look(problem, method)
            look = _found(first, request, seed)
            found = _tried_otherwise(look, method, request, seed, whole=first == method)
        else:
            found = _found(method, request, seed)
        solution = solution_of(method, found, seed, time.perf_counter() - began)
    _log.info(
        "%s after %.3g s with %d nodes: %s",
        solution.status.name.lower(),
        solution.seconds,
        solution.n_nodes,
        solution.status.value,
    )
    if throw and solution.status.failed:
        raise NotConverged(solution)
    return solution


def _tried_otherwise(
    look: Outcome, method: Auto, request: Request, seed: int, whole: bool
) -> Outcome:
    """The best of an outcome and of those of the problem posed otherwise, where it needs that.

    If the outcome is no `whole` one, but that of a look with few nodes, the problem as it is may be
    tried once more.
    """
    problem, start, found = request.problem, request.start, look

    def plain(as_it_is: Problem, best: Outcome) -> Problem | None:
        return as_it_is if not whole and needs_more_nodes(look, best) else None

    ways: list[tuple[Callable[[Problem, Outcome], Problem | None], Method]] = [
        (enriched, method),
        (plain, method),
        (ringed, in_rings(method)),
    ]
    for changed, by in ways:
        try:
            other = changed(problem, found)
            if other is None:
                continue
            begun = {problem.fields[index]: own for index, own in start.expressions.items()}
            started = Start(other, begun)
            again = replace(request, problem=other, start=started, rng=generator(seed))
            second = _found(by, again, seed)
        except KeyboardInterrupt:
            return replace(found, status=Status.INTERRUPTED)
        found = better(found, second)
        if second.status.stopped:
            return found if found.status.ok else replace(found, status=second.status)
    return found


def solution_of(method: Method, found: Outcome, seed: int, seconds: float) -> Solution:
    """The outcome of a method as a solution."""
    return Solution(
        problem=found.model.problem,
        network=found.model,
        method=method,
        sampling=found.sampling,
        seed=seed,
        status=found.status,
        fitted_residual=found.residual,
        block_residuals=found.block_residuals,
        history=found.history,
        seconds=seconds,
        uncertainty=found.uncertainty,
        known_error=found.error,
        remarks=found.remarks,
        tried=found.tried,
        points=found.points,
    )


def _found(method: Method, request: Request, seed: int) -> Outcome:
    """The result of a method; if it was stopped before it had one, that nothing is known."""
    try:
        method.check(request.problem)
        _check_written(request.problem)
        # One BLAS thread: faster at these sizes, and bit-identical on machines of the same kind.
        with one_thread():
            found = judged(method.run(request), method.asked, seed)
        if len(found.history) or not found.status.stopped:
            return found
        stopped = found.status
    except MemoryError:
        raise ProblemError(
            "There is not enough memory: give fewer points (Sampling), nodes or candidates."
        ) from None
    except OutOfTimeError:
        stopped = Status.TIME_LIMIT
    except Exception as error:
        lost = loss(error)
        if lost is None:
            raise
        raise lost from None
    if stopped is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return _nothing(request, stopped)


def _check_written(problem: Problem) -> None:
    """Refuse equations that mean something else than they seem to, and warn of missing conditions.

    Raises `ProblemError`.
    """
    blocks = compile_blocks(problem)
    check_jumps(problem.domain, blocks, problem.fields)
    check_scales(problem.domain, blocks)
    missing = counting_text(problem)
    if missing:
        warnings.warn(f"Conditions seem to be missing: {missing}.", IllPosedWarning, stacklevel=5)


def _nothing(request: Request, status: Status) -> Outcome:
    """What is known after no step at all."""
    problem = request.problem
    model = Network(
        problem,
        request.start,
        "sin",
        Nodes.none(problem.domain.dimension),
        np.zeros((0, len(problem.fields))),
        np.array(list(problem.unknowns.values()), dtype=float),
        solved_up_to=-np.inf,
    )
    return Outcome(
        model=model,
        status=status,
        residual=np.nan,
        block_residuals=tuple(
            BlockResidual(name, kind, 0, np.nan, None) for name, kind in block_names(problem)
        ),
        history=history_of([], []),
        sampling=request.sampling or Sampling(),
    )
