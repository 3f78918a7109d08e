"""A page in HTML: one file, its pictures inside it, nothing fetched from anywhere."""

import re
from base64 import b64encode
from html import escape

from piscm.paper.page import (
    Block,
    Bullets,
    Line,
    Mark,
    Page,
    Picture,
    Section,
    Table,
    Text,
    printable,
)
from piscm.paper.style import CSS

_HYPHENED = re.compile(r"[\w.]{1,12}([-–][\w.]{1,12}){1,3}")


def as_html(page: Page) -> str:
    """The whole page."""
    links = "".join(
        f'<li><a href="#{_safe(part.anchor)}">{_safe(part.title)}</a></li>\n'
        for part in page.sections
    )
    sections = "".join(_section(part) for part in page.sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_safe(page.title)}</title>\n<style>{CSS}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{_safe(page.title)}</h1>\n<nav>\n<ul>\n{links}</ul>\n</nav>\n"
        f"{sections}</main>\n</body>\n</html>\n"
    )


def _section(section: Section) -> str:
    blocks = "".join(_block(block) for block in section.blocks)
    heading = f'<h2 id="{_safe(section.anchor)}">{_safe(section.title)}</h2>'
    return f"<section>\n{heading}\n{blocks}</section>\n"


def _block(block: Block) -> str:
    match block:
        case Text(text):
            return f"<p>{_safe(text)}</p>\n"
        case Bullets(items):
            lines = "".join(f"<li>{_safe(item)}</li>\n" for item in items)
            return f"<ul>\n{lines}</ul>\n"
        case Picture(_, caption, data):
            source = f"data:image/png;base64,{b64encode(data).decode()}"
            return (
                f'<figure>\n<div class="wide"><img src="{source}" alt="{_safe(caption)}"></div>\n'
                f"<figcaption>{_safe(caption)}</figcaption>\n</figure>\n"
            )
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    caption = f"<caption>{_safe(table.caption)}</caption>\n" if table.caption else ""
    head = "".join(
        f'<th scope="col"{_words(n, table)}>{_safe(name)}</th>'
        for n, name in enumerate(table.columns)
    )
    body = "".join(_line(line, table) for line in table.lines)
    if any(table.columns):
        caption += f"<thead>\n<tr>{head}</tr>\n</thead>\n"
    return f'<div class="wide">\n<table>\n{caption}<tbody>\n{body}</tbody>\n</table>\n</div>\n'


def _line(line: Line, table: Table) -> str:
    cells = "".join(
        f"<td{_words(n, table)}>{_cell(cell)}</td>" for n, cell in enumerate(line.cells)
    )
    rule = ' class="rule"' if line.rule else ""
    return f"<tr{rule}>{cells}</tr>\n"


def _words(number: int, table: Table) -> str:
    return ' class="words"' if number in table.words else ""


def _cell(cell: str | Mark) -> str:
    if isinstance(cell, Mark):
        return f'<span class="{_safe(cell.tone)}">{_safe(cell.text)}</span>'
    # Browsers break lines at hyphens: not in a name, and not in 1.9e-3.
    return _HYPHENED.sub(r'<span class="whole">\g<0></span>', _safe(cell))


def _safe(text: str) -> str:
    """Text that HTML shows as it stands, inside quotes too."""
    return escape(printable(text), quote=True)
