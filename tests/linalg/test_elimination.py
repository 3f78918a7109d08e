"""Elimination along a tree gives what a dense least-squares solver gives."""

import numpy as np
import pytest

from piscm.linalg.elimination import (
    Eliminated,
    Merged,
    Share,
    Tree,
    above,
    districts,
    eliminated,
    leaves,
    merged,
)


def _grid(rng, across=4, size=3, sides=2):
    """Shares of a grid of cells; a group on every edge between two, and one that all hold."""
    sizes, shares, holders = {0: 2}, {}, {0: frozenset(range(across**2))}
    groups = {cell: [0] for cell in np.ndindex(across, across)}
    for cell in np.ndindex(across, across):
        for axis in (0, 1):
            other = tuple(np.add(cell, np.eye(2, dtype=int)[axis]))
            if other in groups:
                number = len(sizes)
                sizes[number] = size + axis
                groups[cell].append(number)
                groups[other].append(number)
                pair = (cell, other)
                holders[number] = frozenset(i * across + j for i, j in pair)
    for (i, j), own in groups.items():
        columns = sum(sizes[group] for group in own) + sides
        shares[i * across + j] = Share(tuple(own), rng.standard_normal((15, columns)))
    return shares, holders, sizes


def _dense(shares, sizes):
    first = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    width = sum(sizes.values())
    rows = []
    for share in shares.values():
        part = np.zeros((len(share.rows), width + 2))
        at = 0
        for group in share.groups:
            part[:, first[group] : first[group] + sizes[group]] = share.rows[
                :, at : at + sizes[group]
            ]
            at += sizes[group]
        part[:, width:] = share.rows[:, at:]
        rows.append(part)
    whole = np.concatenate(rows)
    found, *_ = np.linalg.lstsq(whole[:, :width], whole[:, width:], rcond=None)
    left = np.linalg.norm(whole[:, :width] @ found - whole[:, width:], axis=0)
    return {group: found[first[group] : first[group] + size] for group, size in sizes.items()}, left


def _bisected(cells):
    if len(cells) == 1:
        return cells[0]
    half = len(cells) // 2
    return _bisected(cells[:half]), _bisected(cells[half:])


@pytest.mark.parametrize("seed", [0, 1])
def test_as_dense_least_squares(seed):
    shares, holders, sizes = _grid(np.random.default_rng(seed))
    tree = _bisected(list(shares))
    found = {}
    result = merged(tree, shares, holders, sizes)
    result.fill(found, sizes)
    expected, left = _dense(shares, sizes)
    for group, values in expected.items():
        np.testing.assert_allclose(found[group], values, atol=1e-12)
    assert result.share.groups == ()
    np.testing.assert_allclose(np.linalg.norm(result.share.rows, axis=0), left, rtol=1e-10)


def test_branches_merged_apart_give_the_same_bits():
    shares, holders, sizes = _grid(np.random.default_rng(3))
    tree = _bisected(list(shares))
    together = {}
    merged(tree, shares, holders, sizes).fill(together, sizes)
    branches = districts(tree, 4)
    assert [list(leaves(branch)) for branch in branches] == np.arange(16).reshape(4, 4).tolist()
    parts = [merged(branch, shares, holders, sizes) for branch in branches]
    of = {leaf: n for n, branch in enumerate(branches) for leaf in leaves(branch)}
    outer = {group: frozenset(of[leaf] for leaf in own) for group, own in holders.items()}
    top = merged(above(tree, branches), {n: p.share for n, p in enumerate(parts)}, outer, sizes)
    apart = {}
    top.fill(apart, sizes)
    for part in parts:
        part.fill(apart, sizes)
    for group in sizes:
        assert np.array_equal(together[group], apart[group])


def test_what_no_row_sees_gets_no_value():
    rows = np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [0.0, 0.0, 0.0]])
    step, left = eliminated([Share((0, 1), rows)], [0, 1], {0: 1, 1: 1})
    values = {}
    Merged((step,), left).fill(values, {0: 1, 1: 1})
    assert values[0] == pytest.approx(1.0)
    assert values[1] == pytest.approx(1.0)


def test_fewer_rows_than_unknowns():
    shares = {0: Share((0, 1), np.array([[1.0, 2.0, 3.0]])), 1: Share((1,), np.array([[1.0, 1.0]]))}
    holders = {0: frozenset([0]), 1: frozenset([0, 1])}
    tree: Tree = (0, 1)
    values = {}
    merged(tree, shares, holders, {0: 1, 1: 1}).fill(values, {0: 1, 1: 1})
    assert values[1] == pytest.approx(1.0)
    assert values[0] == pytest.approx(1.0)


def test_values_that_travelled_give_the_same_bits():
    """Pickled arrays are laid out by rows, slices of a solution by columns."""
    rng = np.random.default_rng(0)
    triangle = np.triu(rng.standard_normal((108, 108))) + 9 * np.eye(108)
    rest = rng.standard_normal((108, 219))
    step, sizes = Eliminated((0,), (1, 2), triangle, rest), {0: 108, 1: 108, 2: 108}
    known = np.asfortranarray(rng.standard_normal((216, 3)))
    here = {1: known[:108], 2: known[108:]}
    there = {group: own.copy() for group, own in here.items()}
    step.fill(here, sizes)
    step.fill(there, sizes)
    assert np.array_equal(here[0], there[0])
