"""Nothing on a page comes from the network: fonts of formulas, pictures on buttons.

And numbers stay in one piece: 1.3e-6 is not broken after its hyphen.
"""

import re
import shutil
from pathlib import Path

import ziamath
from docutils import nodes

from piscm.plots.animation import without_network

_FONT = Path(ziamath.__file__).parent / "fonts" / "STIXTwoMath-Regular.ttf"
_NUMBER = r"[-+]?\d[\d.]*(?:e[-+]?\d+)?"
_BREAKS = re.compile(rf"\(?{_NUMBER} ± (?:{_NUMBER}|–)\)?|[-+]?\d[\d.]*e-\d+")


def _take_font(app):
    """The font of formulas, under the SIL Open Font License, is copied into the site."""
    if app.builder.format == "html":
        folder = Path(app.outdir) / "_static"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(_FONT, folder / "math.ttf")


def _mend(app, doctree):
    for raw in doctree.findall(nodes.raw):
        if "font-awesome" in raw.astext():
            text = without_network(raw.astext())
            raw.rawsource = text
            raw.children = [nodes.Text(text)]
    for cell in list(doctree.findall(nodes.entry)):
        for text in list(cell.findall(nodes.Text)):
            if not isinstance(text.parent, nodes.literal) and _BREAKS.search(text):
                text.parent.replace(text, _unbroken(str(text)))


def _unbroken(text):
    parts, last = [], 0
    for found in _BREAKS.finditer(text):
        parts.append(nodes.Text(text[last : found.start()]))
        parts.append(nodes.inline("", found.group(), classes=["number"]))
        last = found.end()
    return [*parts, nodes.Text(text[last:])]


def setup(app):
    """Mend every page after it is read, and bring the font."""
    app.connect("builder-inited", _take_font)
    app.connect("doctree-read", _mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
