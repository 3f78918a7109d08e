"""Unknowns: their values with uncertainty, and how their errors depend on each other."""

from typing import TYPE_CHECKING

import numpy as np

from piscm.plots.canvas import COLORS, Units, axes_or_new, math_text
from piscm.problem.errors import ProblemError
from piscm.result.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAND = 1.96  # standard errors: 95 %


def unknowns(solution: Solution, *, units: Units | None = None, ax: "Axes | None" = None) -> "Axes":
    """Each unknown with its 95 % interval, in percent of its value, and its first guess.

    Intervals of unknowns of any size can be compared that way; the values are written beside them.
    """
    found, problem = solution.unknowns, solution.problem
    if not found:
        raise ProblemError("The problem has no unknowns to show.")
    ax = axes_or_new(ax)
    labels = []
    for row, (name, item) in enumerate(found.items()):
        size = abs(item.value) or 1.0
        percent = 100 * _BAND * item.stderr / size
        known = np.isfinite(percent)
        ax.errorbar(
            0.0,
            row,
            xerr=percent if known else None,
            fmt="o",
            color=COLORS[row % len(COLORS)],
            capsize=4,
        )
        unit = (units or {}).get(name, "")
        bar = f"{item.stderr:.2g}" if known else "not known"
        text = f"{item.value:.6g} ± {bar} {unit}".rstrip()
        ax.annotate(text, (0.0, row), xytext=(0, 8), textcoords="offset points", ha="center")
        labels.append(math_text(problem, name))
    ax.axvline(0.0, color="0.85", linewidth=0.8, zorder=0)
    ax.set_yticks(range(len(labels)), labels)
    ax.set(ylim=(len(labels) - 0.4, -0.6), xlabel="95 % interval, percent of the value")
    ax.set_title("unknowns")
    widest = [100 * _BAND * i.stderr / (abs(i.value) or 1.0) for i in found.values()]
    reach = max([w for w in widest if np.isfinite(w)], default=1.0) or 1.0
    ax.set_xlim(-1.4 * reach, 1.4 * reach)
    return ax


def correlation(solution: Solution, *, ax: "Axes | None" = None) -> "Axes":
    """The correlation of the errors of the unknowns, from -1 to 1."""
    names = list(solution.unknowns)
    if not names:
        raise ProblemError("The problem has no unknowns to show.")
    ax, values = axes_or_new(ax), solution.correlation
    image = ax.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1)
    ax.figure.colorbar(image, ax=ax)
    labels = [math_text(solution.problem, name) for name in names]
    ax.set_xticks(range(len(names)), labels)
    ax.set_yticks(range(len(names)), labels)
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            word = f"{value:.2f}" if np.isfinite(value) else "?"
            shade = "white" if abs(value) > 0.6 else "black"
            ax.text(column, row, word, ha="center", va="center", color=shade)
    ax.set_title("correlation of their errors")
    return ax
