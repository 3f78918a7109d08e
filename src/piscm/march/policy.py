"""The length of the next window and its number of nodes: the choices of `Auto`."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piscm.fit.piece import Piece
from piscm.fit.plan import OutOfReach, PointPolicy
from piscm.network.network import Network

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MarchPolicy:
    """The parameters behind the choices of `Auto`.

    Parameters
    ----------
    trial : int
        Number of nodes after which activations are compared and growth may be given up. Fewer are
        cheaper and leave the choice to luck.
    candidates : int
        Number of candidates for each block of nodes. More find better nodes and cost evaluations.
    stage : int
        Points are added every `stage` nodes if the residual between them is too large.
    points_per_node : int
        Number of points of the equations per node to come. Fewer are faster, but let the network
        oscillate between the points.
    alone : int
        Without windows, the maximum number of nodes is multiplied by this.
    at_once : int
        One-shot networks may have this many times the weights.
    aim, window_aim : float
        One network aims at this fraction of the tolerance, and each window at the second, since
        errors accumulate.
    miss : float
        Growth is given up if it would miss the tolerance by more than this factor.
    worth : float
        Halving helps if a quarter of a window is more accurate by this factor.
    learnt : float
        A window with a larger error has found nothing yet, and can only be halved.
    shortest, shortest_in_time : float
        No window is shorter than this fraction of the whole; of a problem in time alone, where
        windows cost little and scales may be decades apart, the second one.
    crumb : float
        A remainder shorter than this fraction of the last window is added to it.
    added : float
        A window may add this fraction of the error it inherits.
    full, longer : float
        A window that took fewer nodes than the fraction `full` of those allowed is followed by one
        `longer` times as long.
    more : int
        If halving a window does not help, the maximum number of nodes is multiplied by this.
    bad_fit : float
        If one network misses the observations by more than this fraction, it may be in the wrong
        minimum: other row weights are tried too.
    lost, worse : float
        Windows are lost if they miss more than the fraction `lost` of the data, and `worse` times
        more than one network did. (Somewhat worse is fine: they do not compromise the equation.)
    astray : float
        One network of a nonlinear problem with a larger residual than this may be in a minimum that
        is no solution: continuation in stiffness is tried.
    noise : float
        Observations that are missed by more than this fraction of the tolerance are noisy: the
        unknowns are found once more with equations that hold whatever the data say.
    trial_in_time, nodes_in_time : int
        The same for a window of a problem in time alone, and its maximum number of nodes: shorter
        windows of few nodes cost far less there than long ones of many.
    loosest_in_time : float
        The windows of such a problem aim at this tolerance if a looser one was asked for. They cost
        hardly more, and nodes that just do pass on less than the next window needs.
    attempts_in_time : int
        Number of times that such a window is made shorter whether or not that helps.
    retrial : int
        Growth on top of inherited nodes may be given up after this many new ones.
    repeats : int
        A march whose estimated error exceeds the tolerance is repeated this many times.
    closer, tightest : float
        It then aims at this fraction of what the estimate demands, but at no less than the second
        of what it aimed at before.
    unknown : float
        The tolerance over the error, where that is not known.
    least_share : float
        A window may add the share of the tolerance that its length has in the whole, but at least
        this one: lower values ask very short windows for more than they can pass on.
    inherits : bool
        Whether windows begin with the nodes of the window before.
    dropped : float
        Nodes are not passed on if together they lower the squared residual by less than this
        fraction. More leaves room for new nodes, and asks for them.
    renewed : float
        Inherited nodes and those added to them may be this many times the maximum number.
    patience : float
        Nodes are added to inherited ones if their residual is at most this many times the aim.
    gains : float
        Halving a window helps inherited nodes if the error falls by this factor.
    halvings : int
        Number of times it is tried in any case.
    fewer : float
        Inherited points are thinned by this factor from window to window.
    heir_longer, effort : float
        A window of inherited nodes is followed by one `heir_longer` times as long, less `effort`
        times the fraction of its nodes that were new.
    change : float
        Factor by which lengths are changed to find out whether longer windows are cheaper; powers
        of it once that is known.
    order : float
        The error of a window is assumed to fall with this power of its length.
    least_change, least_shorter, most_shorter : float
        Bounds of the factor on the length of the next window, and of the next attempt.
    points : PointPolicy
        When a window gets more points.
    """

    trial: int = 100
    trial_in_time: int = 30
    nodes_in_time: int = 100
    loosest_in_time: float = 1e-6
    attempts_in_time: int = 12
    retrial: int = 40
    candidates: int = 100
    stage: int = 100
    points_per_node: int = 4
    alone: int = 4
    at_once: int = 10
    aim: float = 0.5
    window_aim: float = 0.4
    miss: float = 2.0
    worth: float = 2.0
    learnt: float = 0.03
    shortest: float = 1 / 1024
    shortest_in_time: float = 1e-12
    crumb: float = 0.25
    added: float = 0.1
    full: float = 0.7
    longer: float = 2.0
    more: int = 2
    bad_fit: float = 0.1
    lost: float = 0.5
    astray: float = 1e-3
    noise: float = 0.1
    worse: float = 3.0
    repeats: int = 2
    closer: float = 0.3
    tightest: float = 1e-3
    unknown: float = 0.03
    least_share: float = 1 / 64
    inherits: bool = True
    dropped: float = 1.0
    renewed: float = 1.5
    patience: float = 300.0
    gains: float = 3.0
    halvings: int = 3
    fewer: float = 0.9
    heir_longer: float = 1.5
    effort: float = 1.5
    change: float = 1.25
    order: float = 6.0
    least_change: float = 0.7
    least_shorter: float = 0.7
    most_shorter: float = 0.125
    points: PointPolicy = field(default_factory=PointPolicy)

    @property
    def in_time(self) -> "MarchPolicy":
        """The parameters for windows of a problem in time alone."""
        return replace(self, trial=self.trial_in_time, stage=self.trial_in_time)

    def out_of_reach(self, most: int, least: int = 0) -> OutOfReach:
        """Whether the residuals so far, extrapolated at their latest rate, miss the tolerance.

        Always False with fewer than `least` nodes, and once there are `most`.
        """

        def out_of_reach(residuals: Floats, tolerance: float, inherited: int) -> bool:
            count = len(residuals)
            new = count - inherited
            if new < (self.retrial if inherited else max(self.trial, least)) or count >= most:
                return False
            # Nodes that were added together have one residual: the rate is that between blocks.
            half = inherited + new // 2
            ends = np.flatnonzero(np.diff(residuals)) + 1
            earlier = ends[(ends <= half) & (ends >= inherited)]
            since = int(earlier[-1]) if len(earlier) else max(inherited, int(ends[:1].sum()))
            fall = np.log(residuals[since - 1] / residuals[-1]) / (count - since) if since else 0.0
            extrapolated = np.log(residuals[-1]) - fall * (most - count)
            return bool(extrapolated > np.log(self.miss * tolerance))

        return out_of_reach


@dataclass(frozen=True)
class Window:
    """The task for one window."""

    low: float
    high: float
    before: Network | None
    tolerance: float
    activations: tuple[str, ...]
    give_up: bool  # once the tolerance is out of reach
    more: int = 1  # factor on the method's number of nodes
    inherits: bool = False  # the nodes of the window before come first
    kept: tuple[int, ...] | None = None  # which of them
    expected: int = 0  # nodes that it will take, if known
    points: int = 0  # of the equations, at least
    fields: Floats | None = None  # their sizes, if known
    within: bool = False  # a part of the whole
    guess: Network | None = None  # a longer window that came near: its nodes come first


Attempt = Callable[[Window], Piece]
