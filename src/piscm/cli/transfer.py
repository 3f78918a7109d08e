"""Solutions to and from the files of other programs."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from piscm.problem.errors import ProblemError
from piscm.problem.nearest import did_you_mean
from piscm.result.solution import Solution
from piscm.text.replacing import replacing
from piscm.text.tables import read_columns
from piscm.text.writing import problem_text

_PRINTED = ("python", "c", "sympy", "toml")
_FILES = (
    ".py",
    ".c",
    ".onnx",
    ".txt",
    ".csv",
    ".parquet",
    ".nc",
    ".vtu",
    ".vtk",
    ".pvd",
    ".gif",
    ".html",
    ".png",
    ".toml",
)


def evaluated(path: Path, solution: Solution, expressions: Sequence[str]) -> tuple[Any, list[int]]:
    """A solution at the points of a table, columns matched by name; and rows outside of the domain.

    Values there are NaN: one point that has strayed costs nobody the rest of the table.
    """
    names = [symbol.name for symbol in solution.problem.domain.coordinates]
    columns = read_columns(path, names[:-1], names[-1:])
    at = np.column_stack([columns[name] for name in names])
    inside = solution.problem.domain.contains(at)
    if not inside.any():
        raise ProblemError(f"{path}: no point lies in the domain {solution.problem.domain}.")
    frame = solution.to_dataframe(expressions, points=dict(zip(names, at[inside].T, strict=True)))
    rows = frame.set_index(np.flatnonzero(inside)).reindex(range(len(at)))
    rows[names] = at
    return rows, [int(number) + 1 for number in np.flatnonzero(~inside)]


def write_frame(frame: Any, out: Path | None) -> None:
    """A table as CSV on the screen, or in a file."""
    if out is None:
        print(frame.to_csv(index=False), end="")
        return
    if out.suffix not in (".csv", ".parquet"):
        raise ProblemError(f"{out}: a table is written as .csv or .parquet.")
    with replacing(out) as part:
        if out.suffix == ".csv":
            frame.to_csv(part, index=False)
        else:
            frame.to_parquet(part, index=False)


def exported(solution: Solution, to: str, derivatives: int) -> Path | None:
    """Write or print a solution in another form; the path, if it was written."""
    if to.lower() in _PRINTED:
        print(_text(solution, to.lower(), derivatives))
        return None
    path = Path(to)
    kind = path.suffix.lower()
    if kind not in _FILES:
        near = did_you_mean(kind or to, [*_FILES, *_PRINTED])
        raise ProblemError(
            f"--to {to}{near}: give a file that ends in {', '.join(_FILES)}, or one of "
            f"{', '.join(_PRINTED)}."
        )
    written = {".py": "python", ".c": "c", ".txt": "sympy", ".toml": "toml"}
    if kind in written:
        with replacing(path) as part:
            part.write_text(_text(solution, written[kind], derivatives), encoding="utf-8")
    elif kind in (".csv", ".parquet"):
        write_frame(solution.to_dataframe(), path)
    elif kind == ".nc":
        # HDF5 refuses to open a file that holds a lock, as the part does.
        with TemporaryDirectory() as folder, replacing(path) as part:
            made = Path(folder) / "made.nc"
            solution.to_xarray().to_netcdf(made)
            part.write_bytes(made.read_bytes())
    elif kind == ".onnx":
        solution.to_onnx(path, derivatives=derivatives)
    elif kind in (".vtu", ".vtk"):
        solution.to_vtk(path)
    elif kind == ".pvd":
        solution.to_vtk(path, time=_time(solution))
    elif kind == ".png":
        _picture(solution, path)
    else:
        solution.animate(solution.problem.written_fields[0], path=path)
    return path


def _text(solution: Solution, form: str, derivatives: int) -> str:
    if form == "toml":
        return problem_text(solution.problem, {"units": dict(solution.units)})
    if form == "sympy":
        made = solution.to_sympy()
        table = (
            made if isinstance(made, dict) else {str(solution.problem.written_fields[0].func): made}
        )
        return "\n".join(f"{name} = {expression}" for name, expression in table.items())
    return solution.to_function(form, derivatives=derivatives)


def _time(solution: Solution) -> str:
    from piscm.plots.maps import is_time

    names: list[str] = [symbol.name for symbol in solution.problem.domain.coordinates]
    return next((name for name in reversed(names) if is_time(solution, name)), names[-1])


def _picture(solution: Solution, path: Path) -> None:
    from piscm.plots import close

    axes = solution.plot()
    figure = (axes if hasattr(axes, "figure") else axes[0]).figure
    with replacing(path) as part:
        figure.savefig(part, dpi=110)
    close(figure)
