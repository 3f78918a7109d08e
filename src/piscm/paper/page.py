"""A page: what it says, and how HTML, Markdown and a screen show it."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import rich.table
from rich.text import Text as ScreenText

FIGURES = "figures"
"""The folder beside the Markdown file that holds its pictures."""
GOOD, FAIR, BAD, SOFT = "good", "fair", "bad", "soft"
"""Tones of a cell; the words in it say the same."""

_CSS = Path(__file__).with_name("page.css")
_MARKDOWN_SYNTAX = re.compile(r"([\\`*_\[\]|~#$])")
_HYPHENATED = re.compile(r"[\w.]{1,12}([-–][\w.]{1,12}){1,3}")


def printable(text: str) -> str:
    """Text of any origin on one line and without what no file in UTF-8 can hold."""
    whole = text.encode("utf-8", "replace").decode()
    return " ".join("".join(c if c.isprintable() else " " for c in whole).split())


def _html(text: str) -> str:
    """Text that HTML shows as it stands, inside quotes too."""
    return escape(printable(text), quote=True)


def _markdown(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return _MARKDOWN_SYNTAX.sub(r"\\\1", escape(printable(text), quote=False))


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str

    def html(self) -> str:
        return f"<p>{_html(self.text)}</p>\n"

    def markdown(self) -> str:
        return _markdown(self.text)


@dataclass(frozen=True)
class Bullets:
    """A list."""

    items: Sequence[str]

    def html(self) -> str:
        items = "".join(f"<li>{_html(item)}</li>\n" for item in self.items)
        return f"<ul>\n{items}</ul>\n"

    def markdown(self) -> str:
        return "\n".join(f"- {_markdown(item)}" for item in self.items)


@dataclass(frozen=True)
class Mark:
    """The text of a cell with a tone."""

    text: str
    tone: str


Line = Sequence[str | Mark]


@dataclass(frozen=True)
class Table:
    """A table; the columns with the numbers `words` are text, the others figures.

    Where it is `ruled`, each line that begins with a word is set off from the one above.
    """

    columns: Sequence[str]
    lines: Sequence[Line]
    words: Sequence[int] = (0,)
    caption: str = ""
    ruled: bool = False

    def html(self) -> str:
        top = f"<caption>{_html(self.caption)}</caption>\n" if self.caption else ""
        if any(self.columns):
            names = (
                f'<th scope="col"{self._words_class(n)}>{_html(name)}</th>'
                for n, name in enumerate(self.columns)
            )
            top += f"<thead>\n<tr>{''.join(names)}</tr>\n</thead>\n"
        body = "".join(self._html_line(line) for line in self.lines)
        return f'<div class="wide">\n<table>\n{top}<tbody>\n{body}</tbody>\n</table>\n</div>\n'

    def _html_line(self, line: Line) -> str:
        cells = (
            f"<td{self._words_class(n)}>{_html_cell(cell)}</td>" for n, cell in enumerate(line)
        )
        rule = ' class="rule"' if self.ruled and line[0] else ""
        return f"<tr{rule}>{''.join(cells)}</tr>\n"

    def _words_class(self, number: int) -> str:
        return ' class="words"' if number in self.words else ""

    def markdown(self) -> str:
        caption = [f"**{_markdown(self.caption)}**", ""] if self.caption else []
        alignment = ["---" if n in self.words else "---:" for n in range(len(self.columns))]
        rows = [[_markdown(name) for name in self.columns], alignment]
        rows += [[_markdown(_plain(cell)) for cell in line] for line in self.lines]
        return "\n".join([*caption, *(f"| {' | '.join(row)} |" for row in rows)])

    def on_screen(self) -> rich.table.Table:
        table = rich.table.Table(box=None, title=self.caption, title_justify="left")
        for number, name in enumerate(self.columns):
            table.add_column(name, justify="left" if number in self.words else "right")
        for line in self.lines:
            if self.ruled and line[0]:
                table.add_section()
            table.add_row(*(ScreenText(_plain(cell)) for cell in line))
        return table


def _plain(cell: str | Mark) -> str:
    return cell.text if isinstance(cell, Mark) else cell


def _html_cell(cell: str | Mark) -> str:
    if isinstance(cell, Mark):
        return f'<span class="{_html(cell.tone)}">{_html(cell.text)}</span>'
    # Browsers break lines at hyphens: not in a name, and not in 1.9e-3.
    return _HYPHENATED.sub(r'<span class="whole">\g<0></span>', _html(cell))


@dataclass(frozen=True)
class Picture:
    """Panels in PNG, beside each other where there is room, and the words below them."""

    name: str
    caption: str
    panels: Sequence[bytes] = field(repr=False)

    @property
    def files(self) -> dict[str, bytes]:
        """The panels by the names of their files."""
        if len(self.panels) == 1:
            return {self.name: self.panels[0]}
        return {
            f"{self.name}{letter}": data for letter, data in zip("abcd", self.panels, strict=False)
        }

    def html(self) -> str:
        caption = _html(self.caption)
        images = "".join(
            f'<img src="data:image/png;base64,{b64encode(data).decode()}" alt="{caption}">\n'
            for data in self.panels
        )
        return (
            f'<figure>\n<div class="panels">\n{images}</div>\n'
            f"<figcaption>{caption}</figcaption>\n</figure>\n"
        )

    def markdown(self) -> str:
        caption = _markdown(self.caption)
        images = "\n".join(f"![{caption}]({FIGURES}/{name}.png)" for name in self.files)
        return f"{images}\n\n{caption}"


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

    def html(self) -> str:
        heading = f'<h2 id="{_html(self.anchor)}">{_html(self.title)}</h2>'
        return f"<section>\n{heading}\n{''.join(b.html() for b in self.blocks)}</section>\n"

    def markdown(self) -> str:
        return "\n\n".join([f"## {_markdown(self.title)}", *(b.markdown() for b in self.blocks)])


@dataclass(frozen=True)
class Page:
    """A title and sections."""

    title: str
    sections: Sequence[Section]

    def html(self) -> str:
        """One file, its pictures inside it, nothing fetched from anywhere."""
        links = "".join(
            f'<li><a href="#{_html(part.anchor)}">{_html(part.title)}</a></li>\n'
            for part in self.sections
        )
        title, style = _html(self.title), _CSS.read_text(encoding="utf-8")
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
            f"<h1>{title}</h1>\n<nav>\n<ul>\n{links}</ul>\n</nav>\n"
            f"{''.join(part.html() for part in self.sections)}</main>\n</body>\n</html>\n"
        )

    def markdown(self) -> str:
        """Text whose pictures lie in the folder `FIGURES` beside it."""
        links = "\n".join(f"- [{_markdown(s.title)}](#{s.anchor})" for s in self.sections)
        parts = (part.markdown() for part in self.sections)
        return "\n\n".join([f"# {_markdown(self.title)}", links, *parts]) + "\n"
