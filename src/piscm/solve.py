"""From a problem to a solution."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from piscm.assemble.sampling import Sampling, block_points
from piscm.assemble.system import System
from piscm.baselines.base import Baseline, Given
from piscm.compile.blocks import Block, compile_blocks
from piscm.construct.machine import grow
from piscm.construct.methods import Method
from piscm.fit.refine import Emphasis, Refined, as_grown, refine
from piscm.fit.slabs import correct_on_all, most_points, some_points
from piscm.inference.error_estimate import estimate_error
from piscm.inference.uncertainty import Uncertainty, uncertainty
from piscm.linalg.bounded import Bounds
from piscm.march.options import AnyMethod, Auto, with_tolerance
from piscm.march.run import Outcome, Request, run
from piscm.network.activations import activation_named
from piscm.network.draw import Draw
from piscm.network.model import Fitted, Network
from piscm.network.start import Start
from piscm.problem.conditions import checked_weight
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.progress import reporting
from piscm.result.solution import BlockResidual, Solution
from piscm.result.status import Status

Floats = NDArray[np.float64]

KINDS = ("equations", "conditions", "observations")


class NotConverged(RuntimeError):  # noqa: N818  (what happened, not an error of the program)
    """Raised with ``throw=True`` where the run did not end well; carries the solution."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.status.value)
        self.solution = solution


def solve(
    problem: Problem,
    method: AnyMethod | None = None,
    *,
    tol: float | None = None,
    sampling: Sampling | None = None,
    weights: Mapping[str, float] | None = None,
    initial: Mapping[Any, Any] | None = None,
    seed: int = 0,
    progress: bool | Callable[[int, float], None] | None = None,
    throw: bool = False,
) -> Solution:
    """Solve a problem.

    Parameters
    ----------
    problem : Problem
    method : PISC1, PISC2, PISC3, Windows, Auto or one of `piscm.baselines`, optional
        Left out, it is `Auto`, which finds everything out itself.
    tol : float, optional
        How accurate: stands in for the method's `tolerance`.
    sampling : Sampling, optional
        The points; for `Windows` and `Auto` those that each window begins with.
    weights : mapping, optional
        The weight of all "equations", "conditions" or "observations"; 1 where it is not given.
    initial : mapping of fields to expressions, optional
        Starting values, to which the network is added; zero where they are not given.
    seed : int
        The same seed gives the same bits.
    progress : bool or function, optional
        None shows a bar on a terminal only; a function is called as ``f(nodes, residual)``.
    throw : bool
        Raise `NotConverged` where the run does not end as asked.
    """
    began = time.perf_counter()
    method = _checked_method(method, tol)
    if sampling is not None and not isinstance(sampling, Sampling):
        raise ProblemError("sampling must be a Sampling, as Sampling(interior=1000, boundary=100).")
    if not isinstance(problem, Problem):
        raise ProblemError(f"solve needs a Problem, not a {type(problem).__name__}.")
    kind_weights = _checked_weights(weights)
    start = Start(problem, initial)
    rng = _generator(seed)
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise ProblemError(f"progress={progress!r}: give True, False, None or a function.")
    # One BLAS thread: faster at these sizes, and the same bits on every machine of a kind.
    with threadpool_limits(1), np.errstate(all="ignore"):
        if isinstance(method, Method):
            points = sampling or Sampling()
            draft = _grown(problem, method, points, kind_weights, start, rng, progress)
        elif isinstance(method, Baseline):
            points = sampling or Sampling()
            draft = _trained(problem, method, points, kind_weights, start, rng, progress)
        else:
            request = Request(problem, method, sampling, kind_weights, start)
            draft = _marched(request, rng, progress)
    solution = replace(draft, seed=seed, seconds=time.perf_counter() - began)
    if throw and not solution.status.ok:
        raise NotConverged(solution)
    return solution


