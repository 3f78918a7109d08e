"""What all pictures share."""

import io
from pathlib import Path
from typing import Any

from piscm.text.replacing import replacing

try:
    from matplotlib.figure import Figure
except ImportError:
    raise ImportError("Pictures need matplotlib: pip install 'piscm[plot]'") from None

BELOW = {"fontsize": 8, "loc": "upper center", "bbox_to_anchor": (0.5, -0.15)}
"""For a legend too long to stand among the points."""


def new_figure(width: float, height: float) -> Any:
    """An empty figure of so many inches that no window shows."""
    return Figure(figsize=(width, height), layout="constrained")


def finish(
    ax: Any, legend: dict[str, Any] | None = None, lines: str = "both", **properties: Any
) -> None:
    """Labels, scales and title, a faint grid, and the legend of what has a label."""
    ax.set(**properties)
    ax.grid(alpha=0.3, axis=lines)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, **(legend or {}))


def png(figure: Any, dpi: int = 130) -> bytes:
    """A figure as the content of a file; the same figure gives the same bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return file.getvalue()


def write_png(path: Path, figure: Any) -> None:
    """Write a figure whole or not at all."""
    with replacing(path) as part:
        part.write_bytes(png(figure, dpi=110))
