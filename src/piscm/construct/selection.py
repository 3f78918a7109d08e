"""The interface of selection rules: which nodes come next."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Protocol

import numpy as np

from piscm.assemble.columns import Columns
from piscm.assemble.state import Linearization, State
from piscm.assemble.system import System
from piscm.construct.checks import check_count, check_ladder
from piscm.construct.correct import Corrector
from piscm.construct.corrections import Correction
from piscm.construct.listed import listed
from piscm.network.draw import Draw
from piscm.network.nodes import Nodes

RANGES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Proposal:
    """Nodes to be added, with what the history records."""

    nodes: Nodes
    columns: Columns
    state: State
    range: float
    damping: float


@dataclass(frozen=True)
class Run:
    """What stays the same from round to round of one run.

    Attributes
    ----------
    system : System
    draw : Draw
    correction : Correction
    corrector : Corrector
    max_nodes : int
    threshold : float
        Singular values below this fraction of the largest are dropped.
    rng : numpy.random.Generator
    """

    system: System
    draw: Draw
    correction: Correction
    corrector: Corrector
    max_nodes: int
    threshold: float
    rng: np.random.Generator


class Selector(Protocol):
    """A selection rule at work in one run."""

    def propose(
        self, state: State, linearization: Linearization, columns: Columns, nodes: Nodes
    ) -> Proposal | None:
        """The next node or nodes to add to the current ones; None if none would help.

        No more than `Run.max_nodes` in all. The state of the proposal has a row of output weights
        for every new node: zeros, unless the rule weighs nodes and has moved the state with them.
        """

    def accepted(self) -> None:
        """Record that the proposal has lowered the residual."""

    def rejected(self) -> bool:
        """Record that it has not, or that there was none; return whether nothing is left to try."""


@dataclass(frozen=True, kw_only=True)
class Selection(ABC):
    """A selection rule with its options; use `Local`, `Orthogonal` or your own.

    Your own rule is a frozen dataclass with a method `begin`; pass it as
    ``PISC3(selection=Mine(...))``. The attributes below tell the growth loop what to expect of it.

    Attributes
    ----------
    weighs_nodes : bool
        A proposed node comes with its own output weight, which has moved the state.
    keeps_basis : bool
        The rule needs a basis of the columns, so the correction uses it too.
    refines : bool
        After growth all weights are refined to the minimum, and data reweighted.
    spare_digits : float
        A factor on the truncation threshold.
    """

    weighs_nodes: ClassVar[bool] = False
    keeps_basis: ClassVar[bool] = True
    refines: ClassVar[bool] = True
    spare_digits: ClassVar[float] = 1e-4

    ranges: Sequence[float] = RANGES
    candidates: int = 50

    def __post_init__(self) -> None:
        for option in fields(self):
            value = listed(getattr(self, option.name))
            object.__setattr__(self, option.name, value)
        name = type(self).__name__
        check_count(self.candidates, f"{name}(candidates=...)")
        check_ladder(self.ranges, f"{name}(ranges=...)", most=np.inf)

    @abstractmethod
    def begin(self, run: Run) -> Selector:
        """Start the rule on a run."""

    def document(self) -> dict[str, Any]:
        """The rule and its options as plain data."""
        return {"name": type(self).__name__, "options": asdict(self)}
