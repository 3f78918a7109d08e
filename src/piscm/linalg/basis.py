r"""An orthonormal basis of the columns of the design matrix, kept from one growth step to the next.

The columns, scaled to unit length, are held as :math:`M = T R` with R upper triangular and
:math:`G = T^T T` close to the identity. New columns are orthogonalized against T and appended, at
O(rows × columns) each. When the linearization changes, the columns change a little while R is kept:
:math:`T = M R^{-1}` is then no longer orthonormal but still well conditioned, because a direction
of the weights that hardly changes the residual hardly changes it at the next linearization either.
So one triangular solve and one Gram matrix suffice, and no digits are lost.

Arrays are node-major as everywhere: T is stored as its transpose, shape (columns, rows).
"""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work
from piscm.linalg.rank import MARGIN, least_share
from piscm.linalg.truncated import LeastSquares, solve_least_squares
from piscm.linalg.upper import upper_factor

Floats = NDArray[np.float64]

# The diagonal of the Cholesky factor of G may fall to this before R is renewed.
_WELL_CONDITIONED = 0.1
# A unit column with less than this outside the span of others depends on them.
_ROUND_OFF = 4e-15
# Of one with more than this outside the span the first projection leaves ten digits right.
_NEARLY_INSIDE = 1e-5
# So many columns to begin with are factored as they are when they move: R by panels, then T from
# it. Orthonormal vectors take twice as long.
_MANY = 64
# While the smallest singular value exceeds the truncation threshold by the factor `_FAR`, it is
# estimated only every `_LOOK_EVERY` columns. On Helmholtz ten columns reduce it by 2 or 3.
_FAR, _LOOK_EVERY = 1e4, 10


class Factor(NamedTuple):
    """R of a basis and the lengths that its columns were divided by, without the rows.

    A basis of the same columns at other rows may begin with it.
    """

    lengths: Floats
    triangle: Floats


_NONE = Factor(np.zeros(0), np.zeros((0, 0), order="F"))


