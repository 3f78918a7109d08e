r"""Rectangular eigenproblems: where the columns of :math:`A + \lambda B` become dependent.

With more rows than columns no :math:`\lambda` makes them quite dependent. Which there are is told
by the inverse :math:`(A + s B)^+ B` at a first guess s. What is sought near each of these are the
minima of :math:`\|(A + \lambda B) c\| / \|V c\|`, where V are the values of the functions: columns
that are almost dependent themselves (Vc = 0) are no modes.
"""

from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work

Floats = NDArray[np.float64]

# Blocks of the Krylov space at the first shift: more cost more, with fewer the modes that are
# farther away are not told from others. Steps of inverse iteration at an eigenvalue.
_BLOCKS, _STEPS = 12, 2
# The shift follows the eigenvalue until that moves less than this, relatively.
_ROUNDS, _SETTLED = 10, 1e-12
# More vectors than modes, so that the last ones come out as well as the first.
_SPARE = 4
# Newton's method is used down to quotients of this size, for matrices of a condition up to this,
# and for steps that are this many times as long as those of the slow but sure iteration.
_FLOOR, _SINGULAR, _LONGEST = 1e-14, 1e10, 1e3
# A mode is new if this fraction of it is not in the span of those before.
_SAME = 0.1
# Eigenvalues that differ less than this, relatively, are found together. Those below this fraction
# of the largest are zero: what differs there is round-off.
_CLUSTER, _ZERO = 1e-2, 1e-3
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

    def nearest(self, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The eigenvalues nearest to the shift and the weights of their modes, as columns."""
        size = self._basis.shape[1]
        block = rng.standard_normal((size, min(size, count + _SPARE)))
        found, modes = self._inverted(block, count)
        before = np.zeros(0)
        for _ in range(_ROUNDS):
            if not len(found):  # all of them are complex
                break
            found, modes = self._distinct(*self._refined(found, modes, rng))
            near = np.sort(found)
            if len(near) == len(before) and np.allclose(near, before, rtol=_SETTLED, atol=0.0):
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
            own, refined = self._iterated(block, float(np.mean(cluster)), len(cluster))
            values.append(own)
            vectors.append(refined)
        return np.concatenate(values), np.concatenate(vectors, axis=1)

    def _distinct(self, found: Floats, modes: Floats) -> tuple[Floats, Floats]:
        """Without modes that came out twice, the nearest to the shift first."""
        order = np.argsort(np.abs(found - self._shift), kind="stable")
        kept: list[int] = []
        sizes = _sizes(found)
        for index in order:
            own = self._values @ modes[:, index]
            alike = [i for i in kept if abs(found[i] - found[index]) <= _CLUSTER * sizes[i]]
            if alike:
                known = self._values @ modes[:, alike]
                rest = own - known @ np.linalg.lstsq(known, own, rcond=None)[0]
                if np.linalg.norm(rest) < _SAME * np.linalg.norm(own):
                    continue
            kept.append(int(index))
        return found[kept], modes[:, kept]

    def _inverted(self, block: Floats, count: int) -> tuple[Floats, Floats]:
        """The modes nearest to the shift, by a Krylov space of the inverse there.

        If (A + λB)c = 0, the least-squares solution d of (A + sB)d = Bc is c / (s - λ): however
        small a mode is in A and B (where a factor r² hides what happens near an axis, say), it
        comes in the order of its eigenvalue.
        """
        rows = self._base + self._shift * self._slope
        check_work(4.0 * rows.size * rows.shape[1])
        turned, triangle = scipy.linalg.qr(rows, mode="economic", check_finite=False)
        triangle, image = _invertible(triangle), turned.T @ self._slope
        space = last = np.linalg.qr(block)[0]
        for _ in range(min(_BLOCKS, len(block) // block.shape[1]) - 1):
            last = _solved(triangle, image @ last)
            for _ in range(2):  # once more for what round-off leaves
                last = np.linalg.qr(last - space @ (space.T @ last))[0]
            space = np.hstack([space, last])
        inverse = space.T @ _solved(triangle, image @ space)
        eigenvalues, vectors = np.linalg.eig(inverse)
        with np.errstate(all="ignore"):
            own = self._shift - 1.0 / eigenvalues
        found, modes = _real_pairs(own, space, vectors)
        seen = np.linalg.norm(self._values @ modes, axis=0) > np.finfo(float).eps
        order = np.argsort(np.where(seen, np.abs(found - self._shift), np.inf), kind="stable")
        nearest = order[: min(count, int(seen.sum()))]
        return found[nearest], modes[:, nearest]

    def _iterated(self, block: Floats, shift: float, count: int) -> tuple[Floats, Floats]:
        """The best modes in the span of those with the smallest quotients at a shift."""
        rows = self._base + shift * self._slope
        check_work(2.0 * rows.size * rows.shape[1])
        triangle = scipy.linalg.qr(rows, mode="r", check_finite=False)[0][: rows.shape[1]]
        triangle = _invertible(triangle)
        for _ in range(_STEPS):
            target = self._values.T @ (self._values @ block)
            half = scipy.linalg.solve_triangular(triangle, target, trans="T", check_finite=False)
            block = scipy.linalg.solve_triangular(triangle, half, check_finite=False)
            block = _orthonormal(block, self._values)
        # Values that should be orthonormal, and are not to a single digit, are not independent.
        if not np.abs(self._values @ block).max() < 1.0 / np.finfo(float).eps:
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


def _invertible(triangle: Floats) -> Floats:
    """The same without zeros on its diagonal."""
    diagonal = np.diag(triangle)
    least = np.finfo(float).eps * np.abs(diagonal).max()
    np.fill_diagonal(triangle, np.where(np.abs(diagonal) < least, least, diagonal))
    return triangle


def _solved(triangle: Floats, target: Floats) -> Floats:
    return np.asarray(scipy.linalg.solve_triangular(triangle, target, check_finite=False))


def _orthonormal(block: Floats, values: Floats) -> Floats:
    """The same span with values that are orthonormal."""
    triangle = scipy.linalg.qr(values @ block, mode="r", check_finite=False)[0][: block.shape[1]]
    return np.asarray(
        scipy.linalg.solve_triangular(triangle, block.T, trans="T", check_finite=False).T
    )


def _sizes(values: Floats) -> Floats:
    """What differences of eigenvalues are relative to."""
    sizes: Floats = np.abs(values)
    return np.asarray(np.maximum(sizes, _ZERO * sizes.max(initial=0.0)))


def _clusters(values: Floats) -> list[Floats]:
    """Values in groups whose neighbors differ little."""
    ordered = np.sort(values)
    sizes = _sizes(ordered)
    scale = np.maximum(sizes[1:], sizes[:-1])
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
