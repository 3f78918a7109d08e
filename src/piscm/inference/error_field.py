"""The estimated error as a function: how far the correction in a richer space moves each point.

Its root mean square is the estimate that `piscm.inference.error_estimate` gives for a field. Where
it crosses zero it tells nothing: there the error is as large as around it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef

from piscm.inference.correction import checked_correction
from piscm.inference.in_windows import marched_backward, own_windows, window_of, without_data
from piscm.inference.richer import richer_space
from piscm.network.network import Network

Floats = NDArray[np.float64]

_POINTS = 1000  # at which the mean is held against the estimate of the run


@dataclass(frozen=True)
class ErrorField:
    """The estimated error of a network.

    Attributes
    ----------
    network : Network
    own, corrected : tuple of Network
        Of each window: what was found, and what a richer space makes of it.
    unseen : tuple of float
        Of each window: an error that even the richer space does not see; infinite if nothing is
        known.
    means : dict of str to float
        The root mean square of each field's error that the run estimated. What this one is short
        of it may be anywhere: it is added evenly.
    """

    network: Network
    own: tuple[Network, ...]
    corrected: tuple[Network, ...]
    unseen: tuple[float, ...]
    means: dict[str, float]

    def __call__(self, item: AppliedUndef, points: Floats) -> Floats:
        """The size of a field's error at points."""
        mean = self.means[str(item.func)]
        if not np.isfinite(mean):
            return np.full(len(points), np.inf)
        domain, rng = self.network.problem.domain, np.random.default_rng(0)
        among = domain.sample_inside(_POINTS, lambda count, dim: rng.random((count, dim)))
        missing = max(0.0, mean**2 - float(np.mean(self._moved(item, among) ** 2)))
        return np.sqrt(self._moved(item, points) ** 2 + missing)

    def _moved(self, item: AppliedUndef, points: Floats) -> Floats:
        made, window = np.empty(len(points)), self._window(points)
        for number, unseen in enumerate(self.unseen):
            here = window == number
            if here.any():
                found = self.own[number].values(item, points[here])
                moved = self.corrected[number].values(item, points[here]) - found
                made[here] = np.hypot(moved, unseen)
        return made

    def _window(self, points: Floats) -> NDArray[np.intp]:
        panels = self.network.panels
        if panels is None:
            return np.zeros(len(points), dtype=np.intp)
        return np.searchsorted(panels.edges, points[:, panels.axis])


def error_field(network: Network, means: dict[str, float], seed: int) -> ErrorField:
    """The correction of every window, each passing its own on to the next."""
    problem, panels = network.problem, network.panels
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(7,)))
    along = None if panels is None else problem.domain.coordinates[panels.axis]
    whole, before = without_data(problem), None
    windows = list(own_windows(network))
    made: list[tuple[Network, float]] = []
    for low, high, own in reversed(windows) if marched_backward(network) else windows:
        part = window_of(whole, network, low, high, before)
        space = richer_space(part, own, {}, rng, whole=problem, along=along)
        before, unseen, _ = checked_correction(space, {}, rng, problem, along)
        made.append((before, unseen))
    if marched_backward(network):
        made.reverse()
    corrected, unseen_of = zip(*made, strict=True)
    return ErrorField(network, tuple(own for *_, own in windows), corrected, unseen_of, means)
