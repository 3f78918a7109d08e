r"""Blocks, points and nodes become numbers: the residual vector and the design matrix.

The rows are :math:`\tilde e = (\sqrt{\omega/N}\, R(x_i))` over all blocks, the linear blocks
first: their part of a node's column (`piscm.assemble.chain_rule`) is computed once and never again; of the
others, the strands (`piscm.compile.blocks.Strand`) that it is a combination of. Arrays are node-major, so a
node is added by writing one row, and the transpose is the column-major matrix that LAPACK wants.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.chain_rule import Evaluated
from piscm.assemble.placement import Placed, Points, place
from piscm.assemble.state import Change, Linearization, NodeRows, State
from piscm.compile.blocks import Block, Compiled, Strand
from piscm.compile.differentiable import Differentiable
from piscm.network.activations import Activation
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]


class System:
    """All blocks at their points, ready to be evaluated and linearized.

    Parameters
    ----------
    problem : Problem
    blocks : sequence of Block
    points : Points
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
        points: Points,
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
        self.points, self.placed = place(problem, blocks, points, weights, emphasis or {})
        linear = [placed for placed in self.placed if placed.block.compiled.linear]
        self._linear = linear
        self._nonlinear = self.placed[len(linear) :]
        self.linear_rows = linear[-1].rows.stop if linear else 0
        self.rows = self.placed[-1].rows.stop
        self._stranded = [
            (leg, placed.block.compiled.strands)
            for placed in self._nonlinear
            for leg in placed.legs
        ]
        self._wanted = {
            feature for placed in self.placed for leg in placed.legs for feature in leg.jet_features
        }
        self._single_points = self.points.astype(np.float32)
        self._linear_partials = [
            self._partials(placed, placed.block.compiled, self._jets_at_start(placed), self.guesses)
            for placed in linear
        ]
        self._coefficients = [self._coefficients_of(placed) for placed in self._nonlinear]
        self._linear_unknowns = np.zeros((len(self.guesses), self.linear_rows))
        for placed, (_, by_unknowns) in zip(linear, self._linear_partials, strict=True):
            self._linear_unknowns[:, placed.rows] = by_unknowns

    # --- states -----------------------------------------------------------------------------

    def start(self) -> State:
        """The state without nodes; its residual and partials must be finite."""
        return self._at_start

    @cached_property
    def _at_start(self) -> State:
        residual = np.zeros(self.rows)
        for placed in self._linear:
            function, jets = placed.block.compiled, self._jets_at_start(placed)
            residual[placed.rows] = self._block_residual(placed, function, jets, self.guesses)
        strands = tuple(
            _strands_of(placed.block.compiled, own, jets)
            for placed, coefficients in zip(self._nonlinear, self._coefficients, strict=True)
            for own, jets in zip(coefficients, self._jets_at_start(placed), strict=True)
        )
        state = State(np.zeros((0, self.fields)), self.guesses, strands, residual)
        still = Change(
            np.zeros((1, self.linear_rows)),
            tuple(np.zeros((len(part), 1, part.shape[1])) for part in strands),
            np.zeros((1, len(self.guesses))),
        )
        state = replace(state, residual=self.residuals(state, still)[0])
        self._check_finite(state)
        return state

    def state_with(self, rows: NodeRows, weights: Floats, unknowns: Floats) -> State:
        """The state of nodes with given weights, and of given unknowns."""
        start = self.start()
        change = self.together(rows, slice(0, len(weights)), weights, unknowns - start.unknowns)
        residual = self.residuals(start, change)[0]
        return State(weights, unknowns, change.added(start, 0), residual)

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
        for placed in self.placed:
            bad = bad_rows[placed.rows].copy()
            for partials in linearization.partials[placed.nonlinear_legs]:
                bad |= ~np.isfinite(partials).all(axis=0)
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
        for placed in self._nonlinear:
            own = placed.nonlinear_legs
            pairs = zip(state.strands[own], change.strands[own], strict=True)
            strands = [old[:, None] + new for old, new in pairs]
            function = placed.block.compiled.of_strands
            result[:, placed.rows] = self._block_residual(placed, function, strands, unknowns)
        return result

    def _block_residual(
        self,
        placed: Placed,
        function: Differentiable,
        arguments: Sequence[Floats],
        unknowns: Floats,
    ) -> Floats:
        """The weighted residual of a block, as a function of the jets or strands of its legs."""
        total: Floats = np.zeros(())
        for leg, own in zip(placed.legs, arguments, strict=True):
            total = total + leg.sign * function.value(self.points[leg.columns], own, unknowns)
        if placed.block.data is not None:
            total = total - placed.block.data
        return np.asarray(placed.scale * total)

    # --- linearization ----------------------------------------------------------------------

    def _jets_at_start(self, placed: Placed) -> list[Floats]:
        compiled = placed.block.compiled
        return [self._start.jets(compiled, self.points[leg.columns]) for leg in placed.legs]

    def _coefficients_of(self, placed: Placed) -> list[Floats]:
        """For each leg the partials by its jets at the start; those of fixed strands stay so."""
        compiled = placed.block.compiled
        return [
            compiled.linearize(self.points[leg.columns], jets, self.guesses)[0]
            for leg, jets in zip(placed.legs, self._jets_at_start(placed), strict=True)
        ]

    def _partials(
        self,
        placed: Placed,
        function: Differentiable,
        arguments: Sequence[Floats],
        unknowns: Floats,
    ) -> tuple[list[Floats], Floats]:
        """Weighted partials by the jets or strands of each leg, and by unknowns, (..., points)."""
        each = []
        by_unknowns = np.zeros((len(unknowns), placed.rows.stop - placed.rows.start))
        for leg, own in zip(placed.legs, arguments, strict=True):
            by_own, for_unknowns = function.linearize(self.points[leg.columns], own, unknowns)
            each.append(leg.sign * placed.scale * by_own)
            by_unknowns += leg.sign * placed.scale * for_unknowns
        return each, by_unknowns

    def linearize(self, state: State) -> Linearization:
        """Exact partials at a state."""
        unknowns = np.empty((len(self.guesses), self.rows))
        unknowns[:, : self.linear_rows] = self._linear_unknowns
        partials: list[Floats] = []
        for placed in self._nonlinear:
            strands = state.strands[placed.nonlinear_legs]
            function = placed.block.compiled.of_strands
            by_strands, by_unknowns = self._partials(placed, function, strands, state.unknowns)
            partials.extend(by_strands)
            unknowns[:, placed.rows] = by_unknowns
        return Linearization(tuple(partials), unknowns)

    # --- nodes ------------------------------------------------------------------------------

    def allocate(self, capacity: int) -> NodeRows:
        """Room for nodes to come."""
        return NodeRows(
            np.zeros((capacity, self.fields, self.rows)),
            tuple(np.empty((len(strands), capacity, leg.size)) for leg, strands in self._stranded),
        )

    def evaluate(self, nodes: Nodes) -> NodeRows:
        """Everything about a batch of nodes that does not depend on the state."""
        made = Evaluated(nodes, self.points, self._wanted, self.activation)
        rows = self.allocate(len(nodes))
        for placed, (partials, _) in zip(self._linear, self._linear_partials, strict=True):
            jets = range(len(placed.block.compiled.jets))
            for field in range(self.fields):
                room = rows.design[:, field, placed.rows]
                made.columns(field, placed.legs, partials, jets, room)
        coefficients = (own for each in self._coefficients for own in each)
        for (leg, strands), own, part in zip(
            self._stranded, coefficients, rows.strands, strict=True
        ):
            for strand, room in zip(strands, part, strict=True):
                if strand.fixed:
                    made.columns(strand.field, [leg], [own], strand.jets, room)
                else:
                    made.feature(leg, strand.jets[0], room)
        return rows

    def screen(self, nodes: Nodes, linearization: Linearization) -> NDArray[np.float32]:
        """Columns of a batch of nodes in single precision, to rank them by: many times cheaper."""
        single = np.float32
        rough = Nodes(nodes.weights.astype(single), nodes.biases.astype(single))
        made = Evaluated(rough, self._single_points, self._wanted, self.activation)
        design = np.empty((len(nodes), self.fields, self.rows), dtype=single)
        for placed, at_start in zip(self.placed, self._single_partials, strict=True):
            compiled, partials = placed.block.compiled, at_start
            if not compiled.linear:
                partials = [own.copy() for own in at_start]
                now = linearization.partials[placed.nonlinear_legs]
                for own, by_strands in zip(partials, now, strict=True):
                    for strand, row in zip(compiled.strands, by_strands, strict=True):
                        if not strand.fixed:
                            own[strand.jets[0]] = row
            for field in range(self.fields):
                room = design[:, field, placed.rows]
                made.columns(field, placed.legs, partials, range(len(compiled.jets)), room)
        return design

    @cached_property
    def _single_partials(self) -> list[list[NDArray[np.float32]]]:
        """For every block and leg the weighted partials by its jets, at the start."""
        weighted = [
            [leg.sign * placed.scale * own for leg, own in zip(placed.legs, each, strict=True)]
            for placed, each in zip(self._nonlinear, self._coefficients, strict=True)
        ]
        every = [*(partials for partials, _ in self._linear_partials), *weighted]
        return [[own.astype(np.float32) for own in partials] for partials in every]

    def write_nonlinear(self, rows: NodeRows, nodes: slice, linearization: Linearization) -> None:
        """Bring the nonlinear rows of some nodes' columns up to date."""
        for placed in self._nonlinear:
            legs = range(placed.nonlinear_legs.start, placed.nonlinear_legs.stop)
            for field in range(self.fields):
                target = rows.design[nodes, field, placed.rows]
                own = _stretch(placed.block.compiled.strands, field)
                for leg in legs:
                    parts = (linearization.partials[leg][own], rows.strands[leg][own, nodes])
                    if leg == legs[0]:
                        np.einsum("jp,jkp->kp", *parts, out=target)
                    else:
                        target += np.einsum("jp,jkp->kp", *parts)

    def each_alone(self, rows: NodeRows, weights: Floats, unknowns: Floats) -> Change:
        """The change that each node of a batch makes alone; weights of shape (nodes, fields)."""
        linear = np.einsum("kf,kfn->kn", weights, rows.design[:, :, : self.linear_rows])
        strands = tuple(
            part * weights.T[[strand.field for strand in strands], :, None]
            for (_, strands), part in zip(self._stranded, rows.strands, strict=True)
        )
        return Change(linear, strands, unknowns)

    def together(self, rows: NodeRows, nodes: slice, weights: Floats, unknowns: Floats) -> Change:
        """The change, as one trial, that new weights of some nodes make together."""
        flat = rows.design[nodes].reshape(-1, self.rows)[:, : self.linear_rows]
        changes = []
        for (_, strands), part in zip(self._stranded, rows.strands, strict=True):
            change = np.empty((len(strands), 1, part.shape[2]))
            for strand, own, room in zip(strands, part, change, strict=True):
                np.matmul(weights[:, strand.field], own[nodes], out=room[0])
            changes.append(change)
        return Change((weights.ravel() @ flat)[None], tuple(changes), unknowns[None])


def _strands_of(compiled: Compiled, coefficients: Floats, jets: Floats) -> Floats:
    """Jets at some points, combined to strands: shapes (jets, points) and (strands, points)."""
    made = np.empty((len(compiled.strands), jets.shape[1]))
    for room, strand in zip(made, compiled.strands, strict=True):
        own = list(strand.jets)
        room[:] = (coefficients[own] * jets[own]).sum(axis=0) if strand.fixed else jets[own[0]]
    return made


def _stretch(strands: Sequence[Strand], field: int) -> slice:
    """Where the strands of a field stand."""
    places = [place for place, strand in enumerate(strands) if strand.field == field]
    return slice(places[0], places[-1] + 1) if places else slice(0, 0)