def _grown(
    problem: Problem,
    method: Method,
    sampling: Sampling,
    weights: dict[str, float],
    start: Start,
    rng: np.random.Generator,
    progress: Any,
) -> Solution:
    """One network on the whole domain by a method of the user's."""
    Draw(problem.domain, method.scale)  # a wrong scale is told before any work
    fitted_rng, held_out_rng, node_rng = rng.spawn(3)
    blocks = compile_blocks(problem)
    every = block_points(problem, blocks, sampling, fitted_rng)
    most = most_points(method.max_nodes * len(problem.fields))
    many = len(every[0][0]) > most and method.selection == "orthogonal"
    points = some_points(blocks, every, most) if many else every
    activation = activation_named(method.activation)

    def make_system(emphasis: Emphasis) -> System:
        return System(problem, blocks, points, weights, activation, start, emphasis)

    system = make_system({})
    with reporting(progress, method.max_nodes) as report:
        grown = grow(system, method, node_rng, report)
    status, errors = grown.status, None
    refined = as_grown(system, grown.nodes, grown.rows, grown.state)
    if status not in (Status.INTERRUPTED, Status.TIME_LIMIT):  # these want to stop now
        try:
            refined = refine(make_system, blocks, refined, method)
            errors = _errors(problem, refined, method.threshold)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    residual = _weighted_norm(system, refined)
    state = refined.state
    network = Network(problem, start, method.activation, grown.nodes, state.weights, state.unknowns)
    # Data were weighed anew as their noise was found out, on the points that growth had.
    complete = status not in (Status.INTERRUPTED, Status.TIME_LIMIT) and not problem.observations
    if many and complete:

        def make_slab(
            some: Sequence[Block], places: Any, parts: Emphasis, which: Sequence[int]
        ) -> System:
            return System(problem, some, places, weights, activation, start, parts)

        bounds = Bounds(problem)
        try:
            corrected = correct_on_all(
                make_slab, blocks, every, grown.nodes, state.weights, state.unknowns, bounds, method
            )
            network = replace(network, weights=corrected.weights, unknowns=corrected.unknowns)
            residual = corrected.residual
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    residuals = _residuals(network, blocks, every, sampling, held_out_rng)
    return Solution(
        problem=problem,
        network=network,
        method=method,
        sampling=sampling,
        seed=0,
        status=_status(status, errors, residual <= method.tolerance),
        fitted_residual=residual,
        block_residuals=residuals,
        history=grown.history,
        seconds=0.0,
        uncertainty=errors,
    )


def _trained(
    problem: Problem,
    method: Baseline,
    sampling: Sampling,
    weights: dict[str, float],
    start: Start,
    rng: np.random.Generator,
    progress: Any,
) -> Solution:
    """By a baseline, from the points that a grown network has with the same seed."""
    method.check(problem)
    fitted_rng, held_out_rng, node_rng = rng.spawn(3)
    blocks = compile_blocks(problem)
    points = block_points(problem, blocks, sampling, fitted_rng)
    with reporting(progress, method.iterations, "fitting", "steps") as report:
        trained = method.fit(Given(problem, blocks, points, weights, start, node_rng, report))
    return Solution(
        problem=problem,
        network=trained.network,
        method=method,
        sampling=sampling,
        seed=0,
        status=trained.status,
        fitted_residual=trained.residual,
        block_residuals=_residuals(trained.network, blocks, points, sampling, held_out_rng),
        history=trained.history,
        seconds=0.0,
        uncertainty=None,
    )


def _residuals(
    network: Fitted,
    blocks: Sequence[Block],
    points: Sequence[tuple[Floats, ...]],
    sampling: Sampling,
    rng: np.random.Generator,
) -> tuple[BlockResidual, ...]:
    """Every block at the points that were fitted and at fresh ones."""
    # A grid has no other points of its own.
    other = replace(sampling, rule="sobol") if sampling.rule == "grid" else sampling
    fresh = block_points(network.problem, blocks, other, rng)
    return tuple(
        _block_residual(network, block, own, new)
        for block, own, new in zip(blocks, points, fresh, strict=True)
    )


