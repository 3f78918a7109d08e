"""The exception for invalid input, and how its messages quote the input."""

import re
from typing import Any

_LONGEST = 120  # what is quoted
_MESSAGE = 900  # in longer messages, long words lose their middle
_WORD, _END = re.compile(r"\S{201,}"), 90


class IllPosedWarning(UserWarning):
    """A problem that seems to lack conditions; it is solved all the same."""


class ProblemError(ValueError):
    """The problem cannot be solved as written; the message says why and what to do.

    Words of any length that it quotes are cut.
    """

    def __init__(self, message: str = "") -> None:
        if len(message) > _MESSAGE:
            message = _WORD.sub(lambda word: f"{word[0][:_END]}...{word[0][-_END:]}", message)
        super().__init__(message)


NAME = (-1, -1)
"""The span of a mistake that is the name of an entry, not its value."""


class FormulaError(ProblemError):
    """A mistake in the text of a formula; `span` is where it begins and ends in the text."""

    def __init__(self, message: str, span: tuple[int, int] | None) -> None:
        super().__init__(message)
        self.span = span

    def __reduce__(self) -> tuple[Any, ...]:
        return FormulaError, (str(self), self.span)


class KeyedProblemError(ProblemError):
    """A mistake in a document.

    `key` is the way to where it is: names, and positions in lists; `span` is where in the text that
    stands there.
    """

    def __init__(
        self, message: str, key: tuple[str | int, ...], span: tuple[int, int] | None = None
    ) -> None:
        super().__init__(message)
        self.key, self.span = key, span

    def __reduce__(self) -> tuple[Any, ...]:
        return KeyedProblemError, (str(self), self.key, self.span)


class UnfitError(Exception):
    """A part that cannot be used; the message continues a sentence that begins with the part."""


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text, cut if it is too long for a message."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def printable(text: str) -> str:
    """A text without control characters, which could command a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def brief(value: Any, longest: int = _LONGEST) -> str:
    """Any user input as a short text for a message."""
    try:
        return shortened(repr(value), longest)
    except (RecursionError, ValueError):  # nested too deeply, or a number with thousands of digits
        return f"<{type(value).__name__} too long to print>"


_DERIVATIVE = re.compile(r"Derivative\((\w+)\([\w, ]*\)((?:, (?:\w+|\(\w+, \d+\)))+)\)")
_INTERFACE = re.compile(r" on the interface of (\w+) and (\w+)$")
_BY = re.compile(r", (?:(\w+)|\((\w+), (\d+)\))")


def _subscripted(found: re.Match[str]) -> str:
    by = (once or many * int(count) for once, many, count in _BY.findall(found[2]))
    return f"{found[1]}_{''.join(by)}"


def fitted_name(name: str, width: int) -> str:
    """A name that fits; where a condition holds is its end, and is kept.

    Derivatives are written with subscripts first, as ``u_xx``, and interfaces as ``left|right``.
    """
    if len(name) <= width:
        return name
    name = _INTERFACE.sub(r" on \1|\2", _DERIVATIVE.sub(_subscripted, name))
    if len(name) <= width:
        return name
    head, on, place = name.rpartition(" on ")
    end = f"...{on}{place}" if on and len(on) + len(place) < width - 8 else "..."
    return (head if on else name)[: width - len(end)] + end
