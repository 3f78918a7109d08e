"""A stretch of the boundary without any condition, where the equation needs one.

An equation of second order that is elliptic in some coordinates (Laplace's in x and y, the heat
equation in x) takes one condition everywhere on the boundary across them. Where there is none, its
solution is free, though one that only a dense cloud of nodes can follow: beside a small hole, say.
"""

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.assemble.windows import Part
from piscm.compile.expression import Compiled
from piscm.network.model import Model
from piscm.problem.integrals import integrals_in

Floats = NDArray[np.float64]

_POINTS, _DENSE = 500, 8000  # that are to be covered, and of each condition
_SPACINGS = 6.0  # a point is covered by a condition that has one of its points so near
_FEW = 0.01  # share of points that may be otherwise
_DEFINITE = 1e-6  # the smallest eigenvalue of the leading coefficients relative to the largest


def bare_boundary(part: Part, network: Model) -> Floats | None:
    """A point on a stretch of the boundary that lacks a condition; None if there is no such."""
    problem, domain = part.problem, part.problem.domain
    alone = len(problem.fields) == len(problem.equations) == 1 and not problem.observations
    conditions = [item for item in problem.conditions if item.place is not None]
    if not alone or domain.dimension == 1 or integrals_in(problem.equations[0]):
        return None
    if any(integrals_in(item.expression) for item in conditions):
        return None
    compiled = part.blocks[0].compiled
    rng = np.random.default_rng(0)
    drawing = Sampling(_DENSE, _DENSE).drawing(rng)
    points, normals = domain.sample_boundary(_POINTS, drawing.draw)
    axes = _elliptic_axes(compiled, network, points)
    others = [axis for axis in range(domain.dimension) if axis not in axes]
    across = (
        (np.abs(normals[:, others]) < 1e-9).all(axis=1) if others else np.ones(len(points), bool)
    )
    if not axes or not across.any():
        return None
    covered = np.zeros(len(points), dtype=int)
    for item in conditions:
        # A slice such as x = 0 may be a side of a shape, or lie inside and cover nothing.
        legs = item.place.sample(domain, drawing)
        covered += _near(points, np.concatenate([leg.points for leg in legs]), network)
    if np.mean(covered[across] > 1) > _FEW or not np.mean(covered[across] == 0) > _FEW:
        return None  # two conditions on one stretch may stand for another one (Cauchy's problem)
    return np.asarray(points[across & (covered == 0)][0])


def _elliptic_axes(compiled: Compiled, network: Model, points: Floats) -> list[int]:
    """The coordinates in which the equation is of second order, if it is elliptic in them."""
    orders = np.array([jet.orders for jet in compiled.jets])
    axes = [axis for axis in range(points.shape[1]) if orders[:, axis].max() == 2]
    if not axes or orders.sum(axis=1).max() != 2:
        return []
    partials = network.partials(compiled, points)
    leading = np.zeros((len(points), len(axes), len(axes)))
    for own, partial in zip(orders, partials, strict=True):
        if own.sum() == 2:
            used = [axes.index(int(axis)) for axis in np.flatnonzero(own) if axis in axes]
            if len(used) < np.count_nonzero(own):
                return []
            leading[:, used[0], used[-1]] += partial / 2
            leading[:, used[-1], used[0]] += partial / 2
    if not np.isfinite(leading).all():
        return []
    widths = network.problem.domain.bounding_box.width[axes]
    values = np.linalg.eigvalsh(leading / (widths[:, None] * widths))
    definite = (values > 0).all() or (values < 0).all()
    return axes if definite and np.abs(values).min() > _DEFINITE * np.abs(values).max() else []


def _near(points: Floats, others: Floats, network: Model) -> NDArray[np.bool_]:
    """Which points have one of the others about as near as those are to each other."""
    from scipy.spatial import cKDTree

    box = network.problem.domain.bounding_box
    dimension = points.shape[1]
    spacing = (4 * dimension / _DENSE) ** (1 / (dimension - 1))
    distances, _ = cKDTree(others / box.width).query(points / box.width)
    return np.asarray(distances < _SPACINGS * spacing)
