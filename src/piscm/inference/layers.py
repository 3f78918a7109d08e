"""How fast solutions may fade away from the faces of a box: the widths of boundary layers.

At a point of a face an equation with coefficients frozen there has solutions ``exp(rate * s)`` of
the coordinate s across it, waves along it: rates are the roots of its symbol, a polynomial. Those
that fade inward within a small part of the box are layers.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.grading import Face, all_faces
from piscm.assemble.sampling import Sampling
from piscm.compile.blocks import Block, compile_blocks
from piscm.problem.box import Box
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# Radians of the waves along a face, from one end of the box to the other.
_WAVE = np.pi
# Points of a face.
_POINTS = 32
# Rates above this are round-off of a vanishing coefficient: such layers could not be resolved.
_MOST = 1e8


def face_rates(problem: Problem, least: float) -> dict[Face, list[float]]:
    """For each face with layers the rates at which solutions fade away from it, increasing.

    Rates are relative to the width of the box, and `least` at least. Only of linear problems.
    """
    blocks = [block for block in compile_blocks(problem) if block.kind == "equations"]
    domain = problem.domain
    linear = all(block.linear and not block.integrands for block in blocks)
    if not isinstance(domain, Box) or not linear or len(blocks) != len(problem.fields):
        return {}
    found = {}
    for face in all_faces(domain.dimension):
        rates = [
            float(rate) for rate in _fading(problem, domain, blocks, face) if least <= rate <= _MOST
        ]
        if rates:
            found[face] = sorted(rates)
    return found


def _fading(problem: Problem, box: Box, blocks: Sequence[Block], face: Face) -> Iterator[float]:
    """The rates of all solutions that fade away from a face, at some of its points."""
    axis, side = face
    draw = Sampling().unit_points(np.random.default_rng(0))
    edge = (box.lower if side < 0 else box.upper)[axis]
    points = box.sample_slice({box.coordinates[axis]: float(edge)}, _POINTS, draw)
    for coefficients in _symbols(problem, box, blocks, axis, points):
        for root in _roots(coefficients):
            if root.real * side > 0:
                yield abs(root.real)


def _symbols(
    problem: Problem, box: Box, blocks: Sequence[Block], axis: int, points: Floats
) -> NDArray[np.complex128]:
    """The symbol at each point, shape (points, orders + 1, equations, fields)."""
    size, dimension = len(problem.fields), box.dimension
    most = max(jet.orders[axis] for block in blocks for jet in block.compiled.jets)
    made = np.zeros((len(points), most + 1, size, size), dtype=complex)
    wave = np.where(np.arange(dimension) == axis, 1.0, 1j * _WAVE) / box.width
    unknowns = np.array(list(problem.unknowns.values()), dtype=float)
    for row, block in enumerate(blocks):
        compiled = block.compiled
        nothing = np.zeros((len(compiled.jets), len(points)))
        partials = compiled.linearize(points, nothing, unknowns)[0]
        for jet, partial in zip(compiled.jets, partials, strict=True):
            factor = np.prod(wave ** np.array(jet.orders))
            made[:, jet.orders[axis], row, jet.field] += factor * partial
    return made


def _roots(coefficients: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The finite roots of the determinant of a polynomial whose coefficients are matrices."""
    from scipy.linalg import eigvals

    order, size = len(coefficients) - 1, coefficients.shape[1]
    if order == 0 or not np.isfinite(coefficients).all():
        return np.zeros(0, dtype=complex)
    left, right = (np.zeros((order * size, order * size), dtype=complex) for _ in range(2))
    eye = np.eye(size)
    for turn in range(order):
        own = slice(turn * size, (turn + 1) * size)
        if turn < order - 1:
            left[own, (turn + 1) * size : (turn + 2) * size] = eye
            right[own, own] = eye
        left[-size:, own] = -coefficients[turn]
    right[-size:, -size:] = coefficients[order]
    found = eigvals(left, right)
    return np.asarray(found[np.isfinite(found)])
