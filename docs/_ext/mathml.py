"""Formulas as MathML, which browsers draw themselves: nothing is loaded, offline or not."""

from html import escape

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.util import logging

_log = logging.getLogger(__name__)


def _mathml(text, display, node):
    try:
        return convert(text, display=display)
    except Exception as error:  # any failure is a warning, and warnings are errors
        _log.warning("formula not understood: %s (%r)", text, error, location=node)
        return f"<code>{escape(text)}</code>"


def _inline(writer, node):
    writer.body.append(_mathml(node.astext(), "inline", node))
    raise SkipNode


def _block(writer, node):
    writer.body.append(writer.starttag(node, "div", CLASS="math-block"))
    writer.body.append(_mathml(node.astext(), "block", node))
    writer.body.append("</div>\n")
    raise SkipNode


def setup(app):
    """Register the renderer under the name "mathml"."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
