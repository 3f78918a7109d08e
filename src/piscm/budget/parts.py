"""Large computations in parts, with a look at the clock between them."""

from collections.abc import Iterator
from itertools import pairwise

from piscm.budget.clock import check_time

# Numbers (nodes times points) in one part; with their sines and cosines a tenth of a second.
_PART = 3_000_000


def at_once(size: int) -> int:
    """The largest number of things of a given size in one part."""
    return max(1, _PART // max(1, size))


def parts(count: int, size: int) -> Iterator[slice]:
    """Slices of `count` things of a given size each; only what is large is cut."""
    pieces = min(count, -(-count * size // _PART))
    if pieces <= 1:
        check_time()
        yield slice(0, count)
        return
    edges = [count * number // pieces for number in range(pieces + 1)]
    for first, stop in pairwise(edges):
        check_time()
        yield slice(first, stop)
