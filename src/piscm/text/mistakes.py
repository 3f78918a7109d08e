"""All mistakes of a document, each with where it is."""

from collections.abc import Iterator
from contextlib import contextmanager

from piscm.problem.errors import KeyedProblemError
from piscm.text.keys import at


class Mistakes:
    """Collects mistakes, so that a user learns of all of them at once."""

    def __init__(self) -> None:
        self.found: list[KeyedProblemError] = []

    @contextmanager
    def at(self, *key: str | int) -> Iterator[None]:
        """A mistake inside is noted at this key, and what comes after goes on."""
        try:
            with at(*key):
                yield
        except KeyedProblemError as error:
            self.found.append(error)

    def raise_first(self) -> None:
        """Raise the first mistake, if there is one."""
        if self.found:
            raise self.found[0]

    def __bool__(self) -> bool:
        return bool(self.found)
