"""Two solutions beside each other."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from piscm.cli.output import row_of
from piscm.files import read_problem_file
from piscm.loading import load
from piscm.problem.errors import ProblemError
from piscm.result.solution import Solution

_POINTS = 2000


def compared(first: str, second: str) -> dict[str, Any]:
    """What both say, and how far they are apart."""
    solutions = [_solution(first), _solution(second)]
    one, two = solutions
    names = [[symbol.name for symbol in item.problem.domain.coordinates] for item in solutions]
    if names[0] != names[1]:
        raise ProblemError(
            f"{first} has the coordinates {', '.join(names[0])}, {second} {', '.join(names[1])}."
        )
    fields = [{str(item.func) for item in own.problem.written_fields} for own in solutions]
    shared = [str(f.func) for f in one.problem.written_fields if str(f.func) in fields[1]]
    if not shared:
        raise ProblemError(f"{first} and {second} have no field in common.")
    points = _common_points(one, two)
    at = dict(zip(names[0], points.T, strict=True))
    apart = {}
    for name in shared:
        a, b = one(name, **at), two(name, **at)
        both = np.isfinite(a) & np.isfinite(b)
        rms = float(np.sqrt(np.mean((a - b)[both] ** 2))) if both.any() else math.nan
        size = float(np.sqrt(np.mean(b[both] ** 2))) if both.any() else math.nan
        largest = float(np.max(np.abs((a - b)[both]))) if both.any() else math.nan
        apart[name] = {"rms": rms, "relative": rms / size if size else math.nan, "max": largest}
    rows = [
        row_of(name, type(own.method).__name__, own)
        for name, own in zip((first, second), solutions, strict=True)
    ]
    return {
        "solutions": rows,
        "points": len(points),
        "fields": {k: {n: _plain(v) for n, v in own.items()} for k, own in apart.items()},
        "unknowns": _unknowns(one, two),
    }


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _solution(name: str) -> Solution:
    if Path(name).suffix.lower() == ".toml":
        return read_problem_file(name).solve()
    return load(name)


def _common_points(one: Solution, two: Solution) -> np.ndarray:
    """Points that lie in both domains."""
    boxes = [item.problem.domain.bounding_box for item in (one, two)]
    low = np.maximum(boxes[0].lower, boxes[1].lower)
    high = np.minimum(boxes[0].upper, boxes[1].upper)
    if not (low < high).all():
        raise ProblemError("The domains have nothing in common.")
    points = low + np.random.default_rng(0).random((_POINTS, len(low))) * (high - low)
    inside = [item.problem.domain.contains(points) for item in (one, two)]
    points = points[inside[0] & inside[1]]
    if not len(points):
        raise ProblemError("The domains have nothing in common.")
    return np.asarray(points)


def _unknowns(one: Solution, two: Solution) -> dict[str, Any]:
    """The difference of unknowns that both have, and in standard errors."""
    made = {}
    others = two.unknowns
    for name, own in one.unknowns.items():
        if name in others:
            difference = own.value - others[name].value
            error = math.hypot(own.stderr, others[name].stderr)
            sigmas = difference / error if error > 0 and math.isfinite(error) else None
            made[name] = {"difference": difference, "standard_errors": sigmas}
    return made


def comparison_text(made: dict[str, Any]) -> str:
    """The same for people."""
    first, second = made["solutions"]
    rows: list[tuple[Any, ...]] = [("", first["problem"], second["problem"])]
    for key in ("method", "nodes", "residual", "status", "seconds"):
        rows.append((key, _short(first[key]), _short(second[key])))
    estimates = [row["estimate"] and row["estimate"]["relative"] for row in (first, second)]
    rows.append(("estimated error", *map(_short, estimates)))
    for name in {**first["unknowns"], **second["unknowns"]}:
        own = [row["unknowns"].get(name) for row in (first, second)]
        rows.append(
            (name, *(f"{o['value']:.6g} ± {_short(o['stderr'])}" if o else "" for o in own))
        )
    widths = [max(len(str(row[i])) for row in rows) for i in range(3)]
    lines = [
        "  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    lines.append("")
    for name, own in made["fields"].items():
        lines.append(
            f"{name}: apart by {_short(own['rms'])} (rms), {_short(own['relative'])} relative, "
            f"{_short(own['max'])} at most, at {made['points']} points"
        )
    for name, own in made["unknowns"].items():
        if own["standard_errors"] is not None:
            lines.append(f"{name}: apart by {abs(own['standard_errors']):.2g} standard errors")
    return "\n".join(lines)


def _short(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
