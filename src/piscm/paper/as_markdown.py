"""A page in Markdown, its pictures in a folder beside it."""

import re

from piscm.paper.page import (
    Block,
    Bullets,
    Mark,
    Page,
    Picture,
    Section,
    Table,
    Text,
    printable,
)

FOLDER = "figures"
_SPECIAL = re.compile(r"([\\`*_\[\]|~#$])")


def as_markdown(page: Page) -> str:
    """The whole page."""
    links = "\n".join(f"- [{_safe(part.title)}](#{part.anchor})" for part in page.sections)
    parts = [f"# {_safe(page.title)}", links, *(_section(part) for part in page.sections)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    blocks = (_block(block) for block in section.blocks)
    return "\n\n".join([f"## {_safe(section.title)}", *blocks])


def _block(block: Block) -> str:
    match block:
        case Text(text):
            return _safe(text)
        case Bullets(items):
            return "\n".join(f"- {_safe(item)}" for item in items)
        case Picture(name, caption):
            return f"![{_safe(caption)}]({FOLDER}/{name}.png)\n\n{_safe(caption)}"
        case Table():
            return _table(block)


def _table(table: Table) -> str:
    aligned = ["---" if n in table.words else "---:" for n in range(len(table.columns))]
    lines = [_line([_safe(name) for name in table.columns]), _line(aligned)]
    lines += [_line([_cell(cell) for cell in line.cells]) for line in table.lines]
    caption = [f"**{_safe(table.caption)}**", ""] if table.caption else []
    return "\n".join([*caption, *lines])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: str | Mark) -> str:
    return _safe(cell.text if isinstance(cell, Mark) else cell)


def _safe(text: str) -> str:
    """Text that Markdown shows as it stands."""
    plain = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", plain)
