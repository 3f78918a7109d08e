"""A solution as a notebook shows it: how it ended, how good it is, what was chosen, a picture."""

from base64 import b64encode
from html import escape
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from piscm.problem.errors import ProblemError
from piscm.problem.typeset import formula

if TYPE_CHECKING:
    from piscm.result.solution import Solution

_OK, _FAILED, _OTHER = "#2e7d32", "#c62828", "#8a6d00"
_CELL = "padding:.1em 1em .1em 0;text-align:left;vertical-align:top"


def solution_html(solution: "Solution") -> str:
    """The summary as a table, and a small picture if matplotlib is there."""
    status = solution.status
    color = _OK if status.ok else _FAILED if status.failed else _OTHER
    rows = "".join(
        f'<tr><td style="{_CELL};opacity:.7">{name}</td><td style="{_CELL}">{value}</td></tr>'
        for name, value in _facts(solution)
    )
    notes = "".join(
        f"<div>{escape(text)}</div>" for text in (solution.undetermined, *solution.remarks) if text
    )
    fields = ", ".join(escape(str(item)) for item in solution.problem.fields)
    return (
        '<div class="piscm-solution" style="display:flex;flex-wrap:wrap;gap:1.5em">'
        f'<div style="flex:1 1 20em"><div><strong>Solution</strong> for {fields}</div>'
        f'<div><strong style="color:{color}">{status.name.lower().replace("_", " ")}</strong>: '
        f"{escape(status.value)}</div>{notes}"
        f'<table style="border-collapse:collapse;margin:.4em 0;border:0">{rows}</table></div>'
        f"{_picture(solution)}</div>"
    )


def _facts(solution: "Solution") -> list[tuple[str, str]]:
    method, chosen = solution.method, solution.method.chosen(solution.network)
    asked = f", asked for {method.asked:g}" if method.asked else ""
    facts = [
        ("method", f"{type(method).__name__}{f': {escape(chosen)}' if chosen else ''}"),
        ("size", f"{solution.n_nodes} nodes, {solution.seconds:.2f} s, seed {solution.seed}"),
        ("residual", f"{solution.fitted_residual:.1e}{'' if solution.known_error else asked}"),
    ]
    if solution.known_error is not None:
        error = f"{solution.known_error.relative:.1e}{asked}"
        facts.append(("estimated relative error", error))
    found = solution.unknowns  # without the factors of singular functions
    for symbol in solution.problem.unknowns:
        if symbol.name in found:
            facts.append((formula(symbol), str(found[symbol.name])))
    return facts


def _picture(solution: "Solution") -> str:
    """The first field as an image inside the page; nothing without matplotlib."""
    try:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(3.6, 2.6), layout="constrained")
        _draw(solution, figure.add_subplot())
    except (ImportError, ProblemError):
        return ""
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=90)
    data = b64encode(buffer.getvalue()).decode()
    return f'<img alt="the solution" src="data:image/png;base64,{data}" style="max-width:100%">'


def _draw(solution: "Solution", ax: Any) -> None:
    """A map over the first two coordinates, the others in their middle; in one, all fields."""
    problem, plots = solution.problem, import_module("piscm.plots")
    box = problem.domain.bounding_box
    if problem.domain.dimension > 1:
        names = [symbol.name for symbol in box.coordinates]
        middle = dict(zip(names[2:], map(float, box.center[2:]), strict=True))
        plots.field_map(solution, problem.fields[0], at=middle, ax=ax)
        ax.set_title(str(problem.fields[0].func))
        return
    along = np.linspace(float(box.lower[0]), float(box.upper[0]), 161)
    name = box.coordinates[0].name
    for item in problem.fields:
        ax.plot(along, solution(item, **{name: along}), label=str(item.func))
    ax.set_xlabel(name)
    ax.legend(frameon=False)
