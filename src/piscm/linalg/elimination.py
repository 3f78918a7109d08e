r"""Block-sparse least squares by orthogonal elimination along a tree.

The unknowns come in *groups*, and the rows in *shares*, each of which holds a few groups only. Two
shares are merged by a QR factorization of their rows: groups that no other share holds are
eliminated,

.. math::

    Q^T \begin{pmatrix} A_1 & B_1 & f \end{pmatrix}
    = \begin{pmatrix} R_{11} & R_{12} & g_1 \\ 0 & R_{22} & g_2 \end{pmatrix},

and the second line is the share of the two together. At the root nothing is left; values then
follow from the root down to the leaves. If the tree dissects the graph of the shares, no front is
larger than a separator. Nothing is squared: no normal equations.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from piscm.budget.clock import check_work
from piscm.linalg.upper import upper_factor

Floats = NDArray[np.float64]
Values = dict[int, Floats]
"""The values of every group, shape (size, right-hand sides)."""

Tree = int | tuple["Tree", "Tree"]
"""The number of a share, or two trees that are merged."""

# Combinations of a group's unknowns that the rows see less than this, relatively, get no value.
_TRUNCATION = 1e-13


@dataclass(frozen=True)
class Share:
    """Rows in some groups.

    Attributes
    ----------
    groups : tuple of int
    rows : ndarray, shape (rows, columns of the groups + right-hand sides)
    """

    groups: tuple[int, ...]
    rows: Floats

    def __sizeof__(self) -> int:
        return self.rows.nbytes


@dataclass(frozen=True)
class Eliminated:
    """Groups that were eliminated, as a function of those that were kept.

    Attributes
    ----------
    own, kept : tuple of int
    triangle : ndarray, shape (k, k)
    rest : ndarray, shape (k, columns of `kept` + right-hand sides)
    """

    own: tuple[int, ...]
    kept: tuple[int, ...]
    triangle: Floats
    rest: Floats

    def fill(self, values: Values, sizes: Mapping[int, int]) -> None:
        """Add the values of its own groups to those of the kept ones."""
        across = sum(sizes[group] for group in self.kept)
        right = self.rest[:, across:]
        if self.kept:
            # Values that travelled are laid out in another way; that would change the last bits.
            known = np.ascontiguousarray(np.concatenate([values[group] for group in self.kept]))
            right = right - self.rest[:, :across] @ known
        found = solved(self.triangle, right)
        first = 0
        for group in self.own:
            values[group] = found[first : first + sizes[group]]
            first += sizes[group]


def solved(triangle: Floats, right: Floats) -> Floats:
    """The solution of a triangular system, without what it hardly sees."""
    if not len(triangle):
        return np.zeros((0, right.shape[1]))
    diagonal = np.abs(np.diag(triangle))
    if diagonal.min() > _TRUNCATION * diagonal.max():
        return np.asarray(scipy.linalg.solve_triangular(triangle, right, check_finite=False))
    found = scipy.linalg.lstsq(triangle, right, cond=_TRUNCATION, check_finite=False)[0]
    return np.asarray(found)


def eliminated(
    shares: Sequence[Share], own: Sequence[int], sizes: Mapping[int, int]
) -> tuple[Eliminated, Share]:
    """Merge shares and eliminate the groups `own`."""
    every = dict.fromkeys(group for share in shares for group in share.groups)
    kept = tuple(group for group in every if group not in set(own))
    matrix = _stacked(shares, (*own, *kept), sizes)
    check_work(2.0 * matrix.shape[0] * matrix.shape[1] ** 2)
    triangle = upper_factor(matrix)
    first = sum(sizes[group] for group in own)
    top = np.zeros((first, matrix.shape[1]))
    top[: len(triangle)] = triangle[:first]
    done = Eliminated(tuple(own), kept, top[:, :first].copy(), top[:, first:].copy())
    return done, Share(kept, triangle[first:, first:].copy())


def _stacked(shares: Sequence[Share], groups: Sequence[int], sizes: Mapping[int, int]) -> Floats:
    """All rows of some shares, with columns in the order of the groups, then right-hand sides."""
    columns, first = {}, 0
    for group in groups:
        columns[group] = slice(first, first + sizes[group])
        first += sizes[group]
    sides = shares[0].rows.shape[1] - sum(sizes[group] for group in shares[0].groups)
    matrix = np.zeros((sum(len(share.rows) for share in shares), first + sides), order="F")
    row = 0
    for share in shares:
        here, at = slice(row, row + len(share.rows)), 0
        for group in share.groups:
            matrix[here, columns[group]] = share.rows[:, at : at + sizes[group]]
            at += sizes[group]
        matrix[here, first:] = share.rows[:, at:]
        row = here.stop
    return matrix


@dataclass(frozen=True)
class Merged:
    """A tree of shares, merged up to its root.

    Attributes
    ----------
    steps : tuple of Eliminated
        In the order in which they were eliminated.
    share : Share
        What is left: rows in groups that other trees hold too; at the root only right-hand sides.
    """

    steps: tuple[Eliminated, ...]
    share: Share

    def fill(self, values: Values, sizes: Mapping[int, int]) -> None:
        """Add the values of all groups that were eliminated."""
        for step in reversed(self.steps):
            step.fill(values, sizes)


def merged(
    tree: Tree,
    shares: Mapping[int, Share],
    holders: Mapping[int, frozenset[int]],
    sizes: Mapping[int, int],
) -> Merged:
    """Merge the shares of a tree, eliminating every group as soon as all its holders are in it.

    Parameters
    ----------
    shares : the shares by number
    holders : for every group the numbers of all shares that hold it
    sizes : the number of unknowns of every group
    """
    steps: list[Eliminated] = []

    def merge(branch: Tree) -> tuple[frozenset[int], Share]:
        if isinstance(branch, int):
            inside, parts = frozenset([branch]), [shares[branch]]
        else:
            pairs = [merge(own) for own in branch]
            inside = pairs[0][0] | pairs[1][0]
            parts = [share for _, share in pairs]
        held = dict.fromkeys(group for share in parts for group in share.groups)
        own = in_order([group for group in held if holders[group] <= inside])
        if len(parts) == 1 and not own:
            return inside, parts[0]
        step, left = eliminated(parts, own, sizes)
        steps.append(step)
        return inside, left

    _, share = merge(tree)
    return Merged(tuple(steps), share)


def in_order(groups: Sequence[int]) -> list[int]:
    """Groups below zero, which everyone holds, go last: what is left for them is theirs alone."""
    return sorted(groups, key=lambda group: group < 0)


def leaves(tree: Tree) -> Iterator[int]:
    """The shares of a tree, from left to right."""
    if isinstance(tree, int):
        yield tree
    else:
        yield from leaves(tree[0])
        yield from leaves(tree[1])


def districts(tree: Tree, most: int) -> list[Tree]:
    """The largest branches that have at most so many shares, from left to right."""
    if isinstance(tree, int) or sum(1 for _ in leaves(tree)) <= most:
        return [tree]
    return [*districts(tree[0], most), *districts(tree[1], most)]


def above(tree: Tree, branches: Sequence[Tree]) -> Tree:
    """The tree with each of some branches, in their order, replaced by its number among them."""
    numbers = {id(branch): number for number, branch in enumerate(branches)}
    whole = {branch: number for number, branch in enumerate(branches) if isinstance(branch, int)}

    def replaced(branch: Tree) -> Tree:
        if isinstance(branch, int):
            return whole[branch]
        if id(branch) in numbers:
            return numbers[id(branch)]
        return replaced(branch[0]), replaced(branch[1])

    return replaced(tree)
