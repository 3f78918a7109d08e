r"""Blocks, points and nodes become numbers: the residual vector and the design matrix.

The rows are :math:`\tilde e = (\sqrt{\omega/N}\, R(x_i))` over all blocks, the linear blocks
first: their part of a node's column (`piscm.chain_rule`) is computed once and never again; of the
others, the part that comes from jets with fixed partials. Arrays are node-major, so a node is added
by writing one row, and the transpose is the column-major matrix that LAPACK wants.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.blocks import Block, Compiled, feature_of
from piscm.chain_rule import Evaluated, add_columns
from piscm.network.activations import Activation
from piscm.network.nodes import Nodes
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.start import Start
from piscm.state import Change, Leg, Linearization, NodeRows, Placed, State

Floats = NDArray[np.float64]

# So many numbers fit into the cache of a core, several times over.
_CACHED = 16_384


class System:
    """All blocks at their points, ready to be evaluated and linearized.

    Parameters
    ----------
    problem : Problem
    blocks : sequence of Block
    points : for each block its arrays of points, as `piscm.sampling.block_points` gives them
    weights : mapping of a kind of block to its weight (the paper's omega)
    activation : Activation
    start : Start
        The fields before the first node.
    emphasis : mapping of the index of a block to a factor on the weight of each of its rows
    """

    def __init__(
        self,
        problem: Problem,
        blocks: Sequence[Block],
        points: Sequence[tuple[Floats, ...]],
        weights: Mapping[str, float],
        activation: Activation,
        start: Start,
        emphasis: Mapping[int, Floats] | None = None,
    ) -> None:
        self.problem = problem
        self.activation = activation
        self.fields = len(problem.fields)
        self.guesses = np.array(list(problem.unknowns.values()))
        self._start = start
        self.points, columns = _stack(points)
        self.placed = self._place(blocks, points, columns, weights, emphasis or {})
        linear = [placed for placed in self.placed if placed.block.compiled.linear]
        self._linear = linear
        self._nonlinear = self.placed[len(linear) :]
        self.linear_rows = linear[-1].rows.stop if linear else 0
        self.rows = self.placed[-1].rows.stop
        self._nonlinear_legs = [leg for placed in self._nonlinear for leg in placed.legs]
        self._wanted = {f for placed in self.placed for leg in placed.legs for f in leg.features}
        self._single_points = self.points.astype(np.float32)
        self._linear_partials = [self._partials_at_start(placed) for placed in linear]
        self._fixed_partials = [self._partials_at_start(placed) for placed in self._nonlinear]
        self._linear_unknowns = np.zeros((len(self.guesses), self.linear_rows))
        for placed, (_, by_unknowns) in zip(linear, self._linear_partials, strict=True):
            self._linear_unknowns[:, placed.rows] = by_unknowns

    def _place(
        self,
        blocks: Sequence[Block],
        points: Sequence[tuple[Floats, ...]],
        columns: Mapping[int, slice],
        weights: Mapping[str, float],
        emphasis: Mapping[int, Floats],
    ) -> list[Placed]:
        counts = divisors(blocks, points)
        order = sorted(range(len(blocks)), key=lambda i: not blocks[i].compiled.linear)
        placed: list[Placed] = []
        first = 0
        for i in order:
            block, last = blocks[i], first + len(points[i][0])
            legs = tuple(
                self._leg(block.compiled, sign, columns[id(array)])
                for sign, array in zip(block.signs, points[i], strict=True)
            )
            weight = weights[block.kind] * block.weight / counts[block.kind]
            scale = np.sqrt(weight * emphasis.get(i, np.ones(1)))
            placed.append(Placed(block, legs, slice(first, last), scale))
            first = last
        return placed

    def _leg(self, compiled: Compiled, sign: float, columns: slice) -> Leg:
        coordinates = self.problem.domain.coordinates
        each = [feature_of(jet, self.problem.fields, coordinates) for jet in compiled.jets]
        distinct = tuple(dict.fromkeys(each))
        return Leg(
            sign,
            columns,
            distinct,
            tuple(jet.field for jet in compiled.jets),
            tuple(distinct.index(feature) for feature in each),
        )

    # --- states -----------------------------------------------------------------------------

    def start(self) -> State:
        """The state without nodes; its residual and partials must be finite."""
        return self._at_start

    @cached_property
    def _at_start(self) -> State:
        jets = tuple(
            self._start.jets(placed.block.compiled, self.points[leg.columns])
            for placed in self._nonlinear
            for leg in placed.legs
        )
        residual = np.zeros(self.rows)
        for placed in self._linear:
            block = placed.block
            at_start = tuple(
                self._start.jets(block.compiled, self.points[leg.columns]) for leg in placed.legs
            )
            residual[placed.rows] = self._block_residual(placed, at_start, self.guesses)
        state = State(np.zeros((0, self.fields)), self.guesses, jets, residual)
        still = Change(
            np.zeros((1, self.linear_rows)),
            tuple(np.zeros((1, *part.shape)) for part in jets),
            np.zeros((1, len(self.guesses))),
        )
        state = State(state.weights, state.unknowns, jets, self.residuals(state, still)[0])
        self._check_finite(state)
        return state

    def state_with(self, rows: NodeRows, weights: Floats, unknowns: Floats) -> State:
        """The state of nodes with given weights, and of given unknowns."""
        start = self.start()
        change = self.together(rows, slice(0, len(weights)), weights, unknowns - start.unknowns)
        jets = tuple(old + new[0] for old, new in zip(start.jets, change.jets, strict=True))
        return State(weights, unknowns, jets, self.residuals(start, change)[0])

    def troubled_points(self, state: State, count: int, rng: np.random.Generator) -> Floats:
        """Points of the equations, half of them drawn in proportion to the squared residual."""
        placed = [item for item in self.placed if item.block.kind == "equations"]
        points = self.points[placed[0].legs[0].columns]
        squares = np.add.reduce([state.residual[item.rows] ** 2 for item in placed])
        total = float(squares.sum())
        even = np.full(len(points), 1.0 / len(points))
        share = even if not 0.0 < total < np.inf else 0.5 * even + 0.5 * squares / total
        return np.asarray(points[rng.choice(len(points), count, p=share)])

    def unweighted(self, state: State, block: Block) -> Floats:
        """The residual of one block, in its own units."""
        placed = next(item for item in self.placed if item.block is block)
        return np.asarray(state.residual[placed.rows] / placed.scale)

    def _check_finite(self, state: State) -> None:
        linearization = self.linearize(state)
        bad_rows = ~np.isfinite(state.residual)
        bad_rows |= ~np.isfinite(linearization.unknowns).all(axis=0)
        position = 0
        for placed in self.placed:
            bad = bad_rows[placed.rows].copy()
            if not placed.block.compiled.linear:
                for _ in placed.legs:
                    bad |= ~np.isfinite(linearization.partials[position]).all(axis=0)
                    position += 1
            if bad.any():
                raise ProblemError(self._not_finite(placed, int(np.flatnonzero(bad)[0])))

    def _not_finite(self, placed: Placed, row: int) -> str:
        point = self.points[placed.legs[0].columns][row]
        names = (symbol.name for symbol in self.problem.domain.coordinates)
        where = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, point, strict=True))
        return (
            f"{placed.block.compiled.where}, or a derivative of it by a field or an unknown, is "
            f"not finite at {where} when every field has its starting value. Start elsewhere with "
            "solve(..., initial={u: 1.0}), or keep the domain away from the singularity."
        )

    def residuals(self, state: State, change: Change) -> Floats:
        """The true residual after each change, shape (trials, rows)."""
        trials = len(change.linear)
        result = np.empty((trials, self.rows))
        result[:, : self.linear_rows] = state.residual[: self.linear_rows] + change.linear
        if len(self.guesses):
            result[:, : self.linear_rows] += change.unknowns @ self._linear_unknowns
        unknowns = (state.unknowns + change.unknowns).T[:, :, None]
        position = 0
        for placed in self._nonlinear:
            jets = []
            for _ in placed.legs:
                jets.append(np.moveaxis(state.jets[position] + change.jets[position], 1, 0))
                position += 1
            result[:, placed.rows] = self._block_residual(placed, jets, unknowns)
        return result

    def _block_residual(self, placed: Placed, jets: Sequence[Floats], unknowns: Floats) -> Floats:
        total: Floats = np.zeros(())
        for leg, leg_jets in zip(placed.legs, jets, strict=True):
            value = placed.block.compiled.value(self.points[leg.columns], leg_jets, unknowns)
            total = total + leg.sign * value
        if placed.block.data is not None:
            total = total - placed.block.data
        return np.asarray(placed.scale * total)

    # --- linearization ----------------------------------------------------------------------

    def _partials_at_start(self, placed: Placed) -> tuple[list[Floats], Floats]:
        jets = [
            self._start.jets(placed.block.compiled, self.points[leg.columns]) for leg in placed.legs
        ]
        return self._partials(placed, jets, self.guesses)

    def _partials(
        self, placed: Placed, jets: Sequence[Floats], unknowns: Floats
    ) -> tuple[list[Floats], Floats]:
        """Weighted partials by jets, for each leg, and by unknowns, shape (unknowns, points)."""
        by_jets = []
        by_unknowns = np.zeros((len(unknowns), placed.rows.stop - placed.rows.start))
        for leg, leg_jets in zip(placed.legs, jets, strict=True):
            points = self.points[leg.columns]
            _, for_jets, for_unknowns = placed.block.compiled.linearize(points, leg_jets, unknowns)
            by_jets.append(leg.sign * placed.scale * for_jets)
            by_unknowns += leg.sign * placed.scale * for_unknowns
        return by_jets, by_unknowns

    def linearize(self, state: State) -> Linearization:
        """Exact partials at a state."""
        unknowns = np.empty((len(self.guesses), self.rows))
        unknowns[:, : self.linear_rows] = self._linear_unknowns
        partials: list[Floats] = []
        for placed in self._nonlinear:
            jets = state.jets[len(partials) : len(partials) + len(placed.legs)]
            by_jets, by_unknowns = self._partials(placed, jets, state.unknowns)
            partials.extend(by_jets)
            unknowns[:, placed.rows] = by_unknowns
        return Linearization(tuple(partials), unknowns)

    # --- nodes ------------------------------------------------------------------------------

    def allocate(self, capacity: int) -> NodeRows:
        """Room for nodes to come."""
        return NodeRows(
            np.zeros((capacity, self.fields, self.rows)),
            tuple(
                np.empty((len(leg.features), capacity, leg.columns.stop - leg.columns.start))
                for leg in self._nonlinear_legs
            ),
            tuple(
                np.empty((capacity, self.fields, placed.rows.stop - placed.rows.start))
                for placed in self._nonlinear
            ),
        )

    def evaluate(self, nodes: Nodes) -> NodeRows:
        """Everything about a batch of nodes that does not depend on the state."""
        made = Evaluated(nodes, self.points, self._wanted, self.activation)
        design = np.empty((len(nodes), self.fields, self.rows))
        for placed, (partials, _) in zip(self._linear, self._linear_partials, strict=True):
            target, empty = design[:, :, placed.rows], set(range(self.fields))
            for leg, own in zip(placed.legs, partials, strict=True):
                add_columns(target, made, leg, own, range(len(own)), empty)
            target[:, list(empty)] = 0.0
        fixed = []
        for placed, (partials, _) in zip(self._nonlinear, self._fixed_partials, strict=True):
            target = np.empty((len(nodes), self.fields, placed.rows.stop - placed.rows.start))
            empty = set(range(self.fields))
            for leg, own in zip(placed.legs, partials, strict=True):
                add_columns(target, made, leg, own, placed.block.compiled.fixed, empty)
            target[:, list(empty)] = 0.0
            fixed.append(target)
        features = tuple(made.features(leg) for leg in self._nonlinear_legs)
        return NodeRows(design, features, tuple(fixed))

    def screen(self, nodes: Nodes, linearization: Linearization) -> NDArray[np.float32]:
        """Columns of a batch of nodes in single precision, to rank them by: many times cheaper."""
        single = np.float32
        rough = Nodes(nodes.weights.astype(single), nodes.biases.astype(single))
        made = Evaluated(rough, self._single_points, self._wanted, self.activation)
        design = np.empty((len(nodes), self.fields, self.rows), dtype=single)
        nonlinear = iter(linearization.partials)
        linear = (own for partials, _ in self._linear_partials for own in partials)
        for placed in self.placed:
            source = linear if placed.block.compiled.linear else nonlinear
            target, empty = design[:, :, placed.rows], set(range(self.fields))
            for leg in placed.legs:
                own = next(source)
                add_columns(target, made, leg, own, range(len(own)), empty)
            target[:, list(empty)] = 0.0
        return design

    def write_nonlinear(self, rows: NodeRows, nodes: slice, linearization: Linearization) -> None:
        """Bring the nonlinear rows of some nodes' columns up to date."""
        first, last, _ = nodes.indices(len(rows.design))
        position = 0
        for placed, fixed in zip(self._nonlinear, rows.fixed, strict=True):
            # A few nodes at a time, so that what is added up stays in the cache.
            some = max(1, _CACHED // (placed.rows.stop - placed.rows.start))
            moving = placed.block.compiled.moving
            buffer = np.empty((min(some, last - first), placed.rows.stop - placed.rows.start))
            for begin in range(first, last, some):
                chunk = slice(begin, min(begin + some, last))
                target = rows.design[chunk, :, placed.rows]
                target[:] = fixed[chunk]
                room = buffer[: chunk.stop - chunk.start]
                for number, leg in enumerate(placed.legs):
                    features = rows.features[position + number]
                    partials = linearization.partials[position + number]
                    for jet in moving:
                        field, feature = leg.jet_field[jet], leg.jet_feature[jet]
                        np.multiply(partials[jet], features[feature, chunk], out=room)
                        target[:, field] += room
            position += len(placed.legs)

    def each_alone(self, rows: NodeRows, weights: Floats, unknowns: Floats) -> Change:
        """The change that each node of a batch makes alone; weights of shape (nodes, fields)."""
        linear = np.einsum("kf,kfn->kn", weights, rows.design[:, :, : self.linear_rows])
        jets = tuple(
            np.stack(
                [
                    weights[:, field, None] * features[feature]
                    for field, feature in zip(leg.jet_field, leg.jet_feature, strict=True)
                ],
                axis=1,
            )
            for leg, features in zip(self._nonlinear_legs, rows.features, strict=True)
        )
        return Change(linear, jets, unknowns)

    def together(self, rows: NodeRows, nodes: slice, weights: Floats, unknowns: Floats) -> Change:
        """The change, as one trial, that new weights of some nodes make together."""
        flat = rows.design[nodes].reshape(-1, self.rows)[:, : self.linear_rows]
        jets = tuple(
            np.stack(
                [
                    weights[:, field] @ features[feature, nodes]
                    for field, feature in zip(leg.jet_field, leg.jet_feature, strict=True)
                ]
            )[None]
            for leg, features in zip(self._nonlinear_legs, rows.features, strict=True)
        )
        return Change((weights.ravel() @ flat)[None], jets, unknowns[None])


def _stack(points: Sequence[tuple[Floats, ...]]) -> tuple[Floats, dict[int, slice]]:
    """All distinct arrays of points as one, and where each of them stands (by its id)."""
    arrays = {id(array): array for group in points for array in group}
    columns, first = {}, 0
    for key, array in arrays.items():
        columns[key] = slice(first, first + len(array))
        first += len(array)
    return np.concatenate(list(arrays.values())), columns


def divisors(blocks: Sequence[Block], points: Sequence[tuple[Floats, ...]]) -> dict[str, int]:
    """What the weight of a kind is divided by.

    The paper's N_p is the number of collocation points, whatever the number of equations; N_b and
    N_d are the numbers of all rows of their kind, so that all conditions share one weight.
    """
    counts = {"equations": 1, "conditions": 0, "observations": 0}
    for block, group in zip(blocks, points, strict=True):
        if block.kind == "equations":
            counts["equations"] = len(group[0])
        else:
            counts[block.kind] += len(group[0])
    return counts
