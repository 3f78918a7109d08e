"""Patches that become thin towards faces where layers are.

The equations tell where layers may be, and how wide (`inference.layers`). A few cells follow them:
in a square with layers at all sides 25, of which those at its corners see two layers at once.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace

from piscm.budget.budget import STOPS
from piscm.inference.layers import face_rates
from piscm.march.enriched import better
from piscm.march.instead import UNRESOLVED, as_network, may_be_cut
from piscm.patches.asked import Asked
from piscm.patches.grid import Edges
from piscm.patches.levels import first_nodes
from piscm.patches.run import run_patches
from piscm.problem.problem import Problem
from piscm.result.method import Outcome, Request
from piscm.result.status import Status

# Cells end where a layer has fallen to exp(-5) and to exp(-20): between these it is as smooth as a
# dozen polynomials want it, beyond them it is gone.
_ENDS = (5.0, 20.0)
# They end within this part of the width of the box, each so many times farther than the last.
_FARTHEST, _APART = 0.4, 2.0
# Below this rate, over the width of the box, one network sees all layers without further ado.
_FAST = 40.0
# Nodes of all patches together at most; a trial takes 4 s with as many.
_NODES = 50_000


def layered_edges(problem: Problem) -> Edges | None:
    """The ends of cells that follow the layers of a problem; None if it has none."""
    rates = face_rates(problem, _ENDS[0] / _FARTHEST)
    if not any(max(own) >= _FAST for own in rates.values()):
        return None
    box = problem.domain.bounding_box
    edges = []
    for axis, (low, high) in enumerate(zip(box.lower, box.upper, strict=True)):
        width = high - low
        below = [low + width * own for own in distances(rates.get((axis, -1), ()))]
        above = [high - width * own for own in distances(rates.get((axis, 1), ()))]
        edges.append(tuple(float(own) for own in (low, *below, *reversed(above), high)))
    return tuple(edges)


def distances(rates: Sequence[float]) -> list[float]:
    """Where cells end near a face, in widths of the box from it."""
    found: list[float] = []
    for end in sorted(end / rate for rate in rates for end in _ENDS):
        if end <= _FARTHEST and (not found or end >= _APART * found[-1]):
            found.append(end)
    return found


def in_layers(request: Request, tolerance: float) -> Outcome | None:
    """What patches that follow the layers of a problem reach; None if there is none."""
    problem = request.problem
    if not may_be_cut(problem):
        return None
    edges = layered_edges(problem)
    if edges is None:
        return None
    most = _NODES // first_nodes(problem)
    request = replace(request, rng=deepcopy(request.rng))
    return as_network(run_patches(request, Asked(tolerance, most=most, edges=edges)))


def one_or_other(
    request: Request,
    first: Callable[[Request], Outcome | None],
    second: Callable[[Request], Outcome | None],
) -> Outcome:
    """The outcome of the first way, or the better one of both where that does not resolve it.

    A way that is not for the problem gives None; one of them is.
    """
    found = first(request)
    if found is not None and found.status not in UNRESOLVED:
        return found
    try:
        other = second(request)
    except STOPS as stop:
        if found is None:
            raise
        return replace(found, status=Status.after(stop))
    if found is None or other is None:
        only = found or other
        assert only is not None
        return only
    best = better(found, other)
    if other.status.stopped and not best.status.ok:
        best = replace(best, status=other.status)
    return replace(best, tried=(*found.tried, *other.tried))
