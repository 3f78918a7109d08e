"""The parts of the report that no measurement changes; their text is in ``prose.md``."""

import re
from pathlib import Path

from piscm.paper.page import Block, Bullets, Section, Text


def prose() -> tuple[Section, Section, Section]:
    """How to read the tables, what a network is worth, and how the paper was read."""
    text = Path(__file__).with_name("prose.md").read_text(encoding="utf-8")
    reading, worth, paper_read = (_section(part) for part in text.split("## ")[1:])
    return reading, worth, paper_read


def _section(text: str) -> Section:
    title, *blocks = text.strip().split("\n\n")
    return Section(title, [_block(block) for block in blocks])


def _block(text: str) -> Block:
    first, *items = (" ".join(part.split()) for part in re.split("^- ", text, flags=re.MULTILINE))
    return Bullets(items) if items else Text(first)
