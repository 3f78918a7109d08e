"""Maps over two coordinates, and several of them side by side."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.marching import marching_coordinate
from piscm.plots.canvas import (
    SIZES,
    VALUES,
    Reference,
    Units,
    axes_or_new,
    axis_of,
    fixed_text,
    free_names,
    label,
    names_of,
    pyplot,
    window_edges,
)
from piscm.problem.errors import ProblemError
from piscm.problem.mosaic import Mosaic
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, by_name, drawn_as, only_field, values_inside
from piscm.result.solution import Solution
from piscm.shapes.shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]


def field_map(
    solution: Solution,
    expression: Expression | str | None = None,
    *,
    at: Mapping[str, float] | None = None,
    across: str | None = None,
    reference: Reference | None = None,
    std: bool = False,
    units: Units | None = None,
    limits: tuple[float, float] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Color map of an expression over two coordinates or, with a reference, of its error.

    Parameters
    ----------
    expression : sympy.Expr or str, optional
        May be omitted if the problem has one field.
    at : mapping of coordinate names to values, optional
        Fixes the coordinates beyond two.
    across : str, optional
        The coordinate along the horizontal axis; the domain's first by default.
    reference : callable, optional
        If given, the absolute error is shown.
    std : bool
        Show the standard error instead.
    units : mapping of names to units, optional
    limits : (float, float), optional
        The ends of the color scale.
    ax : matplotlib Axes, optional
    """
    at = by_name(at)
    free = free_names(solution, at)
    if len(free) != 2:
        raise ProblemError(
            f"A map needs two free coordinates, not {len(free)}: fix others with at={{...}}."
        )
    if across is not None:
        across = str(across)
        if across not in free:
            raise ProblemError(f"across={across!r} is not a free coordinate: {', '.join(free)}.")
        free.sort(key=lambda name: name != across)
    problem = solution.problem
    meant = only_field(problem) if expression is None else as_written(problem, expression)
    meant = drawn_as(meant)[0]
    ax = axes_or_new(ax)
    horizontal, vertical = (axis_of(solution, name) for name in free)
    mesh = dict(zip(free, np.meshgrid(horizontal, vertical), strict=True))
    outline = level_at(solution, {**mesh, **at})
    title, colors = label(problem, meant, units), VALUES
    if std:
        values = shown = values_inside(solution.std, problem, meant, {**mesh, **at})
        title, colors = f"standard error of {title}", SIZES
    elif outline is None:
        values = shown = values_inside(solution, problem, meant, {**mesh, **at})
    else:
        values = values_near(
            solution, lambda points: solution.network.values(meant, points), {**mesh, **at}, outline
        )
        shown = np.where(outline <= 0, values, np.nan)
    if reference is not None:
        with np.errstate(all="ignore"):  # references mean nothing beside the shape
            difference = np.abs(values - reference(**mesh, **at))
        shown = np.where(np.isfinite(shown), difference, np.nan)
        values = np.where(np.isfinite(difference), difference, shown)
        title, colors = f"absolute error of {title}", SIZES
    low, high = limits or _limits(shown)
    draw_map(ax, horizontal, vertical, values, colors, low, high)
    title += f"   ({fixed_text(problem, at, units)})" if at else ""
    ax.set(
        xlabel=label(problem, free[0], units), ylabel=label(problem, free[1], units), title=title
    )
    if outline is not None and (outline > 0).any():
        draw_shape(ax, horizontal, vertical, outline)
    _draw_interfaces(ax, solution, horizontal, vertical, {**mesh, **at})
    draw_edges(ax, solution, *free)
    return ax


def _draw_interfaces(
    ax: "Axes", solution: Solution, horizontal: Floats, vertical: Floats, mesh: Mapping[str, Any]
) -> None:
    """Draw the lines where regions meet."""
    domain = solution.problem.domain
    if not isinstance(domain, Mosaic):
        return
    arrays = np.broadcast_arrays(*(np.asarray(mesh[s.name], float) for s in domain.coordinates))
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    for member in domain.members:
        if isinstance(member, Shape):
            level = _off_the_edge(member.level(points).reshape(arrays[0].shape))
            ax.set_aspect("equal")
        else:
            level = 0.5 - member.contains(points).astype(float).reshape(arrays[0].shape)
        if (level > 0).any() and (level < 0).any():
            ax.contour(horizontal, vertical, level, levels=[0.0], colors=["0.15"], linewidths=0.8)


def _limits(shown: Floats) -> tuple[float, float]:
    if not np.isfinite(shown).any():
        return 0.0, 1.0
    return float(np.nanmin(shown)), float(np.nanmax(shown))


def draw_map(
    ax: "Axes",
    horizontal: Floats,
    vertical: Floats,
    values: Floats,
    colors: str,
    low: float,
    high: float,
    **options: Any,
) -> Any:
    """A smooth color map with its scale."""
    image = ax.pcolormesh(
        horizontal,
        vertical,
        values,
        cmap=colors,
        shading="gouraud",
        rasterized=True,
        **(options or {"vmin": low, "vmax": high}),
    )
    ax.figure.colorbar(image, ax=ax)
    return image


