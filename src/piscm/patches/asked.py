"""What a run in patches is asked for, and what it may begin with."""

from dataclasses import dataclass

from piscm.patches.grid import Edges
from piscm.patches.levels import Level
from piscm.patches.solved import Guide

MOST_PATCHES = 4096
"""At most so many patches are chosen unasked."""


@dataclass(frozen=True)
class Asked:
    """What a run is asked for.

    Attributes
    ----------
    tolerance : float
        0 if none was given: one solve with `max_nodes` then.
    shape : tuple of int or None
        Patches along each coordinate; None leaves them open.
    max_nodes : int or None
        Of a patch.
    activation : str
    scale : tuple of float or None
        Of the nodes, in half-patches.
    most : int
        Patches of the first number of nodes, where their number is open; fewer of larger ones.
    edges : Edges or None
        The ends of patches that follow layers, to begin with.
    """

    tolerance: float
    shape: tuple[int, ...] | None = None
    max_nodes: int | None = None
    activation: str = "sin"
    scale: tuple[float, ...] | None = None
    most: int = MOST_PATCHES
    edges: Edges | None = None


@dataclass(frozen=True)
class Begun:
    """Where a search begins: with the level, the scale of nodes and the fields of another."""

    level: Level
    factor: float
    guide: Guide
