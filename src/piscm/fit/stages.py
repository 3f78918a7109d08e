"""One window in stages: activations are compared, then points are added as the network grows."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.row_scaling import row_scaling
from piscm.assemble.sampling import Density, Sampling, half_by
from piscm.assemble.sites import Points, Site, draw_points
from piscm.assemble.windows import steepness
from piscm.budget.budget import STOPS, finishing
from piscm.construct.construction import Construction
from piscm.construct.machine import Growth
from piscm.fit.one_network import OneNetwork, fit_network, fit_to_all
from piscm.fit.piece import SCALING_POINTS, Piece, Task, best_of
from piscm.fit.slabs import most_points
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.result.history import Report
from piscm.result.status import Status

Floats = NDArray[np.float64]
OutOfReach = Callable[[Floats, float], bool]
"""``out_of_reach(residuals, tolerance)`` says that growth will miss the tolerance."""


@dataclass(frozen=True)
class PointPolicy:
    """When a window gets more points, and where.

    Parameters
    ----------
    steep : float
        Points follow the steepness at the end of the previous window if its maximum is this many
        times its mean. Lower values crowd points in every window; higher ones miss fronts.
    between : int
        Number of validation points per fitted point. More cost evaluations and find more.
    parted : float
        Points are added if the residual at validation points exceeds the fitted one this many
        times.
    more : float
        Factor by which their number then grows.
    below_noise : float
        An equation residual this fraction of the data misfit is small enough.
    """

    steep: float = 4.0
    between: int = 2
    parted: float = 2.0
    more: float = 1.5
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
    policy : PointPolicy
    """

    methods: Sequence[Construction]
    sampling: Sampling
    stages: Sequence[int] = ()
    points_per_node: float = 0.0
    out_of_reach: OutOfReach | None = None
    policy: PointPolicy = field(default_factory=PointPolicy)


def fit_window(
    task: Task,
    low: float,
    high: float,
    before: Network | None,
    plan: Plan,
    rng: np.random.Generator,
    report: Report,
) -> Piece:
    """Grow a network on a window; tolerances are relative to the size of the solution sought.

    After each stage the residual is checked at validation points, and points are added, half of
    them where it is large: as many as the nodes require, and more if it exceeds the fitted one. If
    the run is stopped, the best piece so far is returned.
    """
    fit = _WindowFit(task, low, high, before, plan, rng)
    best: Piece | None = None
    try:
        for piece in _stages(fit, plan, report):
            best = piece if best is None else best_of([best, piece])
            if piece.status.stopped:
                return best.ended(piece.status)
        return piece
    except STOPS as stop:
        if best is None:
            raise
        return best.ended(Status.after(stop))


def _stages(fit: "_WindowFit", plan: Plan, report: Report) -> Iterator[Piece]:
    """The pieces of a window, one after another; the last is the result."""
    most, policy = plan.methods[0].max_nodes, plan.policy
    limits = [*(nodes for nodes in plan.stages if nodes < most), most]
    trials: list[tuple[Construction, Piece]] = []
    for method in plan.methods:
        alone = len(plan.methods) == 1
        piece = fit.grown(method, limits[0], None, report, plan.out_of_reach if alone else None)
        trials.append((method, piece))
        yield piece
    method, piece = min(trials, key=lambda trial: trial[1].error)
    for limit in limits[1:]:
        parted = piece.held_out > max(policy.parted * piece.fitted, method.tolerance)
        full = piece.status in (Status.NODE_LIMIT, Status.FINISHED)
        enough = piece.error <= max(method.tolerance, policy.below_noise * piece.misfit)
        if piece.status is Status.HOPELESS or enough or not (full or parted):
            break
        wanted = plan.points_per_node * limit
        if parted:
            wanted = max(wanted, policy.more * piece.assembly.points.rows[0])
        fit.add_points(piece, wanted)
        piece = fit.grown(method, limit, piece.fit.growth, report, plan.out_of_reach)
        yield piece
    yield fit.on_all_points(piece, method)


