r"""Orthogonal selection: candidates judged by what they add to all nodes together.

After a global correction, what a candidate gains alone says little: its column lies almost in the
span of the others, and they would have done the same. Only the part outside the span can help.
With Q an orthonormal basis of the active columns (the unknowns' among them) and the residual e,

.. math:: m_\perp = m - QQ^T m, \qquad \text{gain} = \langle m_\perp, e\rangle^2 / \|m_\perp\|^2 .

Several nodes are taken from one batch: each pick is projected out of the rest, on the small Gram
matrix of the batch (a pivoted Cholesky factorization that follows the gains).
"""

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.state import NodeRows
from piscm.linalg.basis import Basis

Floats = NDArray[np.float64]

# A column of which less than this share lies outside the span is round-off, not a direction.
_OUTSIDE = 1e-13


def best_block(rows: NodeRows, basis: Basis, residual: Floats, count: int) -> list[int]:
    """The candidates to keep, best first.

    Parameters
    ----------
    rows : candidates, written at the current linearization
    basis : of the columns that are corrected together with the new nodes
    residual : ndarray, shape (rows,)
    count : int
        How many to keep at most.
    """
    candidates, fields, size = rows.design.shape
    columns = rows.design.reshape(-1, size)
    lengths = np.linalg.norm(columns, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    if not usable.all():
        columns = np.where(usable[:, None], columns, 0.0)
    columns = basis.outside(columns / np.where(usable, lengths, 1.0)[:, None])
    gram = columns @ columns.T
    return _greedy(gram, columns @ residual, fields, min(count, candidates))


def _greedy(gram: Floats, products: Floats, fields: int, count: int) -> list[int]:
    """Pick nodes by their gain, each time without what the picked ones explain."""
    nodes = len(gram) // fields
    gram, products = gram.copy(), products.copy()
    chosen: list[int] = []
    for _ in range(count):
        gains = _gains(gram, products, nodes, fields)
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        if not gains[best] > 0:
            break
        chosen.append(best)
        own = slice(best * fields, (best + 1) * fields)
        inverse = _inverse(gram[own, own])
        explained = gram[:, own] @ inverse
        products = products - explained @ products[own]
        gram = gram - explained @ gram[own]
    return chosen


def _gains(gram: Floats, products: Floats, nodes: int, fields: int) -> Floats:
    """How much the squared residual falls with each node."""
    if fields == 1:
        squares = np.diagonal(gram)
        outside = squares > _OUTSIDE**2
        return np.where(outside, products**2 / np.where(outside, squares, 1.0), 0.0)
    index = np.arange(nodes * fields).reshape(nodes, fields)
    blocks = gram[index[:, :, None], index[:, None, :]]
    own = products.reshape(nodes, fields)
    inverse = _inverse(blocks)
    gains = np.einsum("ki,kij,kj->k", own, inverse, own)
    return np.where(np.einsum("kii->k", blocks) > _OUTSIDE**2, gains, 0.0)


def _inverse(gram: Floats) -> Floats:
    """Of one small Gram matrix or many, without directions that have nothing in them."""
    if gram.shape[-1] == 1:
        return np.asarray(1.0 / gram)
    return np.asarray(np.linalg.pinv(gram, rcond=1e-10, hermitian=True))