class Basis:
    """Columns in factored form, set with `set_columns` and extended with `append`.

    With the factor of a basis of the same columns at other rows, they have to be set first.
    """

    def __init__(self, rows: int, factor: Factor = _NONE) -> None:
        self._lengths, self._triangle = factor  # the triangle is R
        self._room = np.zeros((0, rows))  # T, and space for more of it
        self._gram: Floats | None = None  # the lower Cholesky factor of G; None means the identity
        self._far_from_bound = 0  # with fewer columns than this, no singular value is small

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def factor(self) -> Factor:
        """R of the columns, for a basis of the same ones at other rows."""
        if self._gram is None:
            return Factor(self._lengths, self._triangle)
        return Factor(self._lengths, np.asfortranarray(self._gram.T @ self._triangle))

    @property
    def _vectors(self) -> Floats:
        return self._room[: len(self)]

    def set_columns(self, columns: Floats) -> None:
        """Set the columns of the same nodes at another linearization, shape (columns, rows)."""
        if not len(columns):
            self.keep(0)
            return
        if len(columns) != len(self) or not self._follow(columns):
            self._start_again(columns)

    def _follow(self, columns: Floats) -> bool:
        """Keep R; False if it no longer fits."""
        for renewed in (False, True):
            check_work(3.0 * columns.size * len(columns))
            scaled = (columns / self._lengths[:, None]).T
            solved = scipy.linalg.blas.dtrsm(1.0, self._triangle, scaled, side=1, overwrite_b=1)
            vectors = solved.T
            if not np.isfinite(vectors).all():
                return False
            try:
                gram = np.linalg.cholesky(vectors @ vectors.T)
            except np.linalg.LinAlgError:
                return False
            if renewed or np.diagonal(gram).min() >= _WELL_CONDITIONED:
                self._room, self._gram = vectors, gram
                return bool(np.diagonal(gram).min() >= _WELL_CONDITIONED)
            self._triangle = np.asfortranarray(gram.T @ self._triangle)
        return False

    def _start_again(self, columns: Floats) -> None:
        self.keep(0)
        self._gram = None
        self.append(columns)

    def _begin(self, columns: Floats) -> bool:
        """Begin with many columns; False if some are zero, not finite, or depend on others."""
        lengths = np.linalg.norm(columns, axis=1)
        if not (np.isfinite(lengths).all() and lengths.all()):
            return False
        check_work(2.0 * columns.size * len(columns))
        triangle = upper_factor((columns / lengths[:, None]).T)
        if len(triangle) < len(columns) or np.abs(np.diagonal(triangle)).min() <= _ROUND_OFF:
            return False
        self._lengths, self._triangle = lengths, np.asfortranarray(triangle)
        if self._follow(columns):
            return True
        self.keep(0)
        self._gram = None
        return False

    def coefficients(self, columns: Floats) -> Floats:
        """Coefficients of the projection onto T, shape (given columns, own columns)."""
        return self._on(columns, len(self))

    def _on(self, columns: Floats, count: int) -> Floats:
        """The same for the first columns of T only."""
        products = columns @ self._room[:count].T
        if self._gram is None or not count:
            return np.asarray(products)
        factor = (self._gram[:count, :count], True)
        return np.asarray(scipy.linalg.cho_solve(factor, products.T, check_finite=False).T)

    def outside(self, columns: Floats) -> Floats:
        """The part of some columns of unit length outside the span."""
        if not len(self):
            return columns
        check_work(8.0 * columns.size * len(self))
        rest = columns - self.coefficients(columns) @ self._vectors
        # A second pass removes the round-off of the first where that is not small beside the rest.
        near = np.einsum("kn,kn->k", rest, rest) < _NEARLY_INSIDE**2
        if near.any():
            rest[near] -= self.coefficients(rest[near]) @ self._vectors
        return rest

    def append(self, columns: Floats) -> None:
        """Add columns, shape (columns, rows).

        One that depends on earlier ones, or is zero (such as that of an unknown at the start), has
        no direction of its own and adds nothing to T.
        """
        if not len(self) and _MANY <= len(columns) <= columns.shape[1] and self._begin(columns):
            return
        lengths = np.linalg.norm(columns, axis=1)
        usable = (lengths > 0) & np.isfinite(lengths)
        lengths[~usable] = 1.0
        unit = np.where(usable[:, None], columns, 0.0) / lengths[:, None]
        own = np.flatnonzero(usable)
        while True:
            shares, directions, triangle = self._orthogonalized(unit[own])
            new = np.zeros(len(own), dtype=bool)
            new[: len(directions)] = np.abs(np.diagonal(triangle)) > _ROUND_OFF
            if new.all():
                break
            own = own[new]
        dependent = usable.copy()
        dependent[own] = False
        self._extend(lengths)
        old, places = len(self) - len(lengths), len(self) - len(lengths) + own
        self._room[places] = directions
        self._triangle[:old, places] = shares.T
        self._triangle[np.ix_(places, places)] = triangle
        for other in np.flatnonzero(dependent):
            rest = unit[[other]]
            for _ in range(2):
                on_old = self._on(rest, old)
                rest = rest - on_old @ self._room[:old]
                on_new = rest @ directions.T
                rest = rest - on_new @ directions
                self._triangle[:old, old + other] += on_old[0]
                self._triangle[places, old + other] += np.where(own < other, on_new[0], 0.0)

    def _orthogonalized(self, rest: Floats) -> tuple[Floats, Floats, Floats]:
        """Coefficients in T, new directions, and the triangle: the factors of unit columns."""
        shares, triangle = np.zeros((len(rest), len(self))), np.eye(len(rest))
        # The second pass works on unit vectors: the remainder of a column may be mostly round-off.
        for _ in range(2 if len(self) else 1):
            check_work(4.0 * rest.size * (len(self) + len(rest)))
            more = self._on(rest, len(self))
            shares = shares + triangle.T @ more
            q, r = _unit_vectors(rest - more @ self._vectors)
            rest, triangle = q, r @ triangle
        return shares, rest, triangle

    def _extend(self, lengths: Floats) -> None:
        """Make room for more columns, without directions so far."""
        old, new = len(self), len(self) + len(lengths)
        if new > len(self._room):
            room = np.empty((new + new // 2, self._room.shape[1]))
            room[:old] = self._vectors
            self._room = room
        self._room[old:new] = 0.0
        triangle = np.zeros((new, new), order="F")
        triangle[:old, :old] = self._triangle
        if self._gram is not None:
            gram = np.eye(new)
            gram[:old, :old] = self._gram
            self._gram = gram
        self._lengths, self._triangle = np.concatenate([self._lengths, lengths]), triangle

    def keep(self, count: int) -> None:
        """Drop all but the first columns."""
        if count < len(self):
            self._far_from_bound = 0
        self._lengths = self._lengths[:count]
        self._triangle = np.asfortranarray(self._triangle[:count, :count])
        self._gram = None if self._gram is None else self._gram[:count, :count]

    @property
    def lengths(self) -> Floats:
        """The lengths of the columns; 1 for a zero column."""
        return self._lengths

    def solve(
        self,
        target: Floats,
        truncation: float,
        sizes: Floats | None = None,
        now: Floats | None = None,
    ) -> LeastSquares:
        """The least-squares weights of the columns for a target.

        The triangle is used directly while it is well conditioned; otherwise singular values below
        `truncation` times the largest are dropped: those of the columns scaled to unit length or,
        if given, to `sizes`. With weights `now` the target is what these give, and what is given.
        """
        inner = self._inner(target, now)
        if self._well_conditioned(truncation, sizes):
            solution = scipy.linalg.solve_triangular(self._triangle, inner, check_finite=False)
            if np.isfinite(solution).all():
                return LeastSquares(solution / self._lengths, len(self))
        return self.solve_some(target, np.arange(len(self)), truncation, sizes, now)

    def _inner(self, target: Floats, now: Floats | None) -> Floats:
        """The target in terms of T; the triangle knows that of weights without the columns."""
        inner = self.coefficients(target[None])[0]
        if now is not None:
            inner += self._triangle @ (self._lengths * now)
        return np.asarray(inner)

    def _well_conditioned(self, truncation: float, sizes: Floats | None) -> bool:
        if sizes is None:
            reciprocal, _ = scipy.linalg.lapack.dtrcon(self._triangle)
            return bool(reciprocal > truncation)
        # The smallest singular value is at most the smallest diagonal entry, which is zero for a
        # column that depends on others.
        corner = float(np.abs(np.diagonal(self._triangle) * sizes).min(initial=np.inf))
        if corner <= MARGIN * truncation * float(np.max(sizes, initial=0.0)):
            return False
        # The condition changes slowly as columns are added: far from the bound it is not computed.
        if self._far_from_bound > len(self):
            return True
        share = least_share(np.asfortranarray(self._triangle * sizes))
        far = share > _FAR * truncation
        self._far_from_bound = len(self) + _LOOK_EVERY if far else 0
        return bool(share > MARGIN * truncation)

    def solve_some(
        self,
        target: Floats,
        some: NDArray[np.intp],
        truncation: float,
        sizes: Floats | None = None,
        now: Floats | None = None,
    ) -> LeastSquares:
        """The same with only some of the columns, always by SVD."""
        inner = self._inner(target, now)
        triangle, lengths = self._triangle[:, some], self._lengths[some]
        if self._gram is not None:
            triangle, inner = self._gram.T @ triangle, self._gram.T @ inner
        if sizes is not None:
            triangle, lengths = triangle * sizes[some], lengths / sizes[some]
        solution, rank = solve_least_squares(triangle.T, inner, truncation)
        return LeastSquares(solution / lengths, rank)


def _unit_vectors(columns: Floats) -> tuple[Floats, Floats]:
    """Orthonormal vectors, one per row, and the triangle that maps them to the columns."""
    if len(columns) == 1:  # the paper's algorithms add one at a time
        length = float(np.linalg.norm(columns))
        return columns / (length or 1.0), np.array([[length]])
    q, r = scipy.linalg.qr(columns.T, mode="economic", check_finite=False)
    return q.T, r
