"""The exception for invalid input, and how its messages quote the input."""

from typing import Any

_LONGEST = 120


class ProblemError(ValueError):
    """The problem cannot be solved as written; the message says why and what to do."""


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text, cut if it is too long for a message."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def brief(value: Any, longest: int = _LONGEST) -> str:
    """Any user input as a short text for a message."""
    try:
        return shortened(repr(value), longest)
    except (RecursionError, ValueError):  # nested too deeply, or a number with thousands of digits
        return f"<{type(value).__name__} too long to print>"
