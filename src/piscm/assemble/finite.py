"""Check that a problem is finite at its starting values."""

from collections.abc import Sequence

import numpy as np

from piscm.assemble.placement import Placed
from piscm.assemble.state import Linearization, State
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem


def check_finite(
    problem: Problem, blocks: Sequence[Placed], state: State, linearization: Linearization
) -> None:
    """Raise `ProblemError` if a residual or a partial is not finite at a state."""
    bad_rows = ~np.isfinite(state.residual)
    bad_rows |= ~np.isfinite(linearization.unknowns).all(axis=0)
    for placed in blocks:
        bad = bad_rows[placed.rows]
        partials = linearization.partials[placed.nonlinear_legs]
        for leg, own in zip(placed.legs, partials, strict=False):  # linear blocks have none
            at_points = ~np.isfinite(own).all(axis=0)
            bad = bad | (at_points if leg.reduction is None else at_points.any())
        if bad.any():
            raise ProblemError(_text(problem, placed, int(np.flatnonzero(bad)[0])))


def _text(problem: Problem, placed: Placed, row: int) -> str:
    leg = placed.legs[0]
    point = leg.leg.points[row if leg.reduction is None else 0]
    names = (symbol.name for symbol in problem.domain.coordinates)
    where = ", ".join(f"{name} = {value:.4g}" for name, value in zip(names, point, strict=True))
    return (
        f"{placed.block.compiled.where}, or a derivative of it by a field or an unknown, is "
        f"not finite at {where} when every field has its starting value. Start elsewhere with "
        "solve(..., initial={u: 1.0}), or keep the domain away from the singularity."
    )
