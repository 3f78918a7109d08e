"""One window in stages: activations are compared, then points are added as the network grows."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.marching import runs_backward
from piscm.budget.budget import STOPS
from piscm.construct.construction import Construction
from piscm.fit.inherit import held_constant, moved_nodes
from piscm.fit.piece import Piece, Task, best_of
from piscm.fit.plan import Plan
from piscm.fit.window_fit import WindowFit
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.result.history import Report
from piscm.result.status import Status

Floats = NDArray[np.float64]

# Two methods are close after the first stage if their errors differ by less than this factor.
_CLOSE = 4.0
_FULL = (Status.NODE_LIMIT, Status.FINISHED)


def fit_window(
    task: Task,
    low: float,
    high: float,
    before: Network | None,
    plan: Plan,
    rng: np.random.Generator,
    report: Report,
) -> Piece:
    """Grow a network on a window; tolerances are relative to the size of the solution sought.

    After each stage the residual is checked at validation points, and points are added, half of
    them where it is large: as many as the nodes require, and more if it exceeds the fitted one. If
    the run is stopped, the best piece so far is returned.
    """
    nodes, near = Nodes.none(task.problem.domain.dimension), plan.guess
    if plan.inherits and before is not None:
        coordinate = task.coordinate
        assert coordinate is not None
        nodes = moved_nodes(before, plan.kept, coordinate, low, high)
        backward = runs_backward(task.problem, coordinate)
        near = held_constant(before, coordinate, high if backward else low)
    elif near is not None:
        nodes = near.nodes
    if near is None or not len(nodes):
        stages = _stages(WindowFit(task, low, high, before, plan, rng), plan, report)
    else:
        fit = WindowFit(task, low, high, before, plan, rng, near, nodes)
        stages = _inherited(fit, nodes, near, plan, report)
    best: Piece | None = None
    try:
        for piece in stages:
            best = piece if best is None else best_of([best, piece])
            if piece.status.stopped:
                return best.ended(piece.status)
        return piece
    except STOPS as stop:
        if best is None:
            raise
        return best.ended(Status.after(stop))


def _stages(fit: WindowFit, plan: Plan, report: Report) -> Iterator[Piece]:
    """The pieces of a window, one after another; the last is the result.

    Methods are compared after the first stage, and two that are close once more after the second:
    with few nodes the difference is often luck, and windows to come inherit the choice.
    """
    most = plan.methods[0].max_nodes
    limits = [*(nodes for nodes in plan.stages if nodes < most), most]
    trials: list[tuple[Construction, Piece]] = []
    for method in plan.methods:
        alone = len(plan.methods) == 1
        piece = fit.grown(method, limits[0], None, report, plan.out_of_reach if alone else None)
        trials.append((method, piece))
        yield piece
    trials.sort(key=lambda trial: trial[1].error)
    close = [trial for trial in trials[:2] if trial[1].error <= _CLOSE * trials[0][1].error]
    limits = limits[1:]
    if len(close) > 1 and limits and all(own.status in _FULL for _, own in close):
        fit.add_points(close[0][1], plan.points_per_node * limits[0])
        for place, (method, own) in enumerate(close):
            piece = fit.grown(method, limits[0], own.fit.growth, report, plan.out_of_reach)
            close[place] = (method, piece)
            yield piece
        limits = limits[1:]
    method, piece = min(close, key=lambda trial: trial[1].error)
    yield from _continued(fit, piece, method, limits, plan, report)


def _inherited(
    fit: WindowFit, nodes: Nodes, near: Network, plan: Plan, report: Report
) -> Iterator[Piece]:
    """Given nodes with new weights, from a state nearby; growth adds to them if that may help."""
    method, policy = plan.methods[0], plan.policy
    piece = fit.refitted(method, nodes, near)
    report(len(nodes), piece.fitted)
    yield piece
    for _ in range(policy.rounds):
        parted = piece.held_out > max(policy.parted * piece.fitted, plan.enough)
        if piece.fitted > plan.enough or not parted:
            break
        fit.add_points(piece, policy.more * piece.assembly.points.rows[0])
        piece = fit.refitted(method, nodes, piece.network)
        yield piece
    hopeless = piece.fitted > plan.worth_growing
    if piece.error <= plan.enough or hopeless:
        yield fit.on_all_points(piece, method)
        return
    limits = limits_beyond(len(nodes), plan, method.max_nodes)
    yield from _continued(fit, piece, method, limits, plan, report)


def limits_beyond(inherited: int, plan: Plan, most: int) -> list[int]:
    """Numbers of nodes at which growth on top of inherited ones pauses for more points.

    The first is the number that it will probably take. A window that was allowed more nodes may
    leave as many as this one may have, or more: then none is added.
    """
    first = max(inherited + 1, min(most, plan.expected))
    return [nodes for nodes in (*plan.stages, most) if first <= nodes <= most]


def _continued(
    fit: WindowFit,
    piece: Piece,
    method: Construction,
    limits: Sequence[int],
    plan: Plan,
    report: Report,
) -> Iterator[Piece]:
    """Growth from stage to stage, with more points in each."""
    policy = plan.policy
    for limit in limits:
        parted = piece.held_out > max(policy.parted * piece.fitted, method.tolerance)
        full = piece.status in _FULL
        enough = piece.error <= max(method.tolerance, policy.below_noise * piece.misfit)
        if piece.status is Status.HOPELESS or enough or not (full or parted):
            break
        wanted = plan.points_per_node * limit
        if parted:
            more = policy.more * piece.assembly.points.rows[0]
            wanted = max(wanted, min(more, policy.most_per_node * limit))
        fit.add_points(piece, wanted)
        piece = fit.grown(method, limit, piece.fit.growth, report, plan.out_of_reach)
        yield piece
    yield fit.on_all_points(piece, method)
