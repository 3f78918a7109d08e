"""Physics-informed extreme learning machine: random nodes and one linear least-squares solve.

V. Dwivedi, B. Srinivasan: Physics Informed Extreme Learning Machine (PIELM): a rapid method for the
numerical solution of partial differential equations. Neurocomputing 391, 2020.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from piscm.baselines.random_features import RandomNodes
from piscm.compile.blocks import compile_blocks
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem


@dataclass(frozen=True, kw_only=True)
class PIELM(RandomNodes):
    """Random nodes, with weights from one least-squares solve; options as in `RandomNodes`.

    For linear problems only. They may have unknowns that enter linearly too, such as the strength
    of a source.
    """

    nodes: int = 400
    scale: float | Sequence[float] | None = 1.0
    activation: str = "tanh"

    @property
    def iterations(self) -> int:
        return 10  # one, unless an unknown that must stay positive shrinks in several steps

    def check(self, problem: Problem) -> None:
        super().check(problem)
        for block in compile_blocks(problem):
            if not block.linear:
                raise ProblemError(
                    f"PIELM solves linear problems only, and {block.compiled.where} is not linear "
                    "in fields and unknowns together: use RandomFeatures() or PISC3()."
                )
