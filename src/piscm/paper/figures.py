"""The paper's figures: a field with its error and cross sections, and growth by activation."""

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm import plots
from piscm.paper.summary import Record
from piscm.result.solution import Solution
from piscm.zoo.benchmark import Benchmark

try:
    from matplotlib.figure import Figure
except ImportError:
    raise ImportError("Pictures need matplotlib: pip install 'piscm[plot]'") from None

_DPI = 130
# Okabe and Ito's palette, which eyes of every kind tell apart; and no two lines look alike.
_ACTIVATIONS = {
    "pi-sc-iii-sine": ("sine", "#0072B2", "-"),
    "pi-sc-iii-tanh": ("hyperbolic tangent", "#D55E00", "--"),
    "pi-sc-iii-sigmoid": ("sigmoid", "#009E73", "-."),
}


def png(figure: Any) -> bytes:
    """A figure as the content of a file; the same figure gives the same bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=_DPI)
    return file.getvalue()


def field_figure(solution: Solution, benchmark: Benchmark, across: str | None = None) -> bytes:
    """Figures 1 to 3: predicted field, absolute error, and two cross sections.

    Parameters
    ----------
    across : str, optional
        The coordinate that the maps have across; the first of the problem where it is left out.
    """
    figure = Figure(figsize=(10, 6.6), layout="constrained")
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
    figure = Figure(figsize=(10, 4.8), layout="constrained")
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
    ax.set(xlabel="nodes", ylabel="mean of E²", yscale="log")
    ax.margins(x=0.01)
    ax.grid(alpha=0.3)
    ax.legend(frameon=False)
    return png(figure)


def squared_residuals(records: Sequence[Record]) -> NDArray[np.float64] | None:
    """E² by trial and node; a trial that ended early keeps its last one."""
    curves = [np.square(r["residuals"], dtype=float) for r in records if r.get("residuals")]
    if not curves:
        return None
    longest = max(map(len, curves))
    return np.array([np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves])
