"""What a run was made of: its points, its nodes, and where the equations are still violated."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piscm.network.activations import activation_named
from piscm.network.network import Network
from piscm.plots.canvas import (
    COLORS,
    SIZES,
    Units,
    axes_or_new,
    axis_of,
    fixed_text,
    free_names,
    label,
    names_of,
)
from piscm.plots.maps import draw_edges, draw_map, draw_shape, level_at, values_near
from piscm.problem.errors import ProblemError
from piscm.result.arguments import by_name, values_inside
from piscm.result.solution import Solution
from piscm.shapes.shape import Shape

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_GRID = 81
_MOST_LINES = 300


def residual_map(
    solution: Solution,
    *,
    at: Mapping[str, float] | None = None,
    units: Units | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """How much the equations are violated, over one or two coordinates, on a logarithmic scale.

    Of several equations it is the root of the sum of squares.
    """
    from matplotlib.colors import LogNorm

    at = _with_middle(solution, at, 2)
    free = free_names(solution, at)
    ax, problem = axes_or_new(ax), solution.problem
    axes = [axis_of(solution, name, 401 if len(free) == 1 else _GRID) for name in free]
    mesh = dict(zip(free, np.meshgrid(*axes), strict=True))
    outline = level_at(solution, {**mesh, **at}) if len(free) == 2 else None
    if outline is None:
        values = shown = values_inside(_violation(solution), problem, None, {**mesh, **at})
    else:
        values = values_near(solution, _violation_at(solution), {**mesh, **at}, outline)
        shown = np.where(outline <= 0, values, np.nan)
    smallest = float(np.nanmax(shown, initial=0.0)) * 1e-8 or 1e-16
    values, shown = np.maximum(values, smallest), np.maximum(shown, smallest)
    title = f"residual of the equations   {fixed_text(problem, at, units)}".rstrip()
    if len(free) == 1:
        ax.semilogy(axes[0], values, color=COLORS[0], linewidth=1)
        ax.set(xlabel=label(problem, free[0], units), ylabel="residual", title=title)
        draw_edges(ax, solution, free[0], None)
        return ax
    low, high = float(np.nanmin(shown)), float(np.nanmax(shown))
    norm = LogNorm(low, max(high, low * 1.0001))
    draw_map(ax, axes[0], axes[1], values, SIZES, low, high, norm=norm)
    ax.set(
        xlabel=label(problem, free[0], units), ylabel=label(problem, free[1], units), title=title
    )
    if outline is not None and (outline > 0).any():
        draw_shape(ax, axes[0], axes[1], outline)
    draw_edges(ax, solution, *free)
    return ax


def _violation(solution: Solution) -> Any:
    """The size of the residual of all equations, as a function that takes what a solution does."""
    at, names = _violation_at(solution), names_of(solution)
    return lambda _, **own: at(np.stack([own[name] for name in names], axis=-1))


def _violation_at(solution: Solution) -> Callable[[Floats], Floats]:
    """The same as a function of points."""

    def size(points: Floats) -> Floats:
        values = np.atleast_2d(solution.residual.near(points))
        return np.asarray(np.sqrt(np.sum(values**2, axis=0)))

    return size


def _with_middle(solution: Solution, at: Mapping[str, float] | None, most: int) -> dict[str, float]:
    """Coordinates beyond so many fixed at their midpoints."""
    fixed = by_name(at)
    middle = dict(zip(names_of(solution), solution.problem.domain.bounding_box.center, strict=True))
    for name in free_names(solution, fixed)[most:]:
        fixed[name] = float(middle[name])
    return fixed


def points(solution: Solution, *, units: Units | None = None, ax: "Axes | None" = None) -> "Axes":
    """The points at which equations, conditions and data were fitted.

    In one dimension as ticks, beyond two as seen along the other coordinates.
    """
    ax, problem, names = axes_or_new(ax), solution.problem, names_of(solution)
    groups = {kind: array for kind, array in solution.points.items() if len(array)}
    if problem.observations:
        groups["observations"] = np.concatenate(
            [np.asarray(o.points) for o in problem.observations]
        )
    if not groups:
        raise ProblemError("This solution has no record of its points.")
    for row, (kind, array) in enumerate(groups.items()):
        style: dict[str, Any] = {
            "color": COLORS[row % len(COLORS)],
            "label": f"{kind}: {len(array)}",
        }
        if len(names) == 1:
            thin: dict[str, Any] = {"markersize": 14, "markeredgewidth": 0.6, "alpha": 0.6}
            ax.plot(array[:, 0], np.full(len(array), row), "|", **thin, **style)
        else:
            marker = ("o", "s", "^")[row % 3]
            ax.plot(array[:, 0], array[:, 1], marker, markersize=2.5, linestyle="", **style)
    ax.set(xlabel=label(problem, names[0], units), title="where the points are")
    if len(names) == 1:
        ax.set_yticks([])
        ax.set_ylim(len(groups) - 0.4, -1.4)
    else:
        ax.set_ylabel(label(problem, names[1], units))
        if isinstance(problem.domain, Shape):
            ax.set_aspect("equal")
    draw_edges(ax, solution, names[0], None)
    ax.legend(frameon=True, loc="upper right", fontsize="small", markerscale=1.5)
    return ax


def nodes(solution: Solution, *, units: Units | None = None, ax: "Axes | None" = None) -> "Axes":
    """Where the nodes are, and how steep.

    A node is g(w·x + b). In one dimension it is drawn at its place -b/w, and in two as the line
    w·x + b = 0 where it stands (tanh, Gaussian); waves, which have no place, by their wave numbers.
    """
    network = solution.network
    if not isinstance(network, Network) or not len(network.nodes):
        raise ProblemError("This solution has no nodes to show.")
    ax, problem, names = axes_or_new(ax), solution.problem, names_of(solution)
    weights, biases = network.nodes.weights, network.nodes.biases
    size = np.linalg.norm(network.weights, axis=1)
    shade = np.log10(np.maximum(size, 1e-12 * size.max()) + 1e-300)
    located = activation_named(network.activation).localized
    if located and len(names) == 2:
        _ridges(ax, solution, weights, biases)
    elif located and len(names) == 1:
        with np.errstate(all="ignore"):
            place = -biases / weights[:, 0]
        image = ax.scatter(place, np.abs(weights[:, 0]), c=shade, s=10, cmap="cividis")
        ax.figure.colorbar(image, ax=ax, label="log10 of the output weight")
        low, high = problem.domain.bounding_box.lower[0], problem.domain.bounding_box.upper[0]
        ax.set_xlim(low - 0.2 * (high - low), high + 0.2 * (high - low))
        ax.set(xlabel=label(problem, names[0], units), ylabel="steepness |w|", yscale="log")
    else:
        across = np.abs(weights[:, 0])
        up = np.abs(weights[:, 1]) if len(names) > 1 else np.abs(biases)
        image = ax.scatter(across, up, c=shade, s=10, cmap="cividis")
        ax.figure.colorbar(image, ax=ax, label="log10 of the output weight")
        ax.set_xlabel(f"|w| along {label(problem, names[0], None)}")
        ax.set_ylabel(f"|w| along {label(problem, names[1], None)}" if len(names) > 1 else "|b|")
    ax.set_title(f"{len(network.nodes)} {network.activation} nodes")
    return ax


def _ridges(ax: "Axes", solution: Solution, weights: Floats, biases: Floats) -> None:
    """The lines w·x + b = 0, at most some of them, each across the bounding box."""
    from matplotlib.collections import LineCollection

    box, names = solution.problem.domain.bounding_box, names_of(solution)
    center, reach = np.asarray(box.center), float(np.linalg.norm(box.width))
    chosen = np.linspace(0, len(biases) - 1, min(len(biases), _MOST_LINES)).astype(int)
    lines = []
    for weight, bias in zip(weights[chosen], biases[chosen], strict=True):
        length = float(weight @ weight)
        if length > 0:
            foot = center - (weight @ center + bias) / length * weight
            along = np.array([-weight[1], weight[0]]) / np.sqrt(length)
            lines.append([foot - reach * along, foot + reach * along])
    ax.add_collection(LineCollection(lines, colors=COLORS[0], linewidths=0.6, alpha=0.35))
    ax.set(
        xlim=(box.lower[0], box.upper[0]),
        ylim=(box.lower[1], box.upper[1]),
        xlabel=label(solution.problem, names[0], None),
        ylabel=label(solution.problem, names[1], None),
    )
