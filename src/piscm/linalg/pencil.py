r"""Rectangular eigenproblems: where the columns of :math:`A + \lambda B` become dependent.

With more rows than columns no :math:`\lambda` makes them quite dependent. What is sought are the
minima of :math:`\|(A + \lambda B) c\| / \|V c\|`, where V are the values of the functions: columns
that are almost dependent themselves (Vc = 0) are no modes.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work

Floats = NDArray[np.float64]

# Steps of inverse iteration with a block of vectors: at the first shift, and at an eigenvalue.
_FIRST, _LATER = 12, 2
# The shift follows the eigenvalue until that moves less than this, relatively.
_ROUNDS, _SETTLED = 10, 1e-12
# More vectors than modes, so that the last ones come out as well as the first.
_SPARE = 4
# Newton's method is used down to quotients of this size, for matrices of a condition up to this,
# and for steps that are this many times as long as those of the slow but sure iteration.
_FLOOR, _SINGULAR, _LONGEST = 1e-14, 1e10, 1e3
# A mode is new if this fraction of it is not in the span of those before.
_SAME = 0.1
# Eigenvalues that differ less than this, relatively, are found together.
_CLUSTER = 1e-2
# How often gaps are looked into: what was found there makes new ones.
_LOOKS = 2
# A pair of eigenvalues with imaginary parts below this is a double one.
_REAL = 1e-5


class Columns:
    """The columns of a rectangular eigenproblem, factored.

    Parameters
    ----------
    base, slope : ndarray, shape (rows, columns)
        The columns at zero, and how they change with the eigenvalue.
    values : ndarray, shape (points, columns)
        Values of the functions that the columns stand for, as root mean squares.
    shift : float
        A value near which eigenvalues are sought.
    """

    def __init__(self, base: Floats, slope: Floats, values: Floats, shift: float) -> None:
        both = np.concatenate([base + shift * slope, slope, values])
        rows, columns = both.shape
        check_work(4.0 * rows * columns**2 + 20.0 * columns**3)
        lengths = np.linalg.norm(both, axis=0)
        lengths[lengths == 0] = 1.0
        # Columns of an orthogonal matrix: `base @ basis` would lose the digits that it gains.
        rows_of, triangle = scipy.linalg.qr(both / lengths, mode="economic", check_finite=False)
        left, self._sizes, self._turned = scipy.linalg.svd(triangle, check_finite=False)
        self._parts = np.split(rows_of @ left, [len(base), 2 * len(base)])
        self._lengths, self._shift = lengths, shift

    def pencil(self, truncation: float) -> "Pencil":
        """The problem in the span of the columns, as far as they are independent."""
        kept = int(np.count_nonzero(self._sizes > truncation * self._sizes[0]))
        kept = min(kept, *map(len, self._parts))  # few points do not tell more modes apart
        basis = (self._turned[:kept].T / self._sizes[:kept]) / self._lengths[:, None]
        shifted, slope, values = (part[:, :kept] for part in self._parts)
        check_work(8.0 * len(shifted) * kept**2)
        pair = np.hstack([shifted, slope])
        pair = scipy.linalg.qr(pair, mode="r", check_finite=False)[0][: 2 * kept]
        slope = pair[:, kept:]
        values = scipy.linalg.qr(values, mode="r", check_finite=False)[0][:kept]
        return Pencil(basis, pair[:, :kept] - self._shift * slope, slope, values, self._shift)


class Pencil:
    """A rectangular eigenproblem in a well-conditioned basis."""

    def __init__(
        self, basis: Floats, base: Floats, slope: Floats, values: Floats, shift: float
    ) -> None:
        self._basis, self._base, self._slope = basis, base, slope
        self._values, self._shift = values, shift

    def nearest(
        self, count: int, rng: np.random.Generator, asked: int | None = None
    ) -> tuple[Floats, Floats]:
        """The eigenvalues nearest to the shift and the weights of their modes, as columns.

        Between the nearest `asked`, all by default, others are looked for once more.
        """
        size = self._basis.shape[1]
        block = rng.standard_normal((size, min(size, count + _SPARE)))
        found, modes = self._iterated(block, self._shift, _FIRST, count)
        before = np.zeros(0)
        for number in range(_ROUNDS):
            if not len(found):  # all of them are complex
                break
            found, modes = self._distinct(*self._refined(found, modes, rng))
            if number < _LOOKS:
                found, modes = self._distinct(*self._between(found, modes, asked or count, rng))
            near = np.sort(found)
            settled = len(near) == len(before) and number >= _LOOKS
            if settled and np.allclose(near, before, rtol=_SETTLED, atol=0.0):
                break
            before = near
        order = np.argsort(np.abs(found - self._shift), kind="stable")[:count]
        modes = modes[:, order]
        modes /= np.linalg.norm(self._values @ modes, axis=0)
        return found[order], self._basis @ modes

    def _refined(
        self, found: Floats, modes: Floats, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """Each eigenvalue, or cluster of them, as the shift of its own iteration."""
        values, vectors = [], []
        for cluster in _clusters(found):
            spare = rng.standard_normal((len(modes), min(_SPARE, len(modes))))
            spare /= np.linalg.norm(self._values @ spare, axis=0)
            block = np.hstack([modes, spare])[:, : len(modes)]
            own, refined = self._iterated(block, float(np.mean(cluster)), _LATER, len(cluster))
            values.append(own)
            vectors.append(refined)
        return np.concatenate(values), np.concatenate(vectors, axis=1)

    def _between(
        self, found: Floats, modes: Floats, asked: int, rng: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """The same with what is found from the middle of each gap between eigenvalues.

        The smallest quotients at a shift are those of the nearest eigenvalues only if all modes
        are as large in `slope`. Where that vanishes somewhere, as r² on an axis, modes that stay
        away from there come later, whatever their eigenvalues.
        """
        order = np.argsort(np.abs(found - self._shift), kind="stable")[:asked]
        cuts = np.sort(np.append(found[order], self._shift))
        values, vectors = [found], [modes]
        for low, high in pairwise(cuts):
            if high - low <= 2 * _CLUSTER * max(abs(low), abs(high)):
                continue
            block = rng.standard_normal((len(modes), min(_SPARE, len(modes))))
            own, others = self._iterated(block, float(low + high) / 2, _FIRST, _SPARE)
            # What comes near to a known one, seen from farther away, is that one once more.
            off = _CLUSTER * max(abs(low), abs(high))
            inside = (own > low + off) & (own < high - off)
            values.append(own[inside])
            vectors.append(others[:, inside])
        return np.concatenate(values), np.concatenate(vectors, axis=1)

    def _distinct(self, found: Floats, modes: Floats) -> tuple[Floats, Floats]:
        """Without modes that came out twice, the nearest to the shift first."""
        order = np.argsort(np.abs(found - self._shift), kind="stable")
        kept: list[int] = []
        for index in order:
            own = self._values @ modes[:, index]
            alike = [i for i in kept if abs(found[i] - found[index]) <= _CLUSTER * abs(found[i])]
            if alike:
                known = self._values @ modes[:, alike]
                rest = own - known @ np.linalg.lstsq(known, own, rcond=None)[0]
                if np.linalg.norm(rest) < _SAME * np.linalg.norm(own):
                    continue
            kept.append(int(index))
        return found[kept], modes[:, kept]

    def _iterated(
        self, block: Floats, shift: float, steps: int, count: int
    ) -> tuple[Floats, Floats]:
        """The best modes in the span of those with the smallest quotients at a shift."""
        rows = self._base + shift * self._slope
        check_work(2.0 * rows.size * rows.shape[1])
        triangle = scipy.linalg.qr(rows, mode="r", check_finite=False)[0][: rows.shape[1]]
        diagonal = np.diag(triangle)
        least = np.finfo(float).eps * np.abs(diagonal).max()
        np.fill_diagonal(triangle, np.where(np.abs(diagonal) < least, least, diagonal))
        for _ in range(steps):
            target = self._values.T @ (self._values @ block)
            half = scipy.linalg.solve_triangular(triangle, target, trans="T", check_finite=False)
            block = scipy.linalg.solve_triangular(triangle, half, check_finite=False)
            block = _orthonormal(block, self._values)
        if not np.isfinite(block).all():  # functions whose values are not independent at all
            return np.zeros(0), np.zeros((len(block), 0))
        # Others than the smallest violate the conditions, which `slope` does not see.
        _, sizes, turned = scipy.linalg.svd(triangle @ block, check_finite=False)
        block, sizes = block @ turned[-count:].T, sizes[-count:]
        moved, slopes = rows @ block, self._slope @ block
        step = np.linalg.lstsq(slopes, moved, rcond=None)[0]
        # With left vectors Newton's method; as these become noise, it is not needed any more.
        crossed = (moved / np.maximum(sizes, np.finfo(float).tiny)).T @ slopes
        if sizes.min() > _FLOOR and np.linalg.cond(crossed) < _SINGULAR:
            newton = np.linalg.solve(crossed, np.diag(sizes))
            if np.linalg.norm(newton) <= _LONGEST * np.linalg.norm(step):
                step = newton
        eigenvalues, vectors = np.linalg.eig(step)
        return _real_pairs(shift - eigenvalues, block, vectors)


def _orthonormal(block: Floats, values: Floats) -> Floats:
    """The same span with values that are orthonormal."""
    triangle = scipy.linalg.qr(values @ block, mode="r", check_finite=False)[0][: block.shape[1]]
    return np.asarray(
        scipy.linalg.solve_triangular(triangle, block.T, trans="T", check_finite=False).T
    )


def _clusters(values: Floats) -> list[Floats]:
    """Values in groups whose neighbors differ little."""
    ordered = np.sort(values)
    scale = np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
    return np.split(ordered, 1 + np.flatnonzero(np.diff(ordered) > _CLUSTER * scale))


def _real_pairs(
    values: NDArray[Any], block: Floats, vectors: NDArray[Any]
) -> tuple[Floats, Floats]:
    """Eigenvalues that are real, or double up to round-off; complex ones are put far away."""
    real = np.abs(values.imag) <= _REAL * np.abs(values)
    modes = np.where(values.imag < 0, vectors.imag, vectors.real)
    found = np.where(real, values.real, np.inf)
    lengths = np.linalg.norm(modes, axis=0)
    found[lengths == 0] = np.inf
    kept = np.isfinite(found)
    return found[kept], block @ (modes[:, kept] / lengths[kept])
