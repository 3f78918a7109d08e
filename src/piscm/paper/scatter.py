"""Accuracy against time: every trial of every method as a point."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from piscm.paper.figures import png
from piscm.paper.page import printable
from piscm.paper.printed import PRINTED, UNKNOWN
from piscm.paper.summary import Row, Summary, key_of, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# A hue for each kind, from dark to light for the methods of it; marks tell them apart as well.
_SHADES = {
    "gradient": ("#8c2d04", "#d94801", "#fd8d3c", "#a6761d", "#dfc27d"),
    "least squares": ("#08306b", "#2171b5", "#6baed6", "#9ecae1"),
    "grown": ("#b8e186", "#7fbc41", "#1b7837", "#c51b7d", "#de77ae"),
    "classical": ("#000000", "#737373"),
}
_OTHER = ("#737373",)
_MARKS = {"classical": "Xp", "": "osD^vPX*"}

Style = tuple[str, str]


def scatter_figure(summary: Summary, table: str) -> bytes | None:
    """Panels for the paradigms of a table, or for the unknown and the state of an inverse one."""
    rows = summary.of(table)
    if not summary.records(table):
        return None
    paradigms = list(dict.fromkeys(row.paradigm for row in rows))
    panels = [(paradigm, "rmse") for paradigm in paradigms]
    if table in UNKNOWN:
        panels = [("inverse", "error"), ("inverse", "rmse")]
    styles = _styles(rows)
    figure = Figure(figsize=(11.5, 4.8), layout="constrained")
    drawn = set()
    axes = figure.subplots(1, len(panels), squeeze=False, sharex=True, sharey=table not in UNKNOWN)
    for ax, (paradigm, quantity) in zip(axes[0], panels, strict=True):
        own = [row for row in rows if row.paradigm == paradigm]
        drawn |= _panel(summary, own, quantity, styles, ax)
        title = f"error of {UNKNOWN[table]}" if quantity == "error" else "RMSE"
        ax.set(xscale="log", yscale="log", xlabel="time (s)", ylabel=title)
        if table not in UNKNOWN:
            ax.label_outer()
        ax.set_title(paradigm if table not in UNKNOWN else title)
        ax.grid(alpha=0.3)
    if not drawn:
        return None
    figure.legend(
        handles=_legend(rows, styles, drawn), loc="outside right upper", frameon=False, fontsize=9
    )
    return png(figure)


def _styles(rows: list[Row]) -> dict[str, Style]:
    """A color and a mark for every method."""
    styles: dict[str, Style] = {}
    counts: dict[str, int] = {}
    for row in rows:
        if row.method not in styles:
            count = counts[row.kind] = counts.get(row.kind, -1) + 1
            shades = _SHADES.get(row.kind, _OTHER)
            marks = _MARKS.get(row.kind, _MARKS[""])
            styles[row.method] = shades[count % len(shades)], marks[count % len(marks)]
    return styles


def _panel(
    summary: Summary, rows: list[Row], quantity: str, styles: Mapping[str, Style], ax: "Axes"
) -> set[str]:
    """Draw the rows and say which methods can be seen."""
    seen = set()
    for row in rows:
        color, mark = styles[row.method]
        points = [
            (seconds, value)
            for record in summary.trials[key_of(row)]
            if (seconds := number(record, "seconds")) and (value := number(record, quantity))
        ]
        if not points:
            continue
        seen.add(row.method)
        ax.plot(*zip(*points, strict=True), mark, color=color, markersize=5, alpha=0.55, mew=0)
        printed = PRINTED.get(key_of(row))
        if printed is not None and printed.seconds is not None:
            mean = getattr(printed, quantity).mean
            ax.plot(printed.seconds.mean, mean, mark, color=color, ms=10, mfc="none", mew=1.6)
    return seen


def _legend(rows: list[Row], styles: Mapping[str, Style], drawn: set[str]) -> list[Any]:
    # A dollar would begin a formula.
    labels = {
        row.method: printable(row.label).replace("$", r"\$") for row in rows if row.method in drawn
    }
    handles = []
    for method, label in labels.items():
        color, mark = styles[method]
        handles.append(Line2D([], [], ls="", marker=mark, color=color, label=label, ms=7, mew=0))
    hollow = Line2D(
        [], [], ls="", marker="o", color="0.3", mfc="none", mew=1.6, ms=9, label="hollow: the paper"
    )
    return [*handles, hollow]
