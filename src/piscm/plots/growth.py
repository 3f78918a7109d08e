"""How the residual fell as nodes were added."""

from typing import TYPE_CHECKING

import numpy as np

from piscm.plots.canvas import COLORS, axes_or_new
from piscm.result.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def residual_history(solution: Solution, *, ax: "Axes | None" = None) -> "Axes":
    """The residual against the number of nodes, with the tolerance that was asked for.

    Each window begins anew; where one ends there is a thin line.
    """
    ax = axes_or_new(ax)
    count, windows = np.arange(1, len(solution.history) + 1), solution.history.window
    numbers = np.unique(windows)
    for window in numbers:
        own = windows == window
        marker = "o" if np.count_nonzero(own) == 1 else None
        ax.semilogy(count[own], solution.history.residual[own], color=COLORS[0], marker=marker)
    for window in numbers[1:]:
        ax.axvline(count[windows == window][0] - 0.5, color="0.8", linewidth=0.8, zorder=0)
    asked = solution.method.asked
    if asked > 0:
        ax.axhline(asked, color=COLORS[1], linestyle="--", linewidth=1)
        ax.annotate(
            f"asked {asked:.0e}",
            (1, asked),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 3),
            textcoords="offset points",
            ha="right",
            color=COLORS[1],
        )
    title = "growth by window" if len(numbers) > 1 else "growth"
    if solution.method.records_iterations:
        ax.set(xlabel="iterations", ylabel="residual", title="convergence")
    else:
        ax.set(xlabel="nodes", ylabel="residual", title=title)
    ax.grid(alpha=0.3, which="major")
    return ax
