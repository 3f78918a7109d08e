"""The API reference, written from the public names of the package: none can be forgotten."""

import inspect
from enum import Enum
from pathlib import Path

import sympy

import piscm

SECTIONS = {
    "Solve": "solve Solution Status Progress NotConverged load FieldFunction",
    "Write a problem": "coordinates field unknown Problem Condition Periodic Observations"
    " ProblemError",
    "Operators": "grad div curl laplacian dot polar cylindrical spherical integral here normal"
    " normal_derivative",
    "Domains": "Box Interval Rectangle Brick Disk Ball Ellipse Polygon Cylinder Mesh PointCloud"
    " read_mesh",
    "Methods": "Auto Windows PISC1 PISC2 PISC3 Local Orthogonal MarchPolicy Sampling",
}
MODULES = ("plots", "zoo", "baselines")


def _directive(name):
    """How one name is documented: its signature, its docstring and, of a class, its methods."""
    item = getattr(piscm, name)
    if inspect.isclass(item):
        # What SymPy, enumerations and exceptions bring along is documented elsewhere.
        foreign = issubclass(item, (sympy.Basic, Exception, Enum))
        inherited = "   :inherited-members:\n   :special-members: __call__\n"
        members = "" if foreign else "   :members:\n" + (inherited if name == "Solution" else "")
        return f".. autoclass:: piscm.{name}\n{members}"
    if inspect.isfunction(item):
        return f".. autofunction:: piscm.{name}\n"
    return f".. autodata:: piscm.{name}\n"


def _module(name):
    module = getattr(piscm, name)
    public = getattr(module, "__all__", None) or [
        key
        for key, item in vars(module).items()
        if not key.startswith("_") and getattr(item, "__module__", "") == module.__name__
    ]
    lines = [f".. automodule:: piscm.{name}\n"]
    for key in public:
        item = getattr(module, key)
        if inspect.isclass(item):
            lines.append(f".. autoclass:: piscm.{name}.{key}\n   :members:\n")
        elif inspect.isfunction(item):
            lines.append(f".. autofunction:: piscm.{name}.{key}\n")
    return "\n".join(lines)


def _titled(title, body, line="-"):
    return f"{title}\n{line * len(title)}\n\n{body}\n"


def page():
    """The whole page in reStructuredText."""
    sections = {title: names.split() for title, names in SECTIONS.items()}
    listed = {name for names in sections.values() for name in names} | set(MODULES)
    rest = [name for name in piscm.__all__ if name not in listed]
    if rest:
        sections["More"] = rest
    parts = [_titled("API", "Everything public, from its docstrings.", "=")]
    for title, names in sections.items():
        present = [name for name in names if name in piscm.__all__]
        parts.append(_titled(title, "\n".join(map(_directive, present))))
    titles = ("Pictures", "Problems with known answers", "Methods of others")
    for title, name in zip(titles, MODULES, strict=True):
        parts.append(_titled(f"{title}: piscm.{name}", _module(name)))
    return "\n".join(parts)


def _write(app):
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    path, text = folder / "index.rst", page()
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app):
    """Write the page before the sources are read."""
    app.connect("builder-inited", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
