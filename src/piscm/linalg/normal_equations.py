r"""Least squares from the kept factor of a Gram matrix: many times faster than an SVD.

The Cholesky factor of the Gram matrix of normalized columns has half the digits, and after the next
growth step it belongs to other columns, so it only serves as a preconditioner. New columns are
appended to it, and conjugate gradients on the columns themselves recover the digits. If they need
too many steps, the factor is recomputed.
"""

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work
from piscm.linalg.rank import MARGIN, least_singular_value

Floats = NDArray[np.float64]

# Added to the diagonal to keep the factorization from failing; it takes the place of truncation.
_SHIFT = 1e-13
# Steps of conjugate gradients with a kept factor, and with a fresh one.
_STEPS_KEPT = 8
_STEPS_FRESH = 12
# Enough is gained when the squared residual could fall by less than this share. What is left behind
# misleads the choice of the next nodes: with 1e-6, and with 1e-7, runs of Van der Pol leave the
# path of singular values after every node; with 1e-10 none of six did, and with this none of 20.
_ENOUGH = 1e-11

# A factor of a Gram matrix with that shift distinguishes singular values of unit columns from zero
# down to this; nothing is known about smaller ones.
_TOLD_FROM_ZERO = 3e-6
# The condition changes slowly as columns come and go, so it is checked every `_LOOK_EVERY` steps.
# Van der Pol with an active truncation (1e-3, 1e-4; one seed) still agrees with an SVD every step.
_LOOK_EVERY = 10


class NormalEquations:
    """Least squares for columns that change little from call to call, and grow in number.

    Parameters
    ----------
    truncation : float
        Singular values below this fraction of the largest would have to be dropped; if there may be
        one, there is no answer.
    still : int
        The number of leading rows of a column that never change until the columns are forgotten.
    """

    def __init__(self, truncation: float, still: int = 0) -> None:
        self._truncation, self._rows_still = truncation, still
        self._steps_since = _LOOK_EVERY  # since the condition was last checked and found good
        self.forget()

    def forget(self) -> None:
        """Reset: the next columns are unrelated to the last ones."""
        # The columns of the upper factor, down to the diagonal, one after another: a new one is
        # appended, and a solve reads half of what a square matrix holds.
        self._packed: Floats = np.zeros(0)
        self._lengths: Floats = np.zeros(0)
        self._still: Floats = np.zeros((0, 0))  # the Gram matrix of the rows that never change

    def step(self, columns: Floats, residual: Floats) -> Floats | None:
        """The step in the weights of the columns that minimizes the residual.

        None if the arithmetic fails or if singular values might have to be dropped.

        Parameters
        ----------
        columns : ndarray, shape (unknowns, rows)
        residual : ndarray, shape (rows,)
            Target minus the sum of the columns with the current weights.
        """
        if len(columns) < len(self._lengths):
            self.forget()
        if len(self._lengths) and self._extend(columns):
            step, converged = self._iterate(columns, residual, _STEPS_KEPT)
            if converged and np.isfinite(step).all() and self._nothing_to_drop():
                return step
        if not self._factorize(columns) or not self._nothing_to_drop():
            return None
        step, _ = self._iterate(columns, residual, _STEPS_FRESH)
        return step if np.isfinite(step).all() else None

    def _nothing_to_drop(self) -> bool:
        """Whether all singular values of the columns are above the truncation threshold."""
        self._steps_since += 1
        if self._steps_since < _LOOK_EVERY:
            return True
        count, lengths = len(self._lengths), self._lengths

        def solve_unit(x: Floats) -> Floats:
            return np.asarray(scipy.linalg.lapack.dpptrs(count, self._packed, x)[0])

        def solve(x: Floats) -> Floats:
            return np.asarray(solve_unit(x / lengths) / lengths)

        bound = MARGIN * self._truncation * float(np.linalg.norm(lengths))
        least = least_singular_value(solve_unit, count)
        well = least > _TOLD_FROM_ZERO
        if well and least * lengths.min() <= bound:  # the unscaled columns may be worse
            well = least_singular_value(solve, count) > bound
        self._steps_since = 0 if well else _LOOK_EVERY
        return well

    def _factorize(self, columns: Floats) -> bool:
        check_work(2.0 * columns.size * len(columns))
        gram = self._gram(columns)
        lengths = np.sqrt(np.diagonal(gram))
        self._lengths = np.where(lengths > 0, lengths, 1.0)
        gram /= self._lengths
        gram /= self._lengths[:, None]
        gram[np.diag_indices_from(gram)] += _SHIFT
        factor, failed = scipy.linalg.lapack.dpotrf(gram.T, overwrite_a=1, clean=0)
        if failed:
            self.forget()
            return False
        self._packed, _ = scipy.linalg.lapack.dtrttp(factor)
        return True

    def _gram(self, columns: Floats) -> Floats:
        still, moving = columns[:, : self._rows_still], columns[:, self._rows_still :]
        known = len(self._still)
        grown = np.empty((len(columns), len(columns)))
        grown[:known, :known] = self._still
        grown[:, known:] = still @ still[known:].T
        grown[known:, :known] = grown[:known, known:].T
        self._still = grown
        return np.asarray(moving @ moving.T + grown)

    def _extend(self, columns: Floats) -> bool:
        """Append new columns to the factor; False if that fails."""
        for count in range(len(self._lengths), len(columns)):
            new = columns[count]
            length = float(np.sqrt(new @ new)) or 1.0
            across = columns[:count] @ new / (self._lengths * length)
            across = scipy.linalg.blas.dtpsv(count, self._packed, across, trans=1)
            corner = 1.0 + _SHIFT - float(across @ across)
            if not corner > 0.0:
                return False
            self._packed = np.concatenate([self._packed, across, [np.sqrt(corner)]])
            self._lengths = np.append(self._lengths, length)
        return True

    def _iterate(self, columns: Floats, residual: Floats, steps: int) -> tuple[Floats, bool]:
        """Preconditioned conjugate gradients, and whether little is left to gain."""
        solution = np.zeros(len(columns))
        direction, before = np.zeros(0), 1.0
        for step in range(steps + 1):
            gradient = columns @ residual
            scaled, _ = scipy.linalg.lapack.dpptrs(
                len(columns), self._packed, gradient / self._lengths
            )
            scaled /= self._lengths
            gain = float(gradient @ scaled)
            enough = _ENOUGH * float(residual @ residual)
            if gain <= enough:
                return solution, True
            if not np.isfinite(gain):
                return np.full_like(solution, np.nan), False
            if step == steps:
                return solution, False
            direction = scaled if step == 0 else scaled + (gain / before) * direction
            moved = direction @ columns
            length = gain / float(moved @ moved)
            solution = solution + length * direction
            residual = residual - length * moved
            before = gain
        return solution, False