class _WindowFit:
    """What must hold in a window, at points that can be added to."""

    def __init__(
        self,
        task: Task,
        low: float,
        high: float,
        before: Network | None,
        plan: Plan,
        rng: np.random.Generator,
    ) -> None:
        self._task, self._low, self._high, self._policy = task, low, high, plan.policy
        self._most = most_points(plan.methods[0], len(task.problem.fields))
        self._part = task.whole
        if task.coordinate is not None:
            self._part = task.whole.window(task.coordinate, low, high, before)
        fitted_rng, pool_rng, self._node_rng, self._rng = rng.spawn(4)
        self._density = self._crowding(before, pool_rng)
        blocks, domain = self._part.blocks, self._part.problem.domain
        self._all = draw_points(domain, blocks, plan.sampling, fitted_rng, self._density)
        many = self._all.rows[0] > self._most
        points = self._all.first(self._most) if many else self._all
        self._kept = points.rows[0]  # out of all points of the equations
        self._many = many
        scaling = row_scaling(self._part.problem, blocks, points, task.start, pool_rng)
        self._scaling = scaling
        own = scaling if task.equal else None
        self._assembly = Assembly(self._part, points, task.weights, task.start, own)
        self._validation = self._fresh_points()

    def _crowding(self, before: Network | None, rng: np.random.Generator) -> Density | None:
        """The steepness at the end of the previous window, if it varies enough to be followed."""
        task = self._task
        if task.coordinate is None or before is None:
            return None
        density = steepness(task.problem, task.coordinate, before)
        draw = Sampling().unit_points(rng)
        look = density(self._part.problem.domain.sample_inside(SCALING_POINTS, draw))
        return density if look.max() > self._policy.steep * look.mean() else None

    def _fresh_points(self) -> Points:
        """Validation points, distinct from the fitted ones."""
        blocks, rows = self._part.blocks, self._assembly.points.rows
        faces = [n for n, block in zip(rows, blocks, strict=True) if block.kind == "conditions"]
        between = self._policy.between
        many = Sampling(between * max(rows), between * max(faces, default=1))
        return draw_points(self._part.problem.domain, blocks, many, self._rng, self._density)

    def grown(
        self,
        method: Construction,
        limit: int,
        before: Growth | None,
        report: Report,
        out_of_reach: OutOfReach | None,
    ) -> Piece:
        """Growth up to a number of nodes, refined, at the current points."""
        size = self._size(method)
        # Growth scales rows by the nodes of this window, which are larger the shorter the window
        # is.
        pairs = zip(self._part.blocks, self._scaling.sizes, strict=True)
        shorter = min(self._task.scaling.named(block) / size for block, size in pairs)
        tolerance = method.tolerance * size * min(1.0, shorter)
        method = replace(method, tolerance=tolerance, max_nodes=limit)

        def gives_up(residuals: Floats) -> bool:
            return out_of_reach is not None and out_of_reach(residuals, tolerance)

        fit = fit_network(self._assembly, method, self._node_rng, report, before, gives_up)
        return self._piece(fit, self._assembly, size)

    def _piece(self, fit: OneNetwork, assembly: Assembly, size: float) -> Piece:
        """A fitted network with its residuals, which are unknown if there is no time for them."""
        fitted = held_out = np.nan
        try:
            with finishing():
                fitted = self._norm(fit.network, assembly.points) / size
                held_out = self._norm(fit.network, self._validation) / size
        except STOPS as stop:
            fit = fit if fit.status.stopped else fit.ended(Status.after(stop))
        return Piece(self._low, self._high, self._assembly, fit, size, fitted, held_out)

    def _size(self, method: Construction) -> float:
        """The residual of the empty network, with zero fields or the user's start."""
        problem = self._part.problem
        nothing = Network(
            problem,
            self._task.start,
            method.activation,
            Nodes.none(problem.domain.dimension),
            np.zeros((0, len(problem.fields))),
            np.array(list(problem.unknowns.values())),
        )
        zero = replace(nothing, start=Start(problem))
        points = self._assembly.points
        # The start must not change the meaning of the tolerance, but zero fields may be singular,
        # or satisfy everything but the data.
        data = [b.data for b in self._part.blocks if b.observed and b.data is not None]
        sizes = [self._norm(zero, points), self._norm(nothing, points)]
        sizes += [float(np.sqrt(np.mean(values**2))) for values in data]
        return next((size for size in sizes if 0 < size < np.inf), 1.0)

    def _norm(self, network: Network, points: Points) -> float:
        """The residual at some points, in the units of the fields.

        Data may be noisy and are left out if there are conditions to be satisfied.
        """
        total = 0.0
        for block, legs in zip(self._part.blocks, points, strict=True):
            if block.observed and self._part.problem.conditions:
                continue
            weight = self._task.weights[block.kind] * block.weight
            square = float(np.mean(network.residual(block, legs) ** 2))
            total += weight * square / self._task.scaling.named(block) ** 2
        return float(np.sqrt(total))

    def add_points(self, piece: Piece, wanted: float) -> None:
        """Add points, half of them where the residual at validation points is large.

        `wanted` is the number of points of the equations, up to what growth can handle; those of
        the conditions grow in proportion.
        """
        points, fresh = self._assembly.points, self._validation
        share = max(0.0, min(wanted, self._most) / points.rows[0] - 1.0)
        squares: dict[int, Floats] = {}
        for block, number, legs, size in zip(
            self._part.blocks, fresh.of_block, fresh, self._scaling.sizes, strict=True
        ):
            residual = piece.network.residual(block, legs) / size
            squares[number] = squares.get(number, 0.0) + residual**2

        def more(number: int, site: Site) -> Site:
            other = fresh.sites[number]
            if other.rows <= site.rows:  # observations, single points
                return site
            chance = half_by(squares[number])
            count = min(int(np.ceil(share * site.rows)), len(chance))
            chosen = self._rng.choice(len(chance), count, replace=False, p=chance)
            return site.joined(other.some(chosen))

        self._assembly = self._assembly.at(points.changed(more))
        self._validation = self._fresh_points()

    def on_all_points(self, piece: Piece, method: Construction) -> Piece:
        """The piece corrected on all points, if growth used only some of them."""
        if not self._many or self._part.problem.observations:
            return piece
        pairs = zip(self._part.blocks, self._all.of_block, strict=True)
        inside = {number for block, number in pairs if block.kind == "equations"}
        added = self._assembly.points.sites

        def every(number: int, site: Site) -> Site:
            if number not in inside:
                return site
            return site.joined(added[number].some(slice(self._kept, None)))

        points = self._all.changed(every)
        everything = self._assembly.at(points)
        fit = fit_to_all(piece.fit, everything, method)
        return self._piece(fit, everything, piece.size)
