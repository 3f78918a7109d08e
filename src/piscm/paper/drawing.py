"""What all pictures share."""

import io
from typing import Any

try:
    from matplotlib.figure import Figure
except ImportError:
    raise ImportError("Pictures need matplotlib: pip install 'piscm[plot]'") from None


def new_figure(width: float, height: float) -> Any:
    """An empty figure of so many inches that no window shows."""
    return Figure(figsize=(width, height), layout="constrained")


def finish(ax: Any, legend: dict[str, Any] | None = None, **properties: Any) -> None:
    """Labels, scales and title, a faint grid, and the legend of what has a label."""
    ax.set(**properties)
    ax.grid(alpha=0.3)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, **(legend or {}))


def png(figure: Any, dpi: int = 130) -> bytes:
    """A figure as the content of a file; the same figure gives the same bytes."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return file.getvalue()
