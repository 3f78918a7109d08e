"""The measurements as one picture: a panel for every part."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from piscm.paper.bench_algorithms import LITERAL
from piscm.paper.bench_growth import ALONG
from piscm.paper.bench_part import Row
from piscm.result.storage import replacing

try:
    from matplotlib.figure import Figure
except ImportError:
    raise ImportError("Pictures need matplotlib: pip install 'piscm[plot]'") from None

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL = (5.6, 4.6)
_MARKERS = "osD^v"


def write_picture(path: Path, rows: Mapping[str, list[Row]]) -> None:
    """Draw the parts that were measured, side by side."""
    figure = Figure(figsize=(_PANEL[0] * len(rows), _PANEL[1]), layout="constrained")
    panels = figure.subplots(1, len(rows), squeeze=False)[0]
    for ax, (name, own) in zip(panels, rows.items(), strict=True):
        DRAWN[name](own, ax)
    with replacing(path) as part:
        figure.savefig(part, dpi=110)


def _ratios(rows: list[Row], ax: "Axes") -> None:
    """Time in least-squares solves, by problem and method, with the gain over the literal one."""
    problems, methods = _distinct(rows, "problem"), _distinct(rows, "method")
    offsets = np.linspace(-0.35, 0.35, len(methods))
    for number, (method, offset) in enumerate(zip(methods, offsets, strict=True)):
        own = [row for row in rows if row["method"] == method]
        places = [problems.index(row["problem"]) + offset for row in own]
        heights = [row["in_lstsq"] for row in own]
        ax.plot(places, heights, "o", color=f"C{number}", label=method)
        for place, height, row in zip(places, heights, own, strict=True):
            gain = f"{1 / row['in_literal']:.2g}" if method != LITERAL else ""
            at = (place, height)
            ax.annotate(gain, at, (0, 5), textcoords="offset points", ha="center", fontsize=7)
    ax.set_yscale("log")
    ax.set_xticks(range(len(problems)), problems)
    ax.margins(y=0.1)
    ax.set(
        xlabel="numbers: how many times as fast as the literal PI-SC-III",
        ylabel="time / one lstsq of final size",
        title="algorithms",
    )
    ax.grid(alpha=0.3, axis="y")
    ax.legend(frameon=False, fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.15))


def _growth(rows: list[Row], ax: "Axes") -> None:
    """Time and memory beside those of the smallest case, along points, nodes and fields."""
    for number, along in enumerate(ALONG):
        own = [row for row in rows if row["along"] == along]
        sizes = np.array([row[along] for row in own], dtype=float)
        for key, what, style in (("seconds", "time", "o-"), ("megabytes", "memory", "s--")):
            values = np.array([row[key] for row in own], dtype=float)
            known = np.isfinite(values) & (values > 0)
            if not known.any():
                continue
            sizes_known, values = sizes[known], values[known]
            exponent = own[0][f"{what}_exponent"]
            ax.loglog(
                sizes_known / sizes[0],
                values / values[0],
                style,
                color=f"C{number}",
                label=f"{what} ~ {along}^{exponent:.2f}",
                markersize=4,
            )
    ax.set(
        xlabel="points, nodes or fields / the fewest",
        ylabel="time or memory / that of the fewest",
        title="growth",
    )
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=8)


def _accuracy(rows: list[Row], ax: "Axes") -> None:
    """Error against time, one color a problem, one mark a tolerance; hollow where it was missed."""
    tolerances = sorted({row["tol"] for row in rows}, reverse=True)
    for number, problem in enumerate(_distinct(rows, "problem")):
        own = [row for row in rows if row["problem"] == problem]
        color = f"C{number}"
        times = [row["in_lstsq"] for row in own]
        ax.plot(times, [row["relative_error"] for row in own], color=color, alpha=0.4)
        for row in own:
            ax.plot(
                row["in_lstsq"],
                row["relative_error"],
                _MARKERS[tolerances.index(row["tol"]) % len(_MARKERS)],
                color=color,
                markerfacecolor=color if row["status"] == "CONVERGED" else "none",
                label=problem if row is own[0] else None,
            )
    ax.set(
        xscale="log",
        yscale="log",
        xlabel="time / one lstsq of fixed size",
        ylabel="relative L2 error",
        title="accuracy against time (hollow: tolerance not met)",
    )
    ax.grid(alpha=0.3)
    ax.legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.15))


def _distinct(rows: list[Row], key: str) -> list[str]:
    return list(dict.fromkeys(row[key] for row in rows))


DRAWN: dict[str, Callable[[list[Row], "Axes"], None]] = {
    "algorithms": _ratios,
    "growth": _growth,
    "accuracy": _accuracy,
}
