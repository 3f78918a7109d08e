"""``piscm show``, ``eval``, ``export`` and ``compare``: saved solutions."""

from pathlib import Path
from typing import Annotated

import typer

from piscm.cli.app import app
from piscm.cli.telling import say, told

_ROWS_TOLD = 10
Saved = Annotated[Path, typer.Argument(help="A solution saved by piscm (.npz).")]


@app.command("show", short_help="Show a saved solution, and how well it holds.")
def show(
    file: Saved,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Show a saved solution: its problem, its status, how well everything holds."""
    with told():
        import json

        from piscm.cli.output import row_of
        from piscm.loading import load

        solution = load(file)
        if as_json:
            row = row_of(file.stem, type(solution.method).__name__, solution)
            print(json.dumps(row))
        else:
            print(solution.problem)
            print(solution)


@app.command("eval", short_help="Evaluate a saved solution at the points of a table.")
def evaluate(
    file: Saved,
    at: Annotated[
        Path, typer.Option(help="A table of points (.csv, .parquet) with a column a coordinate.")
    ],
    expression: Annotated[
        list[str] | None, typer.Option(help="Also this, as u_x or u**2; may be repeated.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the table here (.csv, .parquet), not to the screen.")
    ] = None,
) -> None:
    """Evaluate a saved solution at the points of a table; columns are matched by name.

    Points outside of the domain have no values: their rows are told, and hold NaN (empty in CSV).
    """
    with told():
        from piscm.cli.transfer import evaluated, write_frame
        from piscm.loading import load

        solution = load(file)
        frame, outside = evaluated(at, solution, expression or [])
        if outside:
            more = ", ..." if len(outside) > _ROWS_TOLD else ""
            rows = ", ".join(map(str, outside[:_ROWS_TOLD]))
            say(
                f"{len(outside)} of {len(frame)} points lie outside of the domain "
                f"{solution.problem.domain} and have no values: rows {rows}{more}",
                "warning: ",
            )
        write_frame(frame, out)


@app.command("export")
def export(
    file: Saved,
    to: Annotated[
        str,
        typer.Option(
            help="A file: .py, .c, .onnx, .txt (the formula), .csv, .parquet, .nc, .vtu, .pvd (a "
            "series in time), .gif, .html, .png, .toml (the problem); or python, c, sympy, toml to "
            "print."
        ),
    ],
    derivatives: Annotated[
        int, typer.Option(help="Of source code and ONNX: the highest order.")
    ] = 2,
) -> None:
    """Write a saved solution for another program."""
    with told():
        from piscm.cli.transfer import exported
        from piscm.loading import load

        written = exported(load(file), to, derivatives)
        if written is not None:
            say(f"Written to {written}")


@app.command("compare", short_help="Compare two solutions, and how far they are apart.")
def compare(
    first: Annotated[str, typer.Argument(help="A saved solution, or a problem file to solve.")],
    second: Annotated[str, typer.Argument(help="Another one of the same fields.")],
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
) -> None:
    """Compare two solutions: settings, quality, unknowns, and how far the fields are apart."""
    with told():
        from piscm.cli.comparing import compared, comparison_text

        made = compared(first, second)
        import json

        print(json.dumps(made) if as_json else comparison_text(made))
