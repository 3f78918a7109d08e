r"""Blocks, points and nodes turned into numbers: the residual vector and the design matrix.

The rows are :math:`\tilde e = (\sqrt{\omega/N}\, R(x_i))` over all blocks, linear blocks first. The
linear part of a node's column (`piscm.assemble.chain_rule`) is computed only once; for the
nonlinear blocks the strands (`piscm.compile.expression.Strand`) that the column combines are
computed once. Arrays are node-major, so adding a node writes one row, and the transpose is the
column-major matrix that LAPACK expects.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.chain_rule import Evaluated
from piscm.assemble.columns import Columns
from piscm.assemble.finite import check_finite
from piscm.assemble.placement import Placed, PlacedLeg, place
from piscm.assemble.screen import Screen
from piscm.assemble.sites import Points
from piscm.assemble.state import Change, Linearization, State
from piscm.assemble.unknowns import bounds_of
from piscm.assemble.weighting import Emphasis
from piscm.assemble.writing import write_moving, write_still, write_strands
from piscm.budget.budget import check_memory
from piscm.budget.clock import check_time
from piscm.budget.parts import parts
from piscm.compile.blocks import Block
from piscm.compile.differentiable import Differentiable
from piscm.linalg.bounded import Bounds
from piscm.network.activations import Activation
from piscm.network.nodes import Nodes
from piscm.network.singular import SingularPart
from piscm.network.start import Start
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# Arrays of their size that are needed with columns: scaled to unit length, factored, moved.
_COPIES = 6


class System:
    """All blocks at their points, ready to be evaluated and linearized.

    Parameters
    ----------
    problem : Problem
    blocks : sequence of Block
    points : Points
    weights : mapping from the kind of a block to its weight (the paper's omega)
    activation : Activation
    start : Start
        The fields of the empty network.
    emphasis : Emphasis, optional
    """

    def __init__(
        self,
        problem: Problem,
        blocks: Sequence[Block],
        points: Points,
        weights: Mapping[str, float],
        activation: Activation,
        start: Start,
        emphasis: Emphasis | None = None,
    ) -> None:
        self.problem = problem
        self.activation = activation
        self.fields = len(problem.fields)
        self.guesses = np.array(list(problem.unknowns.values()))
        self._start, self._singular = start, SingularPart(problem)
        self._points, self.placed = place(problem, blocks, points, weights, emphasis or {})
        linear = [placed for placed in self.placed if placed.block.linear]
        self._linear = linear
        self._nonlinear = self.placed[len(linear) :]
        self.linear_rows = linear[-1].rows.stop if linear else 0
        self.rows = self.placed[-1].rows.stop
        self._stranded = [
            (leg, leg.compiled.strands) for placed in self._nonlinear for leg in placed.legs
        ]
        self._wanted = {
            feature for placed in self.placed for leg in placed.legs for feature in leg.jet_features
        }
        self._linear_partials = [
            self._partials(placed, _of_jets, self._jets_at_start(placed), self.guesses)
            for placed in linear
        ]
        self._coefficients = [self._coefficients_of(placed) for placed in self._nonlinear]
        self._singular_strands = [
            self._singular_strands_of(placed, coefficients)
            for placed, coefficients in zip(self._nonlinear, self._coefficients, strict=True)
        ]
        self._linear_unknowns = np.zeros((len(self.guesses), self.linear_rows))
        for placed, (_, by_unknowns) in zip(linear, self._linear_partials, strict=True):
            self._linear_unknowns[:, placed.rows] = by_unknowns
        self._last: tuple[State, Linearization] | None = None

    @property
    def is_linear(self) -> bool:
        """Whether all columns are constant."""
        return bool(self.linear_rows == self.rows)

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds of the unknowns."""
        return bounds_of(self.problem)

    # --- states -----------------------------------------------------------------------------

    def start(self) -> State:
        """The state of the empty network; its residual and partials must be finite."""
        return self._at_start

    @cached_property
    def _at_start(self) -> State:
        residual = np.zeros(self.rows)
        for placed in self._linear:
            jets = self._jets_at_start(placed)
            residual[placed.rows] = self._block_residual(placed, _of_jets, jets, self.guesses)
        strands = tuple(
            leg.compiled.strands_of(own, jets)
            for placed, coefficients in zip(self._nonlinear, self._coefficients, strict=True)
            for leg, own, jets in zip(
                placed.legs, coefficients, self._jets_at_start(placed), strict=True
            )
        )
        state = State(np.zeros((0, self.fields)), self.guesses, strands, residual)
        still = Change(
            np.zeros((1, self.linear_rows)),
            tuple(np.zeros((len(part), 1, part.shape[1])) for part in strands),
            np.zeros((1, len(self.guesses))),
        )
        state = replace(state, residual=self.residuals(state, still)[0])
        check_finite(self.problem, self.placed, state, self.linearize(state))
        return state

    def state_with(self, columns: Columns, weights: Floats, unknowns: Floats) -> State:
        """The state for given output weights of the nodes and given unknowns."""
        start = self.start()
        change = self.together(columns, slice(0, len(weights)), weights, unknowns - start.unknowns)
        residual = self.residuals(start, change)[0]
        return State(weights, unknowns, change.added(start, 0), residual)

    def state_from(self, jets: Sequence[Floats], unknowns: Floats) -> State:
        """The state of fields from elsewhere, by the jets of each leg of a nonlinear block.

        Rows of linear blocks, which are linearized alike anywhere, stay as at the start.
        """
        start, given = self.start(), iter(jets)
        strands = tuple(
            leg.compiled.strands_of(own, next(given))
            for placed, each in zip(self._nonlinear, self._coefficients, strict=True)
            for leg, own in zip(placed.legs, each, strict=True)
        )
        moved = tuple((new - old)[:, None] for new, old in zip(strands, start.strands, strict=True))
        still = np.zeros((1, self.linear_rows))
        change = Change(still, moved, (unknowns - start.unknowns)[None])
        return State(start.weights, unknowns, strands, self.residuals(start, change)[0])

    def pull(self, state: State) -> Floats:
        """The linearization at a state times what its fields are away from the start.

        Only for rows that are values at points; those of linear blocks are zero.
        """
        partials, pulled = self.linearize(state).partials, np.zeros(self.rows)
        for placed in self._nonlinear:
            own = placed.nonlinear_legs
            for by, new, old in zip(
                partials[own], state.strands[own], self.start().strands[own], strict=True
            ):
                pulled[placed.rows] += np.einsum("sn,sn->n", by, new - old)
        return pulled

    def unweighted(self, state: State, block: Block) -> Floats:
        """The residual of one block, in its own units."""
        placed = next(item for item in self.placed if item.block is block)
        return np.asarray(state.residual[placed.rows] / placed.root_weight)

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
            pairs = list(zip(state.strands[own], change.strands[own], strict=True))
            for some in parts(trials, max(old.size for old, _ in pairs)):
                strands = [old[:, None] + new[:, some] for old, new in pairs]
                rows = self._block_residual(placed, _of_strands, strands, unknowns[:, some])
                result[some, placed.rows] = rows
        return result

    def _block_residual(
        self,
        placed: Placed,
        function: Callable[[PlacedLeg], Differentiable],
        arguments: Sequence[Floats],
        unknowns: Floats,
    ) -> Floats:
        """The weighted residual of a block from the jets or strands of its legs."""
        check_time()
        pairs = zip(placed.legs, arguments, strict=True)
        return placed.residual([function(leg).value(leg.seen, own, unknowns) for leg, own in pairs])

    # --- linearization ----------------------------------------------------------------------

    def _jets_at_start(self, placed: Placed) -> list[Floats]:
        check_time()
        return [self._start.jets(leg.compiled, leg.leg.points) for leg in placed.legs]

    def _coefficients_of(self, placed: Placed) -> list[Floats]:
        """The partials by the jets of each leg at the start; fixed strands keep theirs."""
        return [
            leg.compiled.linearize(leg.seen, jets, self.guesses)[0]
            for leg, jets in zip(placed.legs, self._jets_at_start(placed), strict=True)
        ]

    def _partials(
        self,
        placed: Placed,
        function: Callable[[PlacedLeg], Differentiable],
        arguments: Sequence[Floats],
        unknowns: Floats,
    ) -> tuple[list[Floats], Floats]:
        """Partials by jets or strands of each leg, (..., points), and by unknowns, (..., rows)."""
        check_time()
        each, for_unknowns = [], []
        for number, (leg, own) in enumerate(zip(placed.legs, arguments, strict=True)):
            by_own, by_unknowns = function(leg).linearize(leg.seen, own, unknowns)
            each.append(placed.partials(leg, by_own))
            if len(self._singular):
                by_unknowns = by_unknowns.copy()
                moved = self._singular_arguments(placed, number, function)
                by_unknowns[self._singular.indices] += np.einsum("an,san->sn", by_own, moved)
            for_unknowns.append(by_unknowns)
        return each, placed.rows_of(for_unknowns)

    def _singular_strands_of(self, placed: Placed, coefficients: list[Floats]) -> list[Floats]:
        """The strands of each singular function alone, (functions, strands, points), by leg."""
        made = []
        for leg, own in zip(placed.legs, coefficients, strict=True):
            jets = self._singular.jets(leg.compiled, leg.leg.points)
            empty = np.zeros((0, len(leg.compiled.strands), leg.size))
            strands = [leg.compiled.strands_of(own, each) for each in jets]
            made.append(np.stack(strands) if strands else empty)
        return made

    def _singular_arguments(
        self, placed: Placed, number: int, function: Callable[[PlacedLeg], Differentiable]
    ) -> Floats:
        """The jets or strands of each singular function at a leg, (functions, those, points)."""
        leg = placed.legs[number]
        if function is _of_jets:
            return self._singular.jets(leg.compiled, leg.leg.points)
        which = next(i for i, other in enumerate(self._nonlinear) if other is placed)
        return self._singular_strands[which][number]

    def _of_amplitudes(self, unknowns: Floats) -> list[Floats]:
        """What changes of unknowns, one a trial, do to strands: (strands, trials, points)."""
        moved = unknowns[:, self._singular.indices]
        return [
            np.einsum("ts,spn->ptn", moved, own) for each in self._singular_strands for own in each
        ]

    def linearize(self, state: State) -> Linearization:
        """Exact partials at a state; the last result is reused for the same state."""
        if self._last is not None and self._last[0] is state:
            return self._last[1]
        unknowns = np.empty((len(self.guesses), self.rows))
        unknowns[:, : self.linear_rows] = self._linear_unknowns
        partials: list[Floats] = []
        for placed in self._nonlinear:
            strands = state.strands[placed.nonlinear_legs]
            by_strands, by_unknowns = self._partials(placed, _of_strands, strands, state.unknowns)
            partials.extend(by_strands)
            unknowns[:, placed.rows] = by_unknowns
        self._last = (state, Linearization(tuple(partials), unknowns))
        return self._last[1]

    # --- nodes ------------------------------------------------------------------------------

    @property
    def bytes_per_node(self) -> int:
        """The memory that a node takes, with the working copies of its columns."""
        moving = sum(len(strands) * leg.size for leg, strands in self._stranded)
        return 8 * (_COPIES * self.fields * int(self.rows) + moving)

    def allocate(self, capacity: int) -> Columns:
        """Columns with room for `capacity` nodes."""
        return Columns(
            self,
            np.zeros((capacity, self.fields, self.rows)),
            tuple(np.empty((len(strands), capacity, leg.size)) for leg, strands in self._stranded),
        )

    def evaluate(self, nodes: Nodes) -> Columns:
        """Everything about a batch of nodes that does not depend on the state."""
        check_memory(
            len(nodes) * self.bytes_per_node,
            f"{len(nodes)} nodes at {self.rows} rows ({self.fields} fields)",
            "give fewer points (Sampling), candidates or nodes",
        )
        columns = self.allocate(len(nodes))
        partials = [own for own, _ in self._linear_partials]
        coefficients = [own for each in self._coefficients for own in each]
        for some in parts(len(nodes), max(len(self._points), self.fields * self.rows)):
            made = Evaluated(nodes.some(some), self._points, self._wanted, self.activation)
            write_still(columns.still[some], made, self._linear, partials)
            rooms = [own[:, some] for own in columns.strands]
            write_strands(rooms, made, self._stranded, coefficients)
        return columns

    def write_columns(
        self,
        design: Floats,
        strands: tuple[Floats, ...],
        nodes: slice,
        linearization: Linearization,
    ) -> None:
        """Update the nonlinear rows of some nodes' columns."""
        for placed in self._nonlinear:
            write_moving(design, strands, nodes, placed, linearization)

    @cached_property
    def single(self) -> Screen:
        """The same system in single precision, for ranking many nodes."""
        weighted = [
            [placed.partials(leg, own) for leg, own in zip(placed.legs, each, strict=True)]
            for placed, each in zip(self._nonlinear, self._coefficients, strict=True)
        ]
        every = [*(partials for partials, _ in self._linear_partials), *weighted]
        return Screen(self._points, self.placed, every, self._wanted, self.activation, self.fields)

    # --- changes ----------------------------------------------------------------------------

    def each_alone(self, columns: Columns, weights: Floats, unknowns: Floats) -> Change:
        """The change due to each node of a batch alone; weights of shape (nodes, fields)."""
        linear = np.einsum("kf,kfn->kn", weights, columns.still[:, :, : self.linear_rows])
        strands = tuple(
            part * weights.T[[strand.field for strand in strands], :, None]
            for (_, strands), part in zip(self._stranded, columns.strands, strict=True)
        )
        if len(self._singular):
            pairs = zip(strands, self._of_amplitudes(unknowns), strict=True)
            strands = tuple(own + more for own, more in pairs)
        return Change(linear, strands, unknowns)

    def together(self, columns: Columns, nodes: slice, weights: Floats, unknowns: Floats) -> Change:
        """The change due to new weights of some nodes together, as one trial."""
        flat = columns.still[nodes].reshape(-1, self.rows)[:, : self.linear_rows]
        changes = []
        for (_, strands), part in zip(self._stranded, columns.strands, strict=True):
            change = np.empty((len(strands), 1, part.shape[2]))
            for strand, own, room in zip(strands, part, change, strict=True):
                np.matmul(weights[:, strand.field], own[nodes], out=room[0])
            changes.append(change)
        if len(self._singular):
            for change, more in zip(changes, self._of_amplitudes(unknowns[None]), strict=True):
                change += more
        return Change((weights.ravel() @ flat)[None], tuple(changes), unknowns[None])


def _of_jets(leg: PlacedLeg) -> Differentiable:
    return leg.compiled


def _of_strands(leg: PlacedLeg) -> Differentiable:
    return leg.compiled.of_strands
