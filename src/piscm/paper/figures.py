"""The paper's figures: a field with its error and cross sections, and growth by activation."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.colors import LogNorm
from numpy.typing import NDArray

from piscm.paper.drawing import finish, new_figure, png
from piscm.paper.fields import RESIDUAL_STEP, squared_residuals
from piscm.paper.store import Record

Floats = NDArray[np.float64]

# Okabe and Ito's palette, which eyes of every kind tell apart; and no two lines look alike.
_ACTIVATIONS = {
    "pi-sc-iii-sine": ("sine", "#0072B2", "-"),
    "pi-sc-iii-tanh": ("hyperbolic tangent", "#D55E00", "--"),
    "pi-sc-iii-sigmoid": ("sigmoid", "#009E73", "-."),
}
# The error is shown over so many powers of ten below its largest value.
_DECADES = 4


def field_panels(
    data: Mapping[str, Sequence[float]], across: str, sections: tuple[str, tuple[float, float]]
) -> list[bytes]:
    """Figures 1 to 3: predicted field, absolute error, and two cross sections, a picture each."""
    columns = {name: np.asarray(values) for name, values in data.items()}
    (up,) = set(columns) - {across, "predicted", "reference"}
    error = np.abs(columns["predicted"] - columns["reference"])
    largest = error.max() or 1.0
    panels = [
        _map(columns, across, up, columns["predicted"], "predicted u", cmap="viridis"),
        _map(
            columns,
            across,
            up,
            np.maximum(error, largest / 10**_DECADES),
            "absolute error",
            cmap="magma",
            norm=LogNorm(largest / 10**_DECADES, largest),
        ),
    ]
    coordinate, values = sections
    return panels + [_section(columns, coordinate, value) for value in values]


def _map(
    columns: Mapping[str, Floats], across: str, up: str, values: Floats, title: str, **options: Any
) -> bytes:
    figure = new_figure(5, 3.4)
    ax = figure.subplots()
    horizontal, vertical = np.unique(columns[across]), np.unique(columns[up])
    order = np.lexsort((columns[across], columns[up]))
    mesh = values[order].reshape(len(vertical), len(horizontal))
    image = ax.pcolormesh(horizontal, vertical, mesh, shading="gouraud", rasterized=True, **options)
    figure.colorbar(image, ax=ax)
    ax.set(xlabel=across, ylabel=up, title=title)
    ax.locator_params(nbins=5)
    return png(figure)


def _section(columns: Mapping[str, Floats], coordinate: str, value: float) -> bytes:
    (along,) = set(columns) - {coordinate, "predicted", "reference"}
    here = np.isclose(columns[coordinate], value)
    figure = new_figure(5, 3.4)
    ax = figure.subplots()
    at = columns[along][here]
    ax.plot(at, columns["reference"][here], color="0.65", linewidth=4, label="reference")
    ax.plot(at, columns["predicted"][here], color="C3", linestyle="--", label="PI-SC-III")
    ax.set(xlabel=along, ylabel="u", title=f"{coordinate} = {value:g}")
    ax.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)  # no line runs through it
    return png(figure)


def growth_figure(records: Sequence[Record]) -> bytes | None:
    """Figure 4: the mean of the squared residual against the nodes, in the band of all trials."""
    figure = new_figure(6.5, 4.2)
    ax = figure.subplots()
    for method, (label, color, style) in _ACTIVATIONS.items():
        squares = squared_residuals([r for r in records if r["method"] == method])
        if squares is None:
            continue
        nodes = 1 + RESIDUAL_STEP * np.arange(squares.shape[1])
        ax.fill_between(nodes, squares.min(0), squares.max(0), color=color, alpha=0.15, linewidth=0)
        count = f"{len(squares)} trial{'s' if len(squares) > 1 else ''}"
        ax.plot(nodes, squares.mean(0), style, color=color, label=f"{label} ({count})")
    if not ax.lines:
        return None
    ax.margins(x=0.01)
    finish(ax, xlabel="nodes", ylabel="mean of E²", yscale="log")
    return png(figure)
