"""A formula as Python's parser reads it, and where each part of it stands in what was written."""

import ast
import keyword
import re
from dataclasses import dataclass

# Python keywords are fine as names in physics (lambda!); the mark keeps ast from rejecting them.
MARKED = {f"{word}_keyword": word for word in keyword.kwlist if word not in ("True", "False")}
_CHANGED = re.compile(rf"\b({'|'.join(MARKED.values())})\b|\^|\s")
_OPEN, _CLOSED = "([{", ")]}"

Span = tuple[int, int]
"""Where something begins and ends in a text."""


@dataclass(frozen=True)
class Source:
    """One side of an equation.

    Attributes
    ----------
    text : str
        For Python's parser: keywords are marked, ^ is **, and there is one line.
    origin : tuple of int
        For each character of it, and its end, where it stands in what was written.
    """

    text: str
    origin: tuple[int, ...]

    @classmethod
    def of(cls, written: str, begin: int = 0) -> "Source":
        """The source of a part that begins at some position of a longer text."""
        begin += len(written) - len(written.lstrip())
        written = written.strip()
        text: list[str] = []
        origin: list[int] = []
        last = 0
        for found in _CHANGED.finditer(written):
            text.append(written[last : found.start()])
            origin.extend(range(last, found.start()))
            new = "**" if found[0] == "^" else f"{found[0]}_keyword" if found[1] else " "
            text.append(new)
            origin.extend([found.start()] * len(new))
            last = found.end()
        text.append(written[last:])
        origin.extend(range(last, len(written) + 1))
        return cls("".join(text), tuple(begin + place for place in origin))

    def span(self, node: ast.AST) -> Span | None:
        """Where a part of the syntax tree stands in what was written."""
        begin, end = getattr(node, "col_offset", None), getattr(node, "end_col_offset", None)
        if begin is None or end is None:
            return None
        encoded = self.text.encode()  # the tree counts bytes
        first, last = (len(encoded[:place].decode(errors="ignore")) for place in (begin, end))
        return self.origin[min(first, len(self.text))], self.origin[min(last, len(self.text))]

    def segment(self, node: ast.AST) -> str:
        """A part of the tree as it was written."""
        part = ast.get_source_segment(self.text, node) or ""
        for marked, word in MARKED.items():
            part = part.replace(marked, word)
        return part


def sides(written: str) -> list[Source]:
    """The sides of an equation; an equals sign inside brackets names an argument."""
    depth, cuts = 0, [-1]
    for place, character in enumerate(written):
        if character in _OPEN:
            depth += 1
        elif character in _CLOSED:
            depth -= 1
        elif character == "=" and depth <= 0:
            around = written[max(place - 1, 0) : place] + written[place + 1 : place + 2]
            if not set(around) & set("<>!="):
                cuts.append(place)
    ends = [*cuts[1:], len(written)]
    return [Source.of(written[a + 1 : b], a + 1) for a, b in zip(cuts, ends, strict=True)]
