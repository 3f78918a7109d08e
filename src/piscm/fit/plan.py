"""How one window is to be solved: methods, points, when to give up, what it inherits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.construct.construction import Construction
from piscm.network.network import Network

Floats = NDArray[np.float64]
OutOfReach = Callable[[Floats, float, int], bool]
"""``out_of_reach(residuals, tolerance, inherited)`` says that growth will miss the tolerance."""


@dataclass(frozen=True)
class PointPolicy:
    """When a window gets more points, and where.

    Parameters
    ----------
    least : int
        Points of the equations in a window at first.
    steep : float
        Points follow the steepness at the end of the previous window if its maximum is this many
        times its mean. Lower values crowd points in every window; higher ones miss fronts.
    between : float
        Number of validation points per fitted point. More cost evaluations and find more; there
        must be more than 1.
    parted : float
        Points are added if the residual at validation points exceeds the fitted one this many
        times.
    more : float
        Factor by which their number then grows.
    most_per_node : float
        Up to this many for each node.
    rounds : int
        Number of times that points are added for inherited nodes.
    below_noise : float
        An equation residual this fraction of the data misfit is small enough.
    """

    least: int = 400
    steep: float = 4.0
    between: float = 1.5
    parted: float = 2.0
    more: float = 1.5
    most_per_node: float = 10.0
    rounds: int = 3
    below_noise: float = 0.01


@dataclass(frozen=True)
class Plan:
    """How one window is solved.

    Attributes
    ----------
    methods : sequence of Construction
        If there are several, the one that is best after the first stage continues.
    sampling : Sampling
        The initial points.
    stages : sequence of int
        Numbers of nodes after which points may be added.
    points_per_node : float
        Number of points of the equations per node of the next stage.
    out_of_reach : callable, optional
        When to give up.
    inherits : bool
        Whether the nodes of the window before are tried first.
    kept : sequence of int or None
        Which of them; None are all.
    expected : int
        How many nodes it will take, as far as known: growth from inherited ones has points for as
        many at once.
    guess : Network or None
        A solution of a similar problem here: its nodes and its state are where to begin.
    fields : ndarray or None
        The size of each field, as known from earlier windows.
    least_share : float
        A window may add the share of the tolerance that its length has in the whole, but at least
        this one.
    enough, worth_growing : float
        The error with which inherited nodes are enough, and up to which more are added to them.
    policy : PointPolicy
    """

    methods: Sequence[Construction]
    sampling: Sampling
    stages: Sequence[int] = ()
    points_per_node: float = 0.0
    out_of_reach: OutOfReach | None = None
    inherits: bool = False
    kept: Sequence[int] | None = None
    expected: int = 0
    guess: Network | None = None
    fields: Floats | None = None
    least_share: float = 0.0
    enough: float = 0.0
    worth_growing: float = np.inf
    policy: PointPolicy = field(default_factory=PointPolicy)
