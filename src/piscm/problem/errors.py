"""The one exception for input that cannot be worked with, and how its messages quote the input."""

from typing import Any

_LONGEST = 120


class ProblemError(ValueError):
    """What the user wrote cannot be solved as it stands; the message says why and what to do."""


def shortened(text: str, longest: int = _LONGEST) -> str:
    """A text, cut where it is too long for a message."""
    return text if len(text) <= longest else text[: longest - 3] + "..."


def brief(value: Any, longest: int = _LONGEST) -> str:
    """Whatever the user gave, as a short text for a message."""
    try:
        return shortened(repr(value), longest)
    except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
        return f"<{type(value).__name__} too long to print>"
