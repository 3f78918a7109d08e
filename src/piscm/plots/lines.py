"""Lines along one coordinate, with data and error bands."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from piscm.plots.canvas import (
    COLORS,
    DASHES,
    Reference,
    Units,
    axes_or_new,
    axis_of,
    fixed_text,
    free_names,
    label,
    names_of,
)
from piscm.plots.maps import draw_edges, level_at
from piscm.problem.errors import ProblemError
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, by_name, drawn_as, only_field, values_inside
from piscm.result.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

_POINTS = 401
_ON_IT = 1e-9  # of the size of a map: a point on a boundary, up to round-off
_BAND = 2.0  # standard errors: about 95 %


def cross_section(
    solution: Solution,
    expression: Expression | str | None = None,
    *,
    at: Mapping[str, float] | None = None,
    reference: Reference | None = None,
    units: Units | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """An expression along the one coordinate that `at` leaves free, drawn over its reference.

    Data and the 95 % band of error bars are drawn where there are some.
    """
    at = by_name(at)
    free = free_names(solution, at)
    if len(free) != 1:
        raise ProblemError(
            f"A cross section needs one free coordinate, not {len(free)}: fix others, at={{...}}."
        )
    ax, problem = axes_or_new(ax), solution.problem
    meant = only_field(problem) if expression is None else as_written(problem, expression)
    meant = drawn_as(meant)[0]
    along = axis_of(solution, free[0], _POINTS)
    if reference is not None:
        truth = np.asarray(reference(**{free[0]: along}, **at), dtype=float)
        beside = level_at(solution, {free[0]: along, **at})
        if beside is not None:  # nothing is known there
            truth = np.where(beside <= _ON_IT * np.abs(beside).max(), truth, np.nan)
        ax.plot(along, truth, color="0.65", linewidth=4, label="reference")
    _line(ax, solution, meant, along, free[0], at, 0 if reference is None else 1, "piscm")
    ax.set(
        xlabel=label(problem, free[0], units),
        ylabel=label(problem, meant, units),
        title=fixed_text(problem, at, units),
    )
    draw_edges(ax, solution, free[0], None)
    ax.legend(frameon=False)
    return ax


def profile(
    solution: Solution,
    expressions: Sequence[Expression | str] | None = None,
    *,
    at: Mapping[str, float] | None = None,
    units: Units | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Every field along one coordinate in one picture, with data and error bands."""
    at = by_name(at)
    free = free_names(solution, at)
    if len(free) != 1:
        raise ProblemError(f"A profile needs one free coordinate, not {len(free)}: use at={{...}}.")
    ax, problem = axes_or_new(ax), solution.problem
    wanted = [as_written(problem, item) for item in expressions or problem.shown_fields]
    chosen = [own for item in wanted for own in drawn_as(item)]
    along = axis_of(solution, free[0], _POINTS)
    for number, item in enumerate(chosen):
        name = label(problem, item, units)
        _line(ax, solution, item, along, free[0], at, number, name)
    ax.set(xlabel=label(problem, free[0], units), title=fixed_text(problem, at, units))
    if len(chosen) == 1:
        ax.set_ylabel(label(problem, chosen[0], units))
    draw_edges(ax, solution, free[0], None)
    if len(ax.get_legend_handles_labels()[0]) > 1:
        ax.legend(frameon=False)
    return ax


def _line(
    ax: "Axes",
    solution: Solution,
    expression: Any,
    along: Floats,
    name: str,
    at: Mapping[str, float],
    number: int,
    words: str,
) -> None:
    """One line, with its band and the data of the same expression."""
    problem = solution.problem
    style: dict[str, Any] = {
        "color": COLORS[number % len(COLORS)],
        "linestyle": DASHES[number % len(DASHES)],
    }
    values = values_inside(solution, problem, expression, {name: along, **at})
    ax.plot(along, values, label=words, zorder=3, **style)
    if solution.uncertainty is not None:
        bars = _BAND * values_inside(solution.std, problem, expression, {name: along, **at})
        if np.isfinite(bars).any():
            ax.fill_between(
                along, values - bars, values + bars, color=style["color"], alpha=0.2, linewidth=0
            )
    if not at:
        draw_data(ax, solution, expression, style["color"])


def draw_data(ax: "Axes", solution: Solution, expression: Any, color: str) -> None:
    """The observations of an expression in one dimension, with their noise if it is given."""
    for data in solution.problem.observations:
        if data.expression == expression and len(names_of(solution)) == 1:
            ax.errorbar(
                np.asarray(data.points)[:, 0],
                np.asarray(data.values),
                yerr=data.noise,
                fmt="o",
                markersize=3.5,
                color=color,
                markerfacecolor="white",
                elinewidth=0.8,
                label="data",
                zorder=2,
            )
