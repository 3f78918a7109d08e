"""Large computations in parts, with a look at the clock between them."""

from collections.abc import Iterator
from itertools import pairwise

from piscm.budget.clock import check_time

# Numbers (nodes times points) at most in one part, if it holds several things; with their sines and
# cosines a tenth of a second.
_PART = 3_000_000
# Numbers that stay in the cache while they are worked on, and the fewest things that are worth a
# part: new memory costs more than what is done in it, and products of matrices of fewer rows are
# slower and rounded otherwise.
_CACHED, _FEW = 200_000, 8


def at_once(size: int) -> int:
    """The largest number of things of a given size in one part."""
    return max(1, _PART // max(1, size))


def parts(count: int, size: int) -> Iterator[slice]:
    """Slices of `count` things of a given size each; only what is large is cut."""
    least = min(_FEW, at_once(size))
    pieces = min(-(-count // least), -(-count * size // _CACHED))
    if pieces <= 1:
        check_time()
        yield slice(0, count)
        return
    edges = [count * number // pieces for number in range(pieces + 1)]
    for first, stop in pairwise(edges):
        check_time()
        yield slice(first, stop)
