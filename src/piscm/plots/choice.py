"""The picture that suits a solution."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.plots.canvas import (
    Reference,
    Units,
    free_names,
    names_of,
    pyplot,
)
from piscm.plots.growth import residual_history
from piscm.plots.insides import nodes, points, residual_map
from piscm.plots.lines import cross_section, profile
from piscm.plots.maps import field_map, is_time, slice_values
from piscm.plots.parameters import correlation, unknowns
from piscm.problem.errors import ProblemError
from piscm.problem.nearest import did_you_mean
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, by_name, drawn_as, values_inside
from piscm.result.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Draw = Callable[["Axes"], Any]

# Fields whose sizes differ by more than this do not share one picture of lines.
_ALIKE = 30.0

KINDS: dict[str, Callable[..., Any]] = {
    "growth": residual_history,
    "points": points,
    "nodes": nodes,
    "residual": residual_map,
    "unknowns": unknowns,
    "correlation": correlation,
}
"""What `plot(kind=...)` knows besides the fields."""


def plot(
    solution: Solution,
    expression: Expression | str | Sequence[Expression | str] | None = None,
    *,
    kind: str | None = None,
    at: Mapping[str, float] | None = None,
    reference: Reference | None = None,
    units: Units | None = None,
    ax: "Axes | Sequence[Axes] | None" = None,
) -> Any:
    """A picture that suits the problem.

    Lines in one dimension, maps in two, slices in three; beyond that, coordinates are fixed at
    their midpoints. Every field is shown, with data and error bands where there are some, the edges
    of windows, and the unknowns with their uncertainty and correlation.

    Parameters
    ----------
    expression : sympy.Expr or str, or several, optional
        What to show instead of the fields, as ``"u_x"`` or ``["u", "u**2"]``.
    kind : {"fields", "growth", "points", "nodes", "residual", "unknowns", "correlation"}, optional
        What to show: the fields (the default), how the residual fell, where points and nodes are,
        where the equations are violated, the unknowns.
    at : mapping of coordinate names to values, optional
        Fixes coordinates.
    reference : callable, optional
        ``reference(x=..., t=...)``, drawn beneath a line; of a map the error is drawn beside it.
    units : mapping of names to units, optional
        ``{"x": "m", "u": "K"}``, for the labels; by default those of the problem file.
    ax : matplotlib Axes, or as many as there are panels, optional

    Returns
    -------
    matplotlib Axes, or an array of them if there are several panels
    """
    units = solution.units if units is None else units
    if kind is not None and kind != "fields":
        if kind not in KINDS:
            known = ", ".join(["fields", *KINDS])
            near = did_you_mean(str(kind), ["fields", *KINDS])
            raise ProblemError(f"kind={kind!r} is not known{near}; known: {known}.")
        return KINDS[kind](solution, **_accepted(kind, at, units), ax=ax)
    panels = _panels(solution, expression, by_name(at), reference, units)
    whole = expression is None and kind is None and not at
    if whole and ax is None and solution.unknowns and solution.uncertainty is not None:
        about: list[Draw] = [lambda own: unknowns(solution, units=units, ax=own)]
        if len(solution.unknowns) > 1:
            about.append(lambda own: correlation(solution, ax=own))
        panels = [panels[0] + about] if len(panels) == len(panels[0]) == 1 else [*panels, about]
    return _drawn(panels, ax)


def _accepted(kind: str, at: Mapping[str, float] | None, units: Units | None) -> dict[str, Any]:
    options: dict[str, Any] = {} if kind in ("growth", "correlation") else {"units": units}
    return {**options, "at": at} if kind == "residual" else options


def _panels(
    solution: Solution,
    expression: Any,
    at: dict[str, float],
    reference: Reference | None,
    units: Units | None,
) -> list[list[Draw]]:
    """Rows of things to draw."""
    problem = solution.problem
    listed = expression if isinstance(expression, list | tuple) else [expression]
    wanted = problem.shown_fields if expression is None else listed
    chosen = [own for item in wanted for own in drawn_as(as_written(problem, item))]
    names, box = names_of(solution), problem.domain.bounding_box
    free = free_names(solution, at)
    middle = dict(zip(names, map(float, box.center), strict=True))
    while len(free) > 3:  # time stays
        last = next(name for name in reversed(free) if not is_time(solution, name))
        at[last] = middle[last]
        free.remove(last)
    if len(free) == 1:
        return _lines(solution, chosen, at, reference, units)
    if len(free) == 2:
        return [_maps(solution, item, at, reference, units) for item in chosen]
    along = next((name for name in reversed(free) if is_time(solution, name)), free[-1])
    values = slice_values(solution, along)
    return [_sliced(solution, item, at, along, values, units) for item in chosen]


def _lines(
    solution: Solution,
    chosen: list[Any],
    at: dict[str, float],
    reference: Reference | None,
    units: Units | None,
) -> list[list[Draw]]:
    if len(chosen) == 1 and reference is not None:
        only = chosen[0]

        def with_reference(ax: "Axes") -> Any:
            return cross_section(solution, only, at=at, reference=reference, units=units, ax=ax)

        return [[with_reference]]
    sizes = [_size(solution, item, at) for item in chosen]
    if max(sizes) <= _ALIKE * max(min(sizes), 1e-300):
        return [[lambda ax: profile(solution, chosen, at=at, units=units, ax=ax)]]
    return [
        [lambda ax, item=item: profile(solution, [item], at=at, units=units, ax=ax)]  # type: ignore[misc]
        for item in chosen
    ]


def _size(solution: Solution, item: Any, at: dict[str, float]) -> float:
    (free,) = free_names(solution, at)
    index = names_of(solution).index(free)
    box = solution.problem.domain.bounding_box
    along = np.linspace(box.lower[index], box.upper[index], 50)
    values = values_inside(solution, solution.problem, item, {free: along, **at})
    return float(np.nanmax(np.abs(values))) if np.isfinite(values).any() else 0.0


def _maps(
    solution: Solution,
    item: Any,
    at: dict[str, float],
    reference: Reference | None,
    units: Units | None,
) -> list[Draw]:
    """The map of one expression, its error or its standard error beside it."""

    def values(ax: "Axes") -> Any:
        made = field_map(solution, item, at=at, units=units, ax=ax)
        _mark_data(made, solution, item, at)
        return made

    panels: list[Draw] = [values]
    if reference is not None:
        own = of_field(reference, str(getattr(item, "func", item)))
        panels.append(
            lambda ax: field_map(solution, item, at=at, reference=own, units=units, ax=ax)
        )
    if solution.uncertainty is not None and isinstance(solution.network, Network | Patchwork):
        panels.append(lambda ax: field_map(solution, item, at=at, std=True, units=units, ax=ax))
    return panels


def _mark_data(ax: "Axes", solution: Solution, item: Any, at: Mapping[str, float]) -> None:
    """Where an expression was observed."""
    if at:
        return
    for data in solution.problem.observations:
        if data.expression == item:
            places = np.asarray(data.points)
            ax.plot(places[:, 0], places[:, 1], "o", ms=3, mfc="none", mec="white", mew=0.8)


def _sliced(
    solution: Solution,
    item: Any,
    at: dict[str, float],
    along: str,
    values: list[float],
    units: Units | None,
) -> list[Draw]:
    free = [name for name in free_names(solution, at) if name != along]
    index = [names_of(solution).index(name) for name in free]
    box = solution.problem.domain.bounding_box
    mesh = np.meshgrid(*(np.linspace(box.lower[i], box.upper[i], 41) for i in index))
    known: dict[str, Any] = {**dict(zip(free, mesh, strict=True)), **at}
    every = np.stack(
        [values_inside(solution, solution.problem, item, {**known, along: v}) for v in values]
    )
    finite = np.isfinite(every).any()
    limits = (float(np.nanmin(every)), float(np.nanmax(every))) if finite else (0.0, 1.0)

    def one(value: float) -> Draw:
        place = {**at, along: value}
        return lambda ax: field_map(solution, item, at=place, units=units, limits=limits, ax=ax)

    return [one(value) for value in values]


def of_field(reference: Reference, name: str) -> Reference:
    """The reference of one of several fields, if it is given as a mapping by name."""

    def own(**coordinates: Any) -> Any:
        values: Any = reference(**coordinates)
        return values[name] if isinstance(values, Mapping) else values

    return own


def _drawn(rows: list[list[Draw]], ax: Any) -> Any:
    """Draw every panel, on the axes given or on a new figure."""
    flat = [panel for row in rows for panel in row]
    if ax is not None:
        given = list(np.ravel(ax))
        if len(given) != len(flat):
            raise ProblemError(
                f"ax holds {len(given)} axes and the picture has {len(flat)} panels: give as many, "
                "or name one expression."
            )
        for own, panel in zip(given, flat, strict=True):
            panel(own)
        return ax
    columns = max(map(len, rows))
    size = (4.6 * columns + 0.8, 3.5 * len(rows))
    figure, grid = pyplot().subplots(
        len(rows), columns, figsize=size, layout="constrained", squeeze=False
    )
    made = []
    for row, places in zip(rows, grid, strict=True):
        for panel, own in zip(row, places, strict=False):
            panel(own)
            made.append(own)
        for spare in places[len(row) :]:
            figure.delaxes(spare)
    return made[0] if len(made) == 1 else np.array(made, dtype=object)
