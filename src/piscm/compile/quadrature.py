"""Points of quadrature on a line, as dense as what is known of the integrand asks for.

An integrand is known but for the fields in it: a kernel, a weight. Gauss points integrate that
exactly enough where it is smooth. Where it is a narrow peak, or jumps, the line is cut into panels;
where it is infinite at an end, points are moved towards the ends in such a way that roots and
logarithms become smooth.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import pairwise

import numpy as np

from piscm.problem.numeric import Floats

Known = Callable[[Floats], Floats]
"""Known factors at places in [0, 1], shape (functions, lines, places)."""

# Gauss points of a panel, and where the rule is only checked: half as many more see what the rule
# does not, as long as that is not finer than both.
POINTS, FINER = 32, 48
# Panels in which features are looked for at first: they are found if wider than 2e-4 of the line.
_LEAVES = 64
# What known factors may be off by, relative to their size. Beside 1 / sqrt(x - s) the round-off of
# x - s makes 2e-10; a peak needs twice the points for 1e-14.
_RESOLVED = 1e-9
# Two rules agree if they differ by so many times what is left of one: that is what halves see.
_AGREE = 10
_LOST = 0.05  # where so much is left, even panels have seen nothing to compare with
_FEW = 4  # panels that cost little: nothing else is tried


@dataclass(frozen=True)
class Panels:
    """A rule of quadrature on [0, 1].

    Attributes
    ----------
    cuts : tuple of float
        Where panels begin and end.
    bent : bool
        Whether points gather towards both ends.
    left : float
        By how much known factors are off, relative to their size.
    """

    cuts: tuple[float, ...] = (0.0, 1.0)
    bent: bool = False
    left: float = 0.0

    @property
    def resolved(self) -> bool:
        return self.left <= _RESOLVED

    def simple(self, least: int) -> bool:
        """Whether it costs so little that nothing else need be tried."""
        return self.resolved and not self.bent and len(self) <= max(_FEW, least)

    def agrees(self, known: Known) -> bool:
        """Whether a finer rule gives the same."""
        (at, weights), (others, shares) = self.rule(), self.rule(finer=True)
        values, finer = known(at) * weights, known(others) * shares
        off = np.abs(values.sum(axis=-1) - finer.sum(axis=-1))
        return bool((off <= _RESOLVED * np.abs(finer).sum(axis=-1)).all())

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def rule(self, finer: bool = False) -> tuple[Floats, Floats]:
        """Places and weights."""
        unit, share = gauss(FINER if finer else POINTS)
        cuts = np.array(self.cuts)
        at = (cuts[:-1, None] + np.diff(cuts)[:, None] * unit).ravel()
        weights = (np.diff(cuts)[:, None] * share).ravel()
        return (_bent(at), weights * _stretch(at)) if self.bent else (at, weights)


def panels_for(known: Known | None, least: int, most: int) -> Panels:
    """Panels on which known factors are integrated well, if `most` will do.

    Parameters
    ----------
    known : their values; None if there is nothing to resolve
    least, most : how many panels there are
    """
    least = 2 ** int(np.log2(max(1, min(least, most, _LEAVES))))  # so cuts are those of leaves
    even = Panels(tuple(np.linspace(0, 1, least + 1)))
    if known is None:
        return even
    found = _cut(known, even, most)
    if found.simple(least):
        return found
    return better(found, _towards_ends(known, found))


def better(one: Panels, other: Panels, factor: int = 1) -> Panels:
    """The one that resolves what is known, with fewer points; `factor` is the cost of the other."""
    if one.resolved and other.resolved:
        return other if factor * len(other) < len(one) else one
    return other if other.left < one.left else one


@lru_cache(maxsize=16)
def gauss(count: int) -> tuple[Floats, Floats]:
    """Gauss points and weights on [0, 1]."""
    unit, share = np.polynomial.legendre.leggauss(count)
    return (1 + unit) / 2, share / 2


def _bent(at: Floats) -> Floats:
    """A polynomial from 0 to 1 whose first three derivatives vanish at both ends."""

    def rising(x: Floats) -> Floats:
        return np.asarray(x**4 * (35 + x * (-84 + x * (70 - 20 * x))))

    return np.where(at < 0.5, rising(at), 1 - rising(1 - at))


def _stretch(at: Floats) -> Floats:
    """Its derivative."""
    return np.asarray(140 * (at * (1 - at)) ** 3)


def _towards_ends(known: Known, even: Panels) -> Panels:
    """One panel whose points gather towards both ends; smaller ones would end in round-off.

    It may miss what lies between its points and even panels have seen: both must agree.
    """
    bent = Panels(bent=True)
    if even.left > _LOST:
        return replace(bent, left=np.inf)
    with np.errstate(all="ignore"):
        values, finer, evenly = (
            known(at) * weights for at, weights in (bent.rule(), bent.rule(finer=True), even.rule())
        )
        size = np.abs(evenly).sum(axis=-1).max(axis=-1, initial=0.0, keepdims=True)
        total = values.sum(axis=-1)
        off = _worst(np.abs(total - finer.sum(axis=-1)) / size, size)
        apart = _worst(np.abs(total - evenly.sum(axis=-1)) / size, size)
    return replace(bent, left=off if apart <= _AGREE * max(even.left, _RESOLVED) else apart)


def _worst(off: Floats, size: Floats) -> float:
    found = float(np.max(np.where(size > 0, off, 0.0), initial=0.0))
    return found if np.isfinite(found) else np.inf


def _cut(known: Known, panels: Panels, most: int) -> Panels:
    """The panels, the worst of them cut into halves as often as that is needed and allowed."""

    def total(low: float, high: float) -> Floats:
        at, weights = replace(panels, cuts=(low, high)).rule()
        found = known(at) @ weights
        return np.where(np.isfinite(found), found, np.inf)

    cuts = np.linspace(0, 1, _LEAVES + 1)
    at, weights = replace(panels, cuts=tuple(cuts)).rule()
    with np.errstate(all="ignore"):
        values = known(at) * weights
        each = values.reshape(*values.shape[:-1], _LEAVES, POINTS).sum(axis=-1)
        size = np.abs(values).sum(axis=-1).max(axis=-1, initial=0.0, keepdims=True)
        running = np.concatenate([0 * each[..., :1], np.cumsum(each, axis=-1)], axis=-1)

        def off(low: float, high: float) -> float:
            """By how much the integral from one end to the other is wrong."""
            first, last = low * _LEAVES, high * _LEAVES
            if last - first > 1:
                finer = running[..., round(last)] - running[..., round(first)]
            else:
                middle = (low + high) / 2
                finer = total(low, middle) + total(middle, high)
            return _worst(np.abs(total(low, high) - finer) / size, size)

        heap = [(-off(low, high), low, high) for low, high in _pairs(panels.cuts)]
        heapify(heap)
        while -heap[0][0] > _RESOLVED / 10 and len(heap) < most:
            _, low, high = heappop(heap)
            middle = (low + high) / 2
            for one in ((low, middle), (middle, high)):
                heappush(heap, (-off(*one), *one))
    ends = sorted(low for _, low, _ in heap)
    return replace(panels, cuts=(*ends, 1.0), left=sum(-own for own, _, _ in heap))


def _pairs(cuts: tuple[float, ...]) -> list[tuple[float, float]]:
    return list(pairwise(cuts))
