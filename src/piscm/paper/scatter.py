"""Accuracy against time: every trial of every method as a point."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from matplotlib.lines import Line2D

from piscm.paper.drawing import finish, new_figure, png
from piscm.paper.experiment import INVERSE, Experiment
from piscm.paper.page import printable
from piscm.paper.printed import PRINTED, UNKNOWN
from piscm.paper.summary import Summary, number, paradigms_of

# A hue for each kind, from dark to light for the methods of it; marks tell them apart as well.
_SHADES = {
    "gradient": ("#8c2d04", "#d94801", "#fd8d3c", "#a6761d", "#dfc27d"),
    "least squares": ("#08306b", "#2171b5", "#6baed6", "#9ecae1"),
    "grown": ("#b8e186", "#7fbc41", "#1b7837", "#c51b7d", "#de77ae"),
    "classical": ("#000000", "#737373"),
}
_MARKS = {"classical": "Xp", "": "osD^vPX*"}


class _Style(NamedTuple):
    color: str
    mark: str
    label: str


def scatter_figure(summary: Summary, table: str) -> bytes | None:
    """Panels for the paradigms of a table, or for the unknown and the state of an inverse one."""
    rows, inverse = summary.of(table), table in UNKNOWN
    if not rows:
        return None
    panels = [(paradigm, "rmse") for paradigm in paradigms_of(rows)]
    if inverse:
        panels = [(INVERSE, "error"), (INVERSE, "rmse")]
    styles = _styles(rows)
    figure = new_figure(11.5, 4.8)
    drawn = set()
    axes = figure.subplots(1, len(panels), squeeze=False, sharex=True, sharey=not inverse)
    for ax, (paradigm, quantity) in zip(axes[0], panels, strict=True):
        for row in rows:
            if row.paradigm == paradigm and _draw(summary, row, quantity, styles[row.method], ax):
                drawn.add(row.method)
        what = f"error of {UNKNOWN[table]}" if quantity == "error" else "RMSE"
        title = what if inverse else paradigm
        finish(ax, xscale="log", yscale="log", xlabel="time (s)", ylabel=what, title=title)
        if not inverse:
            ax.label_outer()
    if not drawn:
        return None
    handles = [
        Line2D([], [], ls="", marker=mark, color=color, label=label, ms=7, mew=0)
        for method, (color, mark, label) in styles.items()
        if method in drawn
    ]
    hollow: dict[str, Any] = {
        "color": "0.3",
        "mfc": "none",
        "mew": 1.6,
        "ms": 9,
        "label": "hollow: the paper",
    }
    handles.append(Line2D([], [], ls="", marker="o", **hollow))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=9)
    return png(figure)


def _styles(rows: Sequence[Experiment]) -> Mapping[str, _Style]:
    """How every method looks."""
    styles: dict[str, _Style] = {}
    counters = {kind: count() for kind in _SHADES}
    for row in rows:
        if row.method not in styles:
            n = next(counters[row.kind])
            shades, marks = _SHADES[row.kind], _MARKS.get(row.kind, _MARKS[""])
            label = printable(row.label).replace("$", r"\$")  # a dollar would begin a formula
            styles[row.method] = _Style(shades[n % len(shades)], marks[n % len(marks)], label)
    return styles


def _draw(summary: Summary, row: Experiment, quantity: str, style: _Style, ax: Any) -> bool:
    """Draw a row, and say whether there is anything of it to be seen."""
    points = [
        (seconds, value)
        for record in summary.trials[row.key]
        if (seconds := number(record, "seconds")) and (value := number(record, quantity))
    ]
    if points:
        times, values = zip(*points, strict=True)
        ax.plot(times, values, style.mark, color=style.color, markersize=5, alpha=0.55, mew=0)
        printed = PRINTED.get(row.key, {})
        if "seconds" in printed:
            at = printed["seconds"].mean, printed[quantity].mean
            ax.plot(*at, style.mark, color=style.color, ms=10, mfc="none", mew=1.6)
    return bool(points)
