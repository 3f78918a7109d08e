"""A page as plain data: what is said, apart from whether HTML or Markdown says it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

GOOD, FAIR, BAD, SOFT = "good", "fair", "bad", "soft"
"""Tones of a cell; the words in it say the same."""


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: Sequence[str]


@dataclass(frozen=True)
class Mark:
    """The text of a cell with a tone."""

    text: str
    tone: str


@dataclass(frozen=True)
class Line:
    """One line of a table; `rule` sets it off from the one above."""

    cells: Sequence[str | Mark]
    rule: bool = False


@dataclass(frozen=True)
class Table:
    """A table; the columns with the numbers `words` are text, the others figures."""

    columns: Sequence[str]
    lines: Sequence[Line]
    words: Sequence[int] = (0,)
    caption: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture in PNG and the words below it."""

    name: str
    caption: str
    data: bytes = field(repr=False)


Block = Text | Bullets | Table | Picture


@dataclass(frozen=True)
class Section:
    """A part with a heading."""

    title: str
    blocks: Sequence[Block]

    @property
    def anchor(self) -> str:
        """The name that links go to, made from the title as code hosts make it."""
        kept = (c for c in self.title.lower() if c.isalnum() or c in " -")
        return "".join(kept).replace(" ", "-")


@dataclass(frozen=True)
class Page:
    """A title and sections."""

    title: str
    sections: Sequence[Section]


def printable(text: str) -> str:
    """Text of any origin on one line and without what no file in UTF-8 can hold."""
    whole = text.encode("utf-8", "replace").decode()
    return " ".join("".join(c if c.isprintable() else " " for c in whole).split())
