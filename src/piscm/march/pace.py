"""Whether longer windows are cheaper: how the work of a window grows with its length.

Long windows need more nodes, and work grows with the cube of them; short ones repeat what they have
in common. Which of the two weighs more depends on the problem (a steepening front, a slow wave), so
it is learnt on the way: a line through the logarithms of work and length of the latest windows.
Where its slope is small enough, a unit of time is cheaper in longer windows, and the smaller it is,
the longer the next one may be. Work is counted, not timed: the same seed gives the same windows.

Twice as many windows add up twice as many errors, and half of the error in each takes more nodes:
so a slope of one is not yet too large.
"""

from dataclasses import dataclass, field

import numpy as np

from piscm.fit.piece import Piece

# Work of selecting new nodes, relative to that of fitting all of them.
_SELECTION = 2.5
# With this many nodes their evaluation takes about as long as solving for their weights: fewer cost
# more than their square tells.
_EVALUATED = 250
# The slope from which on windows become shorter. With 1 the windows of Kuramoto-Sivashinsky became
# ten times as short with one of five seeds, their errors added up, and the march was repeated.
_EVEN = 1.15
# No window is shorter by choice than this fraction of the march or, where so long a one is not
# possible, of the longest that was. Errors of many windows add up, to noise that nodes have to
# follow in yet shorter ones: sine-Gordon had 130 with one of ten seeds, the last of them with 600
# nodes each, and missed its tolerance.
_MANY, _SHORTEST = 16, 0.7
# A window this much shorter than the one before had to be so: it was halved, or more than that.
_FORCED = 0.6
# The slope that is assumed where nothing is known, and how much spread of logarithmic lengths it
# takes to believe in another one: the solution changes on the way as well.
_ASSUMED, _SPREAD = 0.6, 0.05
# The power of `change` by which a window becomes longer at most: a first window that is far too
# short is soon left behind, and one that is too long costs an attempt.
_FAST = 3.0
# Each window counts less than the one after it by this factor.
_FADES = 0.6


@dataclass
class Pace:
    """The lengths and the work of the windows so far.

    Attributes
    ----------
    change : float
        The factor by which lengths are changed at the assumed slope; by powers of it at others.
    span : float
        The length of the whole march.
    slope : float
        The power of the length with which the work grows, as far as known.
    """

    change: float
    span: float
    slope: float = _ASSUMED
    _seen: list[tuple[float, float]] = field(default_factory=list)
    _longest: float = 0.0
    _last: float = 0.0

    def factor(self, piece: Piece) -> float:
        """The factor on the length of the next window, after this one."""
        nodes = max(1, len(piece.network.nodes))
        added = 1.0 - piece.fit.inherited / nodes
        rows = float(sum(piece.assembly.points.rows))
        work = rows * nodes * (nodes + _EVALUATED) * (1.0 + _SELECTION * added)
        length = piece.high - piece.low
        self._seen.append((float(np.log(length)), float(np.log(work))))
        self._learn()
        forced = length < _FORCED * self._last
        self._longest = length if forced else max(length, self._longest)
        self._last = length
        if self.slope >= _EVEN:
            return max(1.0 / self.change, min(1.0, self._least / length))
        # Never less than one step: lengths that hardly differ would tell nothing of the slope.
        return float(self.change ** np.clip((1.0 - self.slope) / (1.0 - _ASSUMED), 1.0, _FAST))

    @property
    def _least(self) -> float:
        """No window is shorter than this by choice."""
        return min(_SHORTEST * self._longest, self.span / _MANY)

    def _learn(self) -> None:
        lengths, works = np.array(self._seen).T
        fading = _FADES ** np.arange(len(lengths))[::-1]
        fading /= fading.sum()
        away = lengths - fading @ lengths
        together = float(fading @ (away * (works - fading @ works)))
        before = 0.5 * (self.slope + _ASSUMED)
        self.slope = (together + _SPREAD * before) / (float(fading @ away**2) + _SPREAD)
