"""Plots of a solution. Every function takes or makes axes, returns them, and shows nothing."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piscm.problem.errors import ProblemError
from piscm.problem.written import Expression
from piscm.result.arguments import values_inside
from piscm.result.solution import Solution
from piscm.shapes.shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]
Reference = Callable[..., Floats]

_GRID = 161
_ON_IT = 1e-9  # of the size of a map: a point on a boundary, up to round-off


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Pictures need matplotlib: pip install 'piscm[plot]'") from None
    return plt


def _axes(ax: "Axes | None") -> "Axes":
    return _pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _names(solution: Solution) -> list[str]:
    return [symbol.name for symbol in solution.problem.domain.coordinates]


def _axis(solution: Solution, name: str) -> Floats:
    box = solution.problem.domain.bounding_box
    if name not in _names(solution):
        raise ProblemError(f"{name!r} is not a coordinate; they are {', '.join(_names(solution))}.")
    index = _names(solution).index(name)
    return np.linspace(box.lower[index], box.upper[index], _GRID)


def _label(solution: Solution, expression: Any) -> str:
    return str(solution.problem.written_fields[0].func if expression is None else expression)


def field_map(
    solution: Solution,
    expression: Expression | None = None,
    *,
    at: Mapping[str, float] | None = None,
    across: str | None = None,
    reference: Reference | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Color map of an expression over two coordinates or, with a reference, of its error.

    Parameters
    ----------
    expression : sympy.Expr, optional
        May be omitted if the problem has one field.
    at : mapping of coordinate names to values, optional
        Fixes the coordinates beyond two.
    across : str, optional
        The coordinate along the horizontal axis; the domain's first by default.
    reference : callable, optional
        If given, the absolute error is shown.
    """
    at = dict(at or {})
    free = [name for name in _names(solution) if name not in at]
    if len(free) != 2:
        raise ProblemError(
            f"A map needs two free coordinates, not {len(free)}: fix others with at={{...}}."
        )
    if across is not None:
        if across not in free:
            raise ProblemError(f"across={across!r} is not a free coordinate: {', '.join(free)}.")
        free.sort(key=lambda name: name != across)
    ax = _axes(ax)
    horizontal, vertical = (_axis(solution, name) for name in free)
    mesh = dict(zip(free, np.meshgrid(horizontal, vertical), strict=True))
    outline = _level(solution, {**mesh, **at})
    if outline is None:
        values = values_inside(solution, solution.problem, expression, {**mesh, **at})
        shown = values
    else:
        values = _values_near(solution, expression, {**mesh, **at}, outline)
        shown = np.where(outline <= 0, values, np.nan)
    title = _label(solution, expression)
    colors = "viridis"
    if reference is not None:
        with np.errstate(all="ignore"):  # references mean nothing beside the shape
            difference = np.abs(values - reference(**mesh, **at))
        shown = np.where(np.isfinite(shown), difference, np.nan)
        values = np.where(np.isfinite(difference), difference, shown)
        title, colors = f"absolute error of {title}", "magma"
    low, high = (np.nanmin(shown), np.nanmax(shown)) if np.isfinite(shown).any() else (0.0, 1.0)
    image = ax.pcolormesh(
        horizontal,
        vertical,
        values,
        cmap=colors,
        shading="gouraud",
        rasterized=True,
        vmin=low,
        vmax=high,
    )
    ax.figure.colorbar(image, ax=ax)
    ax.set(xlabel=free[0], ylabel=free[1], title=title)
    if outline is not None and (outline > 0).any():
        _draw_shape(ax, horizontal, vertical, outline)
    return ax


def _level(solution: Solution, mesh: Mapping[str, Any]) -> Floats | None:
    """How far outside of a shape the points of a map lie; None for domains that are no shapes."""
    domain = solution.problem.domain
    if not isinstance(domain, Shape):
        return None
    arrays = np.broadcast_arrays(*(np.asarray(mesh[s.name], float) for s in domain.coordinates))
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    return domain.level(points).reshape(arrays[0].shape)


def _values_near(
    solution: Solution, expression: Expression | None, mesh: Mapping[str, Any], level: Floats
) -> Floats:
    """Values inside a shape and a little beyond, so that its edge can be cut out smoothly."""
    domain, network = solution.problem.domain, solution.network
    expression = solution.problem.written_fields[0] if expression is None else expression
    arrays = np.broadcast_arrays(*(np.asarray(mesh[s.name], float) for s in domain.coordinates))
    points = np.stack([array.ravel() for array in arrays], axis=-1)
    near = (level <= 3 * float(domain.bounding_box.width.max()) / _GRID).ravel()
    values = np.full(len(points), np.nan)
    with np.errstate(all="ignore"):
        values[near] = network.values(expression, points[near])
    return values.reshape(level.shape)


def _draw_shape(ax: "Axes", horizontal: Floats, vertical: Floats, level: Floats) -> None:
    """Cover what lies outside of a shape, and draw its boundary."""
    # The edge of the map may be the boundary itself, up to round-off.
    level = np.where(np.abs(level) < 1e-12 * np.abs(level).max(), -1e-12, level)
    ax.contourf(horizontal, vertical, level, levels=[0.0, np.inf], colors=["white"])
    ax.contour(horizontal, vertical, level, levels=[0.0], colors=["0.15"], linewidths=1.2)
    ax.set_aspect("equal")


