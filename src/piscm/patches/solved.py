"""What solving all patches together gives, and where it may begin."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from piscm.compile.expression import Compiled

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Solved:
    """A solution in patches.

    Attributes
    ----------
    weights : dict of int to ndarray, shape (nodes, fields)
    unknowns : ndarray
    energies : ndarray, shape (patches, 2)
        The squared residual of each patch: its own rows, and its ties.
    noise : list of dict of int to ndarray
        How the weights answer to random rows.
    steps : int
        Systems solved.
    information : ndarray or None
        The triangular factor of the unknowns after all else was eliminated, if there are any.
    """

    weights: dict[int, Floats]
    unknowns: Floats
    energies: Floats
    noise: list[dict[int, Floats]] = field(default_factory=list)
    unknown_noise: list[Floats] = field(default_factory=list)
    steps: int = 0
    information: Floats | None = None

    @property
    def energy(self) -> float:
        return float(self.energies.sum())


class Guide(Protocol):
    """Fields and unknowns at which a nonlinear problem is linearized first."""

    @property
    def unknowns(self) -> Floats:
        """The unknown parameters."""

    def jets(self, compiled: Compiled, points: Floats) -> Floats:
        """Every jet of a compiled expression at the points."""
