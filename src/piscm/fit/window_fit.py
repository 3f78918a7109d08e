"""What must hold in a window, at points that can be added to, and networks fitted there."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.assembly import Assembly
from piscm.assemble.ridges import Ridges
from piscm.assemble.row_scaling import row_scaling
from piscm.assemble.rows import rows_of
from piscm.assemble.sampling import Crowd, Density, Sampling, half_by
from piscm.assemble.sites import Points, Site, draw_points
from piscm.assemble.windows import steepness, with_end
from piscm.budget.budget import STOPS, finishing
from piscm.construct.construction import Construction
from piscm.construct.machine import Growth
from piscm.fit.one_network import OneNetwork, fit_network, fit_to_all, fit_weights
from piscm.fit.piece import SCALING_POINTS, Piece, Task
from piscm.fit.plan import OutOfReach, Plan
from piscm.fit.slabs import most_points
from piscm.network.activations import activation_named
from piscm.network.network import Network
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.result.history import Report
from piscm.result.status import Status

Floats = NDArray[np.float64]


class WindowFit:
    """What must hold in a window, at points that can be added to."""

    def __init__(
        self,
        task: Task,
        low: float,
        high: float,
        before: Network | None,
        plan: Plan,
        rng: np.random.Generator,
        near: Network | None = None,
        nodes: Nodes | None = None,
    ) -> None:
        self._inherited = 0  # number of nodes
        self._task, self._low, self._high, self._policy = task, low, high, plan.policy
        self._most = most_points(plan.methods[0], len(task.problem.fields))
        self._part = task.whole
        if task.coordinate is not None:
            self._part = task.whole.window(task.coordinate, low, high, before)
        fitted_rng, pool_rng, self._node_rng, self._rng = rng.spawn(4)
        self._density: Density | Crowd | None = None
        if nodes is None:
            self._density = self._crowding(before, pool_rng)
        else:
            self._crowd_along(nodes, plan.methods[0].activation)
        blocks, domain = self._part.blocks, self._part.problem.domain
        drawn = draw_points(domain, blocks, plan.sampling, fitted_rng, self._density)
        self._all = with_end(drawn, self._part, task.problem)
        many = self._all.rows[0] > self._most
        points = self._all.first(self._most) if many else self._all
        self._kept = points.rows[0]  # out of all points of the equations
        self._many = many
        scaling = row_scaling(
            self._part.problem, blocks, points, task.start, pool_rng, near, plan.fields
        )
        self._least_share, self._relative = plan.least_share, plan.fields is not None
        self._scaling = scaling
        own = scaling if task.equal else None
        self._assembly = Assembly(self._part, points, task.weights, task.start, own)
        self._validation = self._fresh_points()
        self._looked: tuple[Network, Points, list[Floats]] | None = None

    def _crowd_along(self, nodes: Nodes, activation: str) -> None:
        """From now on, half of the points follow these nodes, if they have a place."""
        if activation_named(activation).localized:
            self._density = Ridges(nodes, self._part.problem.domain)

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
        inside, outside = max(rows), max(faces, default=1)
        between = self._policy.between
        many = Sampling(int(np.ceil(between * inside)), int(np.ceil(between * outside)))
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
        size, asked = self._size(method), method.tolerance
        inherited = self._inherited
        # What is given up, goes on growing or was met by nodes beside inherited ones needs no more.
        unrefined = [Status.HOPELESS]
        unrefined += [Status.CONVERGED] * (inherited > 0)
        unrefined += [Status.NODE_LIMIT, Status.FINISHED] * (limit < method.max_nodes)
        method = replace(self._own(method, size), max_nodes=limit)

        def gives_up(residuals: Floats) -> bool:
            return out_of_reach is not None and out_of_reach(residuals, method.tolerance, inherited)

        def relative(nodes: int, residual: float) -> None:
            report(nodes, residual * asked / method.tolerance if asked else residual)

        fit = fit_network(
            self._assembly,
            method,
            self._node_rng,
            relative,
            before,
            gives_up,
            unrefined,
        )
        return self._piece(fit, size)

    def refitted(self, method: Construction, nodes: Nodes, guess: Network) -> Piece:
        """Given nodes with new weights, beginning at the state of another network."""
        size = self._size(method)
        self._inherited = len(nodes)
        own = self._own(method, size)
        fit = fit_weights(self._assembly, nodes, guess, own)
        return self._piece(fit, size)

    def _own(self, method: Construction, size: float) -> Construction:
        """A method with the tolerance of growth here.

        Growth scales rows by the nodes of this window, which are larger the shorter the window is.
        """
        pairs = zip(self._whole_sizes, self._scaling.sizes, strict=True)
        shorter = size * min(whole / own for whole, own in pairs)
        unit = 1.0 if self._relative else size
        tolerance = method.tolerance * min(unit, max(shorter, self._least_share * unit))
        return replace(method, tolerance=tolerance)

    def _piece(self, fit: OneNetwork, size: float, everything: Points | None = None) -> Piece:
        """A fitted network with its residuals, which are unknown if there is no time for them."""
        fit = replace(fit, inherited=self._inherited)
        blocks = self._part.blocks
        fitted = held_out = np.nan
        try:
            with finishing():
                if everything is not None:
                    rows = rows_of(fit.network, blocks, everything)
                else:
                    refined = fit.refined
                    rows = [refined.system.unweighted(refined.state, block) for block in blocks]
                fitted = self._error(rows, size)
                held_out = self._error(self._between(fit.network), size)
        except STOPS as stop:
            fit = fit if fit.status.stopped else fit.ended(Status.after(stop))
        return Piece(self._low, self._high, self._assembly, fit, size, fitted, held_out)

    def _between(self, network: Network) -> list[Floats]:
        """The rows at validation points, which are asked for again when points are added."""
        looked = self._looked
        if looked is None or looked[0] is not network or looked[1] is not self._validation:
            rows = rows_of(network, self._part.blocks, self._validation)
            self._looked = looked = (network, self._validation, rows)
        return looked[2]

    def _error(self, rows: Sequence[Floats], size: float) -> float:
        """The residual of all blocks relative to the solution sought.

        Rows are scaled by a typical node of the whole domain: a window may add the share of the
        tolerance that its length has in the whole. In a very short window it may be more, as if it
        were longer; rows are then scaled by its own nodes.
        """
        unit = 1.0 if self._relative else size
        squares = self._squares(rows)
        whole = _norm(squares, self._whole_sizes) / size
        if not whole > 0 or self._least_share == 0:
            return whole
        own = _norm(squares, self._scaling.sizes) / unit
        return min(whole, own / self._least_share)

    @property
    def _whole_sizes(self) -> tuple[float, ...]:
        """The row sizes for a typical node of the whole domain."""
        return tuple(self._task.scaling.named(block) for block in self._part.blocks)

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
        points, scale = self._assembly.points, self._whole_sizes
        # The start must not change the meaning of the tolerance, but zero fields may be singular,
        # or satisfy everything but the data.
        data = [b.data for b in self._part.blocks if b.observed and b.data is not None]
        blocks = self._part.blocks
        empty = [rows_of(network, blocks, points) for network in (zero, nothing)]
        sizes = [_norm(self._squares(rows), scale) for rows in empty]
        sizes += [float(np.sqrt(np.mean(values**2))) for values in data]
        return next((size for size in sizes if 0 < size < np.inf), 1.0)

    def _squares(self, rows: Sequence[Floats]) -> list[float]:
        """The weighted mean square of the rows of every block.

        Data may be noisy and are left out if there are conditions to be satisfied.
        """
        left_out = bool(self._part.problem.conditions)
        return [
            0.0
            if block.observed and left_out
            else self._task.weights[block.kind] * block.weight * float(np.mean(own**2))
            for block, own in zip(self._part.blocks, rows, strict=True)
        ]

    def add_points(self, piece: Piece, wanted: float) -> None:
        """Add points, half of them where the residual at validation points is large.

        `wanted` is the number of points of the equations, up to what growth can handle; those of
        the conditions grow in proportion.
        """
        points, fresh = self._assembly.points, self._validation
        share = max(0.0, min(wanted, self._most) / points.rows[0] - 1.0)
        squares: dict[int, Floats] = {}
        rows = self._between(piece.network)
        for number, own, size in zip(fresh.of_block, rows, self._scaling.sizes, strict=True):
            squares[number] = squares.get(number, 0.0) + (own / size) ** 2

        def more(number: int, site: Site) -> Site:
            other = fresh.sites[number]
            if other.rows <= site.rows:  # observations, single points
                return site
            chance = half_by(squares[number])
            count = min(int(np.ceil(share * site.rows)), len(chance))
            chosen = self._rng.choice(len(chance), count, replace=False, p=chance)
            return site.joined(other.some(chosen))

        self._assembly = self._assembly.at(points.changed(more))
        self._crowd_along(piece.network.nodes, piece.network.activation)
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
        return self._piece(fit, piece.size, points)


def _norm(squares: Sequence[float], sizes: Sequence[float]) -> float:
    """The residual in the units of the fields, from the mean squares of all blocks."""
    return float(np.sqrt(sum(own / size**2 for own, size in zip(squares, sizes, strict=True))))