def _marched(request: Request, rng: np.random.Generator, progress: Any) -> Solution:
    """One network or several in a row, by `Auto` or `Windows`."""
    fresh_rng, run_rng = rng.spawn(2)
    with reporting(progress, request.each.max_nodes) as report:
        outcome = run(request, run_rng, report)
    ended, errors, known = outcome.status, None, None
    if ended not in (Status.INTERRUPTED, Status.TIME_LIMIT):  # these want to stop now
        try:
            if outcome.shot is not None:
                errors = outcome.shot.uncertainty
            elif len(outcome.pieces) == 1:
                errors = _errors(request.problem, outcome.pieces[0].refined, 1e-14)
            fitted = [
                {block.name: own for block, own in zip(piece.blocks, piece.points, strict=True)}
                for piece in outcome.pieces
            ]
            known = estimate_error(outcome.network, fitted=fitted)
        except KeyboardInterrupt:
            ended = Status.INTERRUPTED
    blocks = compile_blocks(request.problem)
    inside = max(len(piece.points[0][0]) for piece in outcome.pieces)
    sampling = request.sampling or Sampling(inside, max(100, inside // 4))
    other = replace(sampling, rule="sobol") if sampling.rule == "grid" else sampling
    fresh = block_points(request.problem, blocks, other, fresh_rng)
    residuals = tuple(
        _piecewise_residual(outcome, block, new) for block, new in zip(blocks, fresh, strict=True)
    )
    return Solution(
        problem=request.problem,
        network=outcome.network,
        method=request.method,
        sampling=sampling,
        seed=0,
        status=_status(ended, errors, ended is Status.CONVERGED),
        fitted_residual=outcome.residual,
        block_residuals=residuals,
        history=outcome.history,
        seconds=0.0,
        uncertainty=errors,
        known_error=known,
    )


def _piecewise_residual(outcome: Outcome, block: Block, fresh: tuple[Floats, ...]) -> BlockResidual:
    """A block over all windows, at the points that were fitted and at fresh ones."""
    parts = []
    for piece in outcome.pieces:
        for own, points in zip(piece.blocks, piece.points, strict=True):
            first = own.data is None or own.kind == "observations"  # else it was handed on
            if own.name == block.name and first:
                parts.append(piece.network.residual(own, points))
    fitted = np.concatenate(parts) if parts else outcome.network.residual(block, fresh)
    held_out: float | None = _rms(outcome.network.residual(block, fresh))
    if block.kind == "observations" or len(fresh[0]) == 1:
        held_out = None
    return BlockResidual(block.name, block.kind, len(fitted), _rms(fitted), held_out)


def _errors(problem: Problem, refined: Refined, truncation: float) -> Uncertainty | None:
    """Error bars, where there are data or unknowns to have them."""
    if not (problem.unknowns or problem.observations) or not len(refined.state.weights):
        return None
    if not refined.system.linearize(refined.state).finite:
        return None
    guesses = np.array(list(problem.unknowns.values()))
    sizes = np.maximum(np.abs(refined.state.unknowns), np.abs(guesses))
    sizes = np.where(sizes > 0, sizes, 1.0)
    return uncertainty(refined.system, refined.rows, refined.state, sizes, truncation)


def _block_residual(
    network: Fitted, block: Block, own: tuple[Floats, ...], new: tuple[Floats, ...]
) -> BlockResidual:
    fitted = _rms(network.residual(block, own))
    same = np.array_equal(own[0], new[0])
    held_out = None if same else _rms(network.residual(block, new))
    return BlockResidual(block.name, block.kind, len(own[0]), fitted, held_out)


def _status(ended: Status, errors: Uncertainty | None, converged: bool) -> Status:
    """How the run ended, in view of what came after growth."""
    if ended in (Status.INTERRUPTED, Status.NOT_FINITE, Status.TIME_LIMIT):
        return ended
    if errors is not None and len(errors.undetermined):
        return Status.UNDETERMINED
    missed = ended in (Status.NODE_LIMIT, Status.STALLED)
    return Status.CONVERGED if missed and converged else ended


def _weighted_norm(system: System, refined: Refined) -> float:
    """The residual of the final state by the user's weights, whatever the refinement used."""
    state = refined.state
    if refined.system is system:
        return float(np.sqrt(state.energy))
    rows = system.evaluate(refined.nodes)
    return float(np.sqrt(system.state_with(rows, state.weights, state.unknowns).energy))


def _rms(values: Any) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def _checked_method(method: Any, tol: Any) -> AnyMethod:
    method = Auto() if method is None else method
    if not isinstance(method, AnyMethod):
        kind = method.__name__ if isinstance(method, type) else type(method).__name__
        raise ProblemError(
            f"The method is {kind}; give PISC1(), PISC2(), PISC3(), Auto(), Windows(t) or one of "
            "piscm.baselines."
        )
    return method if tol is None else with_tolerance(method, tol)


def _checked_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    weights = {} if weights is None else weights
    if not isinstance(weights, Mapping):
        raise ProblemError("weights must be a mapping, as weights={'conditions': 10}.")
    for kind in weights:
        if kind not in KINDS:
            raise ProblemError(f"weights names {kind!r}; the kinds are {', '.join(KINDS)}.")
    return {kind: checked_weight(weights.get(kind, 1.0), kind) for kind in KINDS}


def _generator(seed: Any) -> np.random.Generator:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise ProblemError(f"seed={seed!r}: give a whole number from 0 up.")
    return np.random.default_rng(int(seed))
