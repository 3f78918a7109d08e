"""A field as it changes with time."""

import re
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from piscm.plots.canvas import (
    COLORS,
    VALUES,
    Units,
    axes_or_new,
    axis_of,
    fixed_text,
    label,
    names_of,
)
from piscm.plots.maps import is_time
from piscm.problem.errors import ProblemError, brief
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, drawn_as, only_field, values_inside
from piscm.result.solution import Solution
from piscm.text.replacing import replacing

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes


def animate(
    solution: Solution,
    expression: Expression | str | None = None,
    *,
    time: str | None = None,
    frames: int = 60,
    fps: int = 20,
    path: str | PathLike[str] | None = None,
    units: Units | None = None,
    ax: "Axes | None" = None,
) -> "FuncAnimation":
    """An expression over one or two coordinates, moving along another one.

    Parameters
    ----------
    expression : sympy.Expr or str, optional
        May be omitted if the problem has one field.
    time : str, optional
        The coordinate that becomes time; by default the one that is marched along or called t.
    frames, fps : int
        How many pictures, and how many of them a second.
    path : str or path, optional
        Write it: ``.gif``, ``.html`` (plays in a browser, with controls) or, where ffmpeg is
        installed, ``.mp4``.
    units : mapping of names to units, optional
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib.animation.FuncAnimation
        Keep it in a variable as long as it is to play.
    """
    if not isinstance(frames, int) or frames < 2:
        raise ProblemError(f"frames={brief(frames)}: give a whole number from 2 up.")
    units = solution.units if units is None else units
    names, problem = names_of(solution), solution.problem
    if time is None:
        time = next((name for name in reversed(names) if is_time(solution, name)), names[-1])
    if time not in names:
        raise ProblemError(f"time={time!r} is not a coordinate: {', '.join(names)}.")
    space = [name for name in names if name != time]
    if len(space) not in (1, 2):
        raise ProblemError(
            f"An animation needs one or two coordinates besides {time}, not {len(space)}."
        )
    from matplotlib.animation import FuncAnimation

    if path is not None:
        _check_format(Path(path))
    meant = only_field(problem) if expression is None else as_written(problem, expression)
    meant = drawn_as(meant)[0]
    ax = axes_or_new(ax)
    axes = [axis_of(solution, name, 201 if len(space) == 1 else 81) for name in space]
    mesh = dict(zip(space, np.meshgrid(*axes), strict=True))
    times = axis_of(solution, time, frames)
    values = [values_inside(solution, problem, meant, {**mesh, time: t}) for t in times]
    known = np.stack(values)[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    drawn: Any
    if len(space) == 1:
        (drawn,) = ax.plot(axes[0], values[0], color=COLORS[0])
        margin = 0.05 * (high - low) or 1.0
        ax.set(ylim=(low - margin, high + margin), ylabel=label(problem, meant, units))
    else:
        drawn = ax.pcolormesh(
            *axes, values[0], cmap=VALUES, vmin=low, vmax=high, shading="gouraud", rasterized=True
        )
        ax.figure.colorbar(drawn, ax=ax, label=label(problem, meant, units))
        ax.set_ylabel(label(problem, space[1], units))
    ax.set_xlabel(label(problem, space[0], units))

    def show(number: int) -> list[Any]:
        if len(space) == 1:
            drawn.set_ydata(values[number])
        else:
            drawn.set_array(values[number])
        ax.set_title(fixed_text(problem, {time: float(times[number])}, units))
        return [drawn]

    show(0)
    figure: Any = ax.figure
    made = FuncAnimation(figure, show, frames=frames, interval=1000 / fps, blit=False)
    if path is not None:
        _write(made, Path(path), fps)
    return made


def _check_format(path: Path) -> None:
    from matplotlib import animation

    known = [".gif", ".html", *([".mp4"] if animation.writers.is_available("ffmpeg") else [])]
    if path.suffix not in known:
        raise ProblemError(
            f"{path.name!r}: an animation is written as .gif or .html, or as .mp4 where ffmpeg is "
            "installed."
        )


def _write(made: "FuncAnimation", path: Path, fps: int) -> None:
    from matplotlib import animation

    with replacing(path) as part:
        if path.suffix == ".html":
            part.write_text(without_network(made.to_jshtml(fps=fps)), encoding="utf-8")
        elif path.suffix == ".gif":
            made.save(part, writer=animation.PillowWriter(fps=fps))
        else:
            made.save(part, writer="ffmpeg", fps=fps)


# matplotlib's page takes the pictures on its buttons from the network.
_ICONS = re.compile(r"<link[^>]*font-awesome[^>]*>")
_SIGNS = {
    "minus": "−",
    "fast-backward": "|◀",
    "step-backward": "◁",
    "play": "▶",
    "play.fa-flip-horizontal": "◀",
    "pause": "❚❚",
    "step-forward": "▷",
    "fast-forward": "▶|",
    "plus": "+",
}


def without_network(page: str) -> str:
    """A page of an animation whose buttons are characters instead of downloaded pictures."""
    signs = "".join(
        f'.anim-buttons .fa-{name}::before {{ content: "{sign}\\FE0E"; font-style: normal; }}\n'
        for name, sign in _SIGNS.items()
    )
    return _ICONS.sub(lambda _: f"<style>\n{signs}</style>", page)
