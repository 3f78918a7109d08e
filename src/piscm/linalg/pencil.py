r"""Rectangular eigenproblems: where the columns of :math:`A + \lambda B` become dependent.

With more rows than columns no :math:`\lambda` makes them quite dependent. What is sought are the
minima of :math:`\|(A + \lambda B) c\| / \|V c\|`, where V are the values of the functions: columns
that are almost dependent themselves (Vc = 0) are no modes.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work

Floats = NDArray[np.float64]

_TRUNCATION = 1e-14
# Steps of inverse iteration with a block of vectors: at the first shift, and at an eigenvalue.
_FIRST, _LATER = 12, 2
# The shift follows the eigenvalue until that moves less than this, relatively.
_ROUNDS, _SETTLED = 10, 1e-12
# More vectors than modes, so that the last ones come out as well as the first.
_SPARE = 6
# Eigenvalues that differ less than this, relatively, are found together.
_CLUSTER = 1e-2
# A pair of eigenvalues with imaginary parts below this is a double one.
_REAL = 1e-5


class Pencil:
    """A rectangular eigenproblem, reduced to a well-conditioned basis.

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
        check_work(2.0 * rows * columns**2 + 20.0 * columns**3)
        lengths = np.linalg.norm(both, axis=0)
        lengths[lengths == 0] = 1.0
        # Columns of an orthogonal matrix: `base @ self._basis` would lose the digits that it gains.
        rows_of, triangle = scipy.linalg.qr(both / lengths, mode="economic", check_finite=False)
        left, sizes, turned = scipy.linalg.svd(triangle, full_matrices=False, check_finite=False)
        kept = int(np.count_nonzero(sizes > _TRUNCATION * sizes[0]))
        self._basis = (turned[:kept].T / sizes[:kept]) / lengths[:, None]
        parts = np.split(rows_of @ left[:, :kept], [len(base), 2 * len(base)])
        pair = np.hstack(parts[:2])
        check_work(2.0 * rows * (2 * kept) ** 2)
        pair = scipy.linalg.qr(pair, mode="r", check_finite=False)[0][: 2 * kept]
        self._slope = pair[:, kept:]
        self._base = pair[:, :kept] - shift * self._slope
        self._values = scipy.linalg.qr(parts[2], mode="r", check_finite=False)[0][:kept]
        self._shift = shift

    def nearest(self, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The eigenvalues nearest to the shift and the weights of their modes, as columns."""
        size = self._basis.shape[1]
        block = rng.standard_normal((size, min(size, 2 * count + _SPARE)))
        found, block = self._iterated(block, self._shift, _FIRST)
        before = np.zeros(0)
        for _ in range(_ROUNDS):
            found, block = self._refined(found, block, min(count + 2, block.shape[1]))
            near = np.sort(found[np.argsort(np.abs(found - self._shift), kind="stable")[:count]])
            if len(near) == len(before) and np.allclose(near, before, rtol=_SETTLED, atol=0.0):
                break
            before = near
        order = np.argsort(np.abs(found - self._shift), kind="stable")[:count]
        modes = block[:, order]
        modes /= np.linalg.norm(self._values @ modes, axis=0)
        return found[order], self._basis @ modes

    def _refined(self, found: Floats, block: Floats, count: int) -> tuple[Floats, Floats]:
        """Each eigenvalue, or cluster of them, as the shift of its own iteration."""
        order = np.argsort(np.abs(found - self._shift), kind="stable")
        near = found[order[:count]]
        values, modes = [found[order[count:]]], [block[:, order[count:]]]
        for cluster in _clusters(near):
            middle = float(np.mean(cluster))
            own, vectors = self._iterated(block, middle, _LATER)
            chosen = np.argsort(np.abs(own - middle), kind="stable")[: len(cluster)]
            values.append(own[chosen])
            modes.append(vectors[:, chosen])
        return np.concatenate(values), np.concatenate(modes, axis=1)

    def _iterated(self, block: Floats, shift: float, steps: int) -> tuple[Floats, Floats]:
        """Inverse iteration for the smallest quotients at a shift, then the best in their span."""
        rows = self._base + shift * self._slope
        check_work(steps * 8.0 * rows.size)
        triangle = scipy.linalg.qr(rows, mode="r", check_finite=False)[0][: rows.shape[1]]
        diagonal = np.abs(np.diag(triangle))
        least = np.finfo(float).eps * diagonal.max()
        triangle[np.diag_indices_from(triangle)] = np.where(
            diagonal < least, least, np.diag(triangle)
        )
        for _ in range(steps):
            target = self._values.T @ (self._values @ block)
            half = scipy.linalg.solve_triangular(triangle, target, trans="T", check_finite=False)
            block = scipy.linalg.solve_triangular(triangle, half, check_finite=False)
            block = _orthonormal(block, self._values)
        moved, turned = rows @ block, self._slope @ block
        small = np.linalg.lstsq(turned, moved, rcond=None)[0]
        eigenvalues, vectors = np.linalg.eig(small)
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
    values: NDArray[np.complex128], block: Floats, vectors: NDArray[np.complex128]
) -> tuple[Floats, Floats]:
    """Eigenvalues that are real, or double up to round-off; complex ones are put far away."""
    real = np.abs(values.imag) <= _REAL * np.abs(values)
    modes = np.where(values.imag < 0, vectors.imag, vectors.real)
    found = np.where(real, values.real, np.inf)
    lengths = np.linalg.norm(modes, axis=0)
    found[lengths == 0] = np.inf
    kept = np.isfinite(found)
    return found[kept], block @ (modes[:, kept] / lengths[kept])
