"""The parameters of the portfolio of one-shot networks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PortfolioPolicy:
    """The parameters of the portfolio.

    Parameters
    ----------
    trial : int
        Number of nodes of the first trials, for one field.
    rounds : int
        The ladders are tried again with twice the nodes, up to this many times in all, while
        nothing was learnt.
    waves, steps : tuple of float
        The ladders of scales: radians of a wave over half a box; widths of a step or a bump.
    layers : tuple of float
        The ladder of distances from the faces, in widths, at which layers are looked for.
    better : float
        Another scale must bring the residual below this fraction.
    learnt : float
        A trial with a larger residual has found nothing yet: more nodes are tried, and layers.
    fast : float
        More nodes are added as long as twice as many bring the residual below this fraction.
    slack, sure_slack, layer_slack : float
        The residual may miss the tolerance by this factor where the estimated error meets it: an
        error of high frequency has a large residual, the larger the more nodes there are. By the
        second one where the estimate of the trial before proved right as well: with 3,400 nodes
        the residual of a bump is 800 times its error, and seven minutes of more trials in search
        of a smaller one had not ended when they were stopped. Where there are
        layers, rows are divided by what steep nodes do to them: the residual is about the error.
    columns : int
        The largest number of weights.
    iterations : int
        Gauss–Newton steps of a trial.
    pauses : bool
        Whether the run pauses where the first scan learns nothing, for others to try.
    """

    trial: int = 150
    rounds: int = 3
    waves: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    steps: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    layers: tuple[float, ...] = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
    better: float = 0.8
    learnt: float = 0.1
    fast: float = 0.25
    slack: float = 30.0
    sure_slack: float = 1000.0
    layer_slack: float = 5.0
    columns: int = 4000
    iterations: int = 12
    pauses: bool = False

    @classmethod
    def beside_windows(cls, linear: bool, flat: bool) -> "PortfolioPolicy":
        """A quick look, where windows can take over; nonlinear problems rarely gain by one shot.

        Flat is time and one more coordinate: there windows of few nodes do what many would. A pulse
        took half a second in windows, and 4 to 20 with up to 2,400 nodes at once.
        """
        if linear:
            return cls(rounds=1, layers=(), columns=900 if flat else cls.columns)
        return cls(
            rounds=1, waves=cls.waves[1:], steps=(), layers=(), fast=0.1, learnt=0.05, iterations=4
        )
