"""How the command line talks to people, on standard error."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from piscm.cli.exit_codes import WRONG_INPUT


@contextmanager
def told(*others: type[Exception]) -> Iterator[None]:
    """Report errors that a user can fix, with an exit code."""
    from piscm.problem.errors import ProblemError

    mended: tuple[type[Exception], ...] = (ProblemError, ImportError, OSError, *others)
    try:
        yield
    except BrokenPipeError:
        raise  # nobody listens any more: the end is silent
    except mended as error:
        say(str(error), "error: ")
        raise typer.Exit(WRONG_INPUT) from None


def say(words: str, before: str = "") -> None:
    """A message on standard error."""
    from rich.console import Console
    from rich.text import Text

    from piscm.problem.errors import printable

    # Text, because a message may quote brackets that rich would interpret as markup.
    Console(stderr=True).print(Text.assemble((before, "red"), printable(words)), soft_wrap=True)
