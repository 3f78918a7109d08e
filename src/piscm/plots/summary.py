"""One figure of a whole solution."""

from typing import TYPE_CHECKING

import numpy as np

from piscm.plots.canvas import Reference, Units, names_of, pyplot
from piscm.plots.choice import of_field
from piscm.plots.growth import residual_history
from piscm.plots.insides import residual_map
from piscm.plots.lines import cross_section
from piscm.plots.maps import field_map
from piscm.result.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def overview(
    solution: Solution,
    *,
    reference: Reference | None = None,
    sections: tuple[str, tuple[float, float]] | None = None,
    units: Units | None = None,
) -> "Figure":
    """One figure of a solution: field, error, two cross sections, residual against nodes.

    In one dimension there is no map; beyond two, the other coordinates are fixed at their
    midpoints.
    """
    units = solution.units if units is None else units
    box, names = solution.problem.domain.bounding_box, names_of(solution)
    middle = dict(zip(names, box.center, strict=True))
    fields = solution.problem.shown_fields
    expression = None if len(fields) == 1 else fields[0]
    if reference is not None and expression is not None:
        reference = of_field(reference, str(expression.func))
    if len(names) == 1:
        figure, axes = pyplot().subplots(1, 2, figsize=(11, 4), layout="constrained")
        cross_section(solution, expression, reference=reference, units=units, ax=axes[0])
        residual_history(solution, ax=axes[1])
    else:
        figure, axes = pyplot().subplots(2, 3, figsize=(14, 7.5), layout="constrained")
        beyond = {name: middle[name] for name in names[2:]}
        field_map(solution, expression, at=beyond, units=units, ax=axes[0, 0])
        if reference is not None:
            field_map(solution, expression, at=beyond, reference=reference, ax=axes[0, 1])
        else:
            residual_map(solution, at=beyond, ax=axes[0, 1])
        coordinate, values = sections or (names[1], _thirds(box.lower[1], box.upper[1]))
        fixed = {n: v for n, v in middle.items() if n != next(m for m in names if m != coordinate)}
        for ax, value in zip(axes[1], values, strict=False):
            at = {**fixed, coordinate: value}
            cross_section(solution, expression, at=at, reference=reference, ax=ax)
        residual_history(solution, ax=axes[0, 2])
        _facts(solution, axes[1, 2])
    return figure  # type: ignore[no-any-return]  # matplotlib is untyped here


def _thirds(low: float, high: float) -> tuple[float, float]:
    return (low + (high - low) / 3, low + 2 * (high - low) / 3)


def _facts(solution: Solution, ax: "Axes") -> None:
    """The summary as text, if the grid of plots has a place to spare."""
    ax.set_axis_off()
    lines = [
        f"{type(solution.method).__name__}, {solution.n_nodes} nodes, {solution.seconds:.1f} s",
        "",
        f"{'':14}{'fitted':>10}{'held out':>10}",
    ]
    for kind in ("equations", "conditions", "observations"):
        own = [block for block in solution.block_residuals if block.kind == kind]
        if own:
            fitted = np.sqrt(np.mean([block.fitted**2 for block in own]))
            fresh = [block.held_out**2 for block in own if block.held_out is not None]
            held_out = f"{np.sqrt(np.mean(fresh)):>10.1e}" if fresh else f"{'-':>10}"
            lines.append(f"{kind:14}{fitted:>10.1e}{held_out}")
    if solution.known_error is not None:
        lines += ["", f"estimated relative error {solution.known_error.relative:.1e}"]
    lines += ["", *(f"{name} = {item.value:.6g}" for name, item in solution.unknowns.items())]
    ax.text(0.02, 0.95, "\n".join(lines), family="monospace", va="top", transform=ax.transAxes)