def draw_edges(ax: "Axes", solution: Solution, horizontal: str, vertical: str | None) -> None:
    """Thin lines where windows meet."""
    style: dict[str, Any] = {
        "color": "white" if vertical else "0.6",
        "linewidth": 0.8,
        "alpha": 0.7,
    }
    for edge in window_edges(solution, horizontal):
        ax.axvline(edge, linestyle="--", **style)
    if vertical is not None:
        for edge in window_edges(solution, vertical):
            ax.axhline(edge, linestyle="--", **style)


def slices(
    solution: Solution,
    expression: Expression | str | None = None,
    *,
    along: str | None = None,
    values: Sequence[float] | None = None,
    at: Mapping[str, float] | None = None,
    units: Units | None = None,
    axes: "Sequence[Axes] | None" = None,
) -> "Sequence[Axes]":
    """Maps at several values of a third coordinate, with one color scale.

    Parameters
    ----------
    expression : sympy.Expr or str, optional
    along : str, optional
        The coordinate; the last one that is free by default.
    values : sequence of float, optional
        Its values; by default three: at the start, the middle and the end of a time, and between
        the ends of another coordinate.
    at : mapping of coordinate names to values, optional
        Fixes the coordinates beyond three.
    axes : sequence of matplotlib Axes, optional
    """
    at = by_name(at)
    free = free_names(solution, at)
    if len(free) != 3:
        raise ProblemError(f"Slices need three free coordinates, not {len(free)}: use at={{...}}.")
    along = free[-1] if along is None else str(along)
    if along not in free:
        raise ProblemError(f"along={along!r} is not a free coordinate: {', '.join(free)}.")
    values = slice_values(solution, along) if values is None else values
    if axes is None:
        axes = pyplot().subplots(
            1, len(values), figsize=(4.2 * len(values), 3.6), layout="constrained", squeeze=False
        )[1][0]
    problem = solution.problem
    meant = only_field(problem) if expression is None else as_written(problem, expression)
    meant = drawn_as(meant)[0]
    flat = [name for name in free if name != along]
    mesh = np.meshgrid(*(axis_of(solution, name, 41) for name in flat))
    known: dict[str, Any] = {**dict(zip(flat, mesh, strict=True)), **at}
    every = [values_inside(solution, problem, meant, {**known, along: value}) for value in values]
    limits = _limits(np.stack(every))
    for ax, value in zip(axes, values, strict=True):
        field_map(
            solution, meant, at={**at, along: float(value)}, units=units, limits=limits, ax=ax
        )
    return axes


def slice_values(solution: Solution, along: str) -> list[float]:
    """Three values of a coordinate: both ends of a time, but nothing on the faces of a space."""
    index = names_of(solution).index(along)
    box = solution.problem.domain.bounding_box
    low, high = float(box.lower[index]), float(box.upper[index])
    parts = (0.0, 0.5, 1.0) if is_time(solution, along) else (0.25, 0.5, 0.75)
    return [low + part * (high - low) for part in parts]


def is_time(solution: Solution, name: str) -> bool:
    """Whether a coordinate is marched along, or called like a time."""
    symbol = next(s for s in solution.problem.domain.coordinates if s.name == name)
    return name in ("t", "time", "tau") or symbol == marching_coordinate(solution.problem)


def level_at(solution: Solution, mesh: Mapping[str, Any]) -> Floats | None:
    """How far outside of a shape the points of a map lie; None for domains that are no shapes."""
    domain = solution.problem.domain
    if not isinstance(domain, Shape):
        return None
    arrays = np.broadcast_arrays(*(np.asarray(mesh[s.name], float) for s in domain.coordinates))
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    return domain.level(points).reshape(arrays[0].shape)


def values_near(
    solution: Solution,
    function: Callable[[Floats], Floats],
    mesh: Mapping[str, Any],
    level: Floats,
) -> Floats:
    """Values inside a shape and a little beyond, so that its edge can be cut out smoothly."""
    domain = solution.problem.domain
    arrays = np.broadcast_arrays(*(np.asarray(mesh[s.name], float) for s in domain.coordinates))
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    near = (level <= 3 * float(domain.bounding_box.width.max()) / min(level.shape)).ravel()
    values = np.full(len(points), np.nan)
    with np.errstate(all="ignore"):
        values[near] = function(points[near])
    return values.reshape(level.shape)


def draw_shape(ax: "Axes", horizontal: Floats, vertical: Floats, level: Floats) -> None:
    """Cover what lies outside of a shape, and draw its boundary."""
    level = _off_the_edge(level)
    ax.contourf(horizontal, vertical, level, levels=[0.0, np.inf], colors=["white"])
    ax.contour(horizontal, vertical, level, levels=[0.0], colors=["0.15"], linewidths=1.2)
    ax.set_aspect("equal")


def _off_the_edge(level: Floats) -> Floats:
    """The same level, inside where the edge of the map is the boundary up to round-off."""
    return np.where(np.abs(level) < 1e-12 * np.abs(level).max(), -1e-12, level)