def cross_section(
    solution: Solution,
    expression: Expression | None = None,
    *,
    at: Mapping[str, float] | None = None,
    reference: Reference | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """An expression along the one coordinate that `at` leaves free, drawn over its reference."""
    at = dict(at or {})
    free = [name for name in _names(solution) if name not in at]
    if len(free) != 1:
        raise ProblemError(
            f"A cross section needs one free coordinate, not {len(free)}: fix others, at={{...}}."
        )
    ax = _axes(ax)
    along = _axis(solution, free[0])
    if reference is not None:
        truth = np.asarray(reference(**{free[0]: along}, **at), dtype=float)
        beside = _level(solution, {free[0]: along, **at})
        if beside is not None:  # nothing is known there
            truth = np.where(beside <= _ON_IT * np.abs(beside).max(), truth, np.nan)
        ax.plot(along, truth, color="0.65", linewidth=4, label="reference")
    values = values_inside(solution, solution.problem, expression, {free[0]: along, **at})
    ax.plot(along, values, color="C3", linestyle="--", label="piscm")
    title = ", ".join(f"{name} = {value:g}" for name, value in at.items())
    ax.set(xlabel=free[0], ylabel=_label(solution, expression), title=title)
    ax.legend(frameon=False)
    return ax


def residual_history(solution: Solution, *, ax: "Axes | None" = None) -> "Axes":
    """The residual against the number of nodes."""
    ax = _axes(ax)
    count, windows = np.arange(1, len(solution.history) + 1), solution.history.window
    for window in np.unique(windows):  # each window starts anew
        own = windows == window
        ax.semilogy(count[own], solution.history.residual[own], color="C0")
    several = len(np.unique(windows)) > 1
    title = "growth by window" if several else "growth"
    if solution.method.records_iterations:
        ax.set(xlabel="iterations", ylabel="residual", title="convergence")
    else:
        ax.set(xlabel="nodes", ylabel="residual", title=title)
    ax.grid(alpha=0.3, which="both")
    return ax


def overview(
    solution: Solution,
    *,
    reference: Reference | None = None,
    sections: tuple[str, tuple[float, float]] | None = None,
) -> "Figure":
    """One figure of a solution: field, error, two cross sections, residual against nodes.

    In one dimension there is no map; beyond two, the other coordinates are fixed at their
    midpoints.
    """
    box, names = solution.problem.domain.bounding_box, _names(solution)
    middle = dict(zip(names, box.center, strict=True))
    fields = solution.problem.written_fields
    expression = None if len(fields) == 1 else fields[0]
    if reference is not None and expression is not None:
        reference = _of_field(reference, str(expression.func))
    if len(names) == 1:
        figure, axes = _pyplot().subplots(1, 2, figsize=(11, 4), layout="constrained")
        cross_section(solution, expression, reference=reference, ax=axes[0])
        residual_history(solution, ax=axes[1])
    else:
        figure, axes = _pyplot().subplots(2, 3, figsize=(14, 7.5), layout="constrained")
        beyond = {name: middle[name] for name in names[2:]}
        field_map(solution, expression, at=beyond, ax=axes[0, 0])
        if reference is not None:
            field_map(solution, expression, at=beyond, reference=reference, ax=axes[0, 1])
        else:
            axes[0, 1].set_axis_off()
        coordinate, values = sections or (names[1], _thirds(box.lower[1], box.upper[1]))
        fixed = {n: v for n, v in middle.items() if n != next(m for m in names if m != coordinate)}
        for ax, value in zip(axes[1], values, strict=False):
            at = {**fixed, coordinate: value}
            cross_section(solution, expression, at=at, reference=reference, ax=ax)
        residual_history(solution, ax=axes[0, 2])
        _facts(solution, axes[1, 2])
    return figure  # type: ignore[no-any-return]  # matplotlib is untyped here


def _of_field(reference: Reference, name: str) -> Reference:
    """The reference of one of several fields, if it is given as a mapping by name."""

    def own(**coordinates: Any) -> Any:
        values: Any = reference(**coordinates)
        return values[name] if isinstance(values, Mapping) else values

    return own


def _thirds(low: float, high: float) -> tuple[float, float]:
    return (low + (high - low) / 3, low + 2 * (high - low) / 3)


def _facts(solution: Solution, ax: "Axes") -> None:
    """The summary as text, if the grid of plots has a place to spare."""
    ax.set_axis_off()
    lines = [
        f"{type(solution.method).__name__}, {solution.n_nodes} nodes, {solution.seconds:.1f} s",
        "",
        f"{'':14}{'fitted':>10}{'held out':>10}",
    ]
    for kind in ("equations", "conditions", "observations"):
        own = [block for block in solution.block_residuals if block.kind == kind]
        if own:
            fitted = np.sqrt(np.mean([block.fitted**2 for block in own]))
            fresh = [block.held_out**2 for block in own if block.held_out is not None]
            held_out = f"{np.sqrt(np.mean(fresh)):>10.1e}" if fresh else f"{'-':>10}"
            lines.append(f"{kind:14}{fitted:>10.1e}{held_out}")
    if solution.known_error is not None:
        lines += ["", f"estimated relative error {solution.known_error.relative:.1e}"]
    lines += ["", *(f"{name} = {item.value:.6g}" for name, item in solution.unknowns.items())]
    ax.text(0.02, 0.95, "\n".join(lines), family="monospace", va="top", transform=ax.transAxes)


def close(figure: "Figure") -> None:
    """Free a figure that has been saved."""
    _pyplot().close(figure)
