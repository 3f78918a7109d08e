"""The paper's figures: a field with its error and cross sections, and growth by activation."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from piscm import Solution, plots
from piscm.paper.drawing import finish, new_figure, png
from piscm.paper.store import Record
from piscm.zoo.benchmark import Benchmark

# Okabe and Ito's palette, which eyes of every kind tell apart; and no two lines look alike.
_ACTIVATIONS = {
    "pi-sc-iii-sine": ("sine", "#0072B2", "-"),
    "pi-sc-iii-tanh": ("hyperbolic tangent", "#D55E00", "--"),
    "pi-sc-iii-sigmoid": ("sigmoid", "#009E73", "-."),
}


def field_figure(solution: Solution, benchmark: Benchmark, across: str) -> bytes:
    """Figures 1 to 3: predicted field, absolute error, and two cross sections."""
    figure = new_figure(10, 6.6)
    axes = figure.subplots(2, 2)
    plots.field_map(solution, across=across, ax=axes[0, 0])
    plots.field_map(solution, across=across, reference=benchmark.reference, ax=axes[0, 1])
    for ax, title in zip(axes[0], ("predicted u", "absolute error"), strict=True):
        ax.set_title(title)
        ax.locator_params(nbins=5)
    assert benchmark.sections is not None
    coordinate, values = benchmark.sections
    for ax, value in zip(axes[1], values, strict=True):
        plots.cross_section(solution, at={coordinate: value}, reference=benchmark.reference, ax=ax)
        ax.grid(alpha=0.3)
        ax.get_legend().remove()  # one for both, where no line runs through it
    handles = axes[1, 0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, frameon=False)
    return png(figure)


def growth_figure(records: Sequence[Record]) -> bytes | None:
    """Figure 4: the mean of the squared residual against the nodes, in the band of all trials."""
    figure = new_figure(10, 4.8)
    ax = figure.subplots()
    for method, (label, color, style) in _ACTIVATIONS.items():
        squares = squared_residuals([r for r in records if r["method"] == method])
        if squares is None:
            continue
        nodes = np.arange(1, squares.shape[1] + 1)
        ax.fill_between(nodes, squares.min(0), squares.max(0), color=color, alpha=0.15, linewidth=0)
        count = f"{len(squares)} trial{'s' if len(squares) > 1 else ''}"
        ax.plot(nodes, squares.mean(0), style, color=color, label=f"{label} ({count})")
    if not ax.lines:
        return None
    ax.margins(x=0.01)
    finish(ax, xlabel="nodes", ylabel="mean of E²", yscale="log")
    return png(figure)


def squared_residuals(records: Sequence[Record]) -> NDArray[np.float64] | None:
    """E² by trial and node; a trial that ended early keeps its last one."""
    curves = [np.square(r["residuals"], dtype=float) for r in records if r.get("residuals")]
    if not curves:
        return None
    longest = max(map(len, curves))
    return np.array([np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves])
