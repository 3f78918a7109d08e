"""``piscm new``, ``check`` and ``schema``: problem files, before anything is solved."""

import json
from pathlib import Path
from typing import Annotated

import typer

from piscm.cli.app import app
from piscm.cli.telling import say, told


@app.command("new")
def new_file(
    path: Annotated[
        Path | None, typer.Argument(help="The file to write; left out, it is printed.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Write a commented problem file to start from."""
    with told():
        from piscm.cli.starter import STARTER
        from piscm.problem.errors import ProblemError
        from piscm.text.replacing import replacing

        if path is None:
            print(STARTER, end="")
            return
        if path.exists() and not force:
            raise ProblemError(f"{path} is there already; --force replaces it.")
        with replacing(path) as part:
            part.write_text(STARTER, encoding="utf-8")
        say(f"Written to {path}: piscm check {path}, piscm solve {path}")


@app.command("check", short_help="Show what was understood of a file, and what looks wrong.")
def check_file(
    file: Annotated[Path, typer.Argument(help="A problem file.")],
) -> None:
    """Show what was understood of a problem file, and what looks wrong in it.

    The exit code is 2 if there are mistakes, each told with its line and column, and 0 otherwise,
    also where something only looks wrong.
    """
    with told():
        from piscm.cli.checking import checked_text

        print(checked_text(file))


@app.command("schema")
def print_schema(
    markdown: Annotated[
        bool, typer.Option("--markdown", help="A page for people instead of one for editors.")
    ] = False,
) -> None:
    """Print the JSON schema of problem files, for editors."""
    with told():
        from piscm.files import reference_page, schema

        text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
        print(reference_page() if markdown else text, end="")
