"""Domains from plain data, as in problem files and saved solutions.

[domain]
shape = "difference"
of = [
    {shape = "polygon", coordinates = ["x", "y"], outline = [[0, 0], [2, 0], [2, 1], [0, 1]]},
    {shape = "ball", center = {x = 1, y = 0.5}, radius = 0.2, name = "hole"},
]
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import sympy

from piscm.problem.box import Box
from piscm.problem.domain import Domain
from piscm.problem.errors import KeyedProblemError, ProblemError, brief
from piscm.problem.nearest import did_you_mean
from piscm.shapes.ball import Ball, Disk
from piscm.shapes.brick import Brick, Rectangle
from piscm.shapes.cloud import PointCloud
from piscm.shapes.combination import HOWS, combined
from piscm.shapes.cylinder import Cylinder
from piscm.shapes.ellipse import Ellipse
from piscm.shapes.files import MissingGroupError, read_mesh
from piscm.shapes.mesh import Mesh
from piscm.shapes.polygon import Polygon
from piscm.shapes.product import product
from piscm.shapes.shape import Shape

Symbols = Callable[[str], sympy.Symbol]
Numbers = Callable[[Any], Any]
SURFACES = (".stl", ".obj", ".ply", ".off")
"""Files of closed surfaces; others are those of mesh generators."""


class Reader:
    """Reads shapes; mistakes are `KeyedProblemError`, at the entry that is wrong.

    `symbol` makes a coordinate of a name, `number` one of text or a number; `folder` is where files
    are, None if there may be none.
    """

    def __init__(self, symbol: Symbols, number: Numbers, folder: Path | None = None) -> None:
        self._symbol, self._number, self._folder = symbol, number, folder

    def __call__(self, given: Any) -> Domain:
        if not isinstance(given, Mapping):
            raise ProblemError(f"A domain is {brief(given)}, not a table.")
        kind = given.get("shape")
        if not isinstance(kind, str):
            return Box(self._bounds(given))
        readers: dict[str, Callable[[Mapping[str, Any]], Domain]] = {
            "polygon": self._polygon,
            "ball": self._ball,
            "disk": self._ball,
            "ellipse": self._ellipse,
            "brick": self._brick,
            "rectangle": self._rectangle,
            "cylinder": self._cylinder,
            "mesh": self._mesh,
            "cloud": self._cloud,
            "product": self._product,
            **dict.fromkeys(HOWS, self._combination),
        }
        if kind not in readers:
            near = did_you_mean(kind, list(readers))
            raise KeyedProblemError(
                f"shape = {kind!r} is not known{near}: {', '.join(readers)}.", ("shape",)
            )
        try:
            return readers[kind](given)
        except KeyedProblemError:
            raise
        except ProblemError as error:
            key = _named(str(error), given)
            raise KeyedProblemError(str(error), key, getattr(error, "span", None)) from None

    def _bounds(self, given: Any) -> dict[sympy.Symbol, Any]:
        table = _table(given, "bounds")
        return {
            self._symbol(name): [self._number(end) for end in _list(ends, f"The bounds of {name}")]
            for name, ends in table.items()
        }

    def _center(self, given: Mapping[str, Any]) -> dict[sympy.Symbol, Any]:
        table = _table(given.get("center"), "center")
        return {self._symbol(name): self._number(value) for name, value in table.items()}

    def _polygon(self, given: Mapping[str, Any]) -> Domain:
        _only(
            given,
            ("shape", "coordinates", "outline", "file", "holes", "name", "parts", "numbered"),
        )
        names = _list(given.get("coordinates"), "coordinates")
        symbols = tuple(self._symbol(name) for name in names)
        outline, holes = given.get("outline"), given.get("holes", [])
        if "file" in given:
            _alone(given, "outline")
            outline = self._file(given).read_text(encoding="utf-8", errors="replace")
        name, parts = given.get("name"), _table(given.get("parts", {}), "parts")
        numbered = given.get("numbered", True)
        return Polygon(symbols, outline, holes=holes, name=name, parts=parts, numbered=numbered)

    def _mesh(self, given: Mapping[str, Any]) -> Domain:
        _only(
            given,
            ("shape", "coordinates", "file", "group", "vertices", "faces", "groups", "name"),
        )
        names = _list(given.get("coordinates"), "coordinates")
        symbols = tuple(self._symbol(name) for name in names)
        if "file" in given:
            _alone(given, "vertices", "faces", "groups")
            path = self._file(given)
            if path.suffix.lower() not in SURFACES:
                return self._cells(symbols, path, given.get("group"))
            if "group" in given:
                raise KeyedProblemError(
                    f"{path.name} is a surface, which has no groups of cells: leave group out, or "
                    "give a file of a mesh generator (.msh, .vtu, ...).",
                    ("group",),
                )
            return Mesh(symbols, path, name=given.get("name"))
        if "group" in given:
            raise KeyedProblemError(
                "A group of cells is that of a file: give file, or leave group out.", ("group",)
            )
        vertices, faces = (_list(given.get(key), key) for key in ("vertices", "faces"))
        groups = _table(given.get("groups", {}), "groups")
        return Mesh(symbols, (vertices, faces), name=given.get("name"), groups=groups)

    def _cells(self, symbols: tuple[sympy.Symbol, ...], path: Path, group: Any) -> Domain:
        """The cells of a mesh, all of them or one physical group."""
        if group is not None and not isinstance(group, str):
            raise KeyedProblemError(
                f"group = {brief(group)} is not a name; without names it is 'group 1'.", ("group",)
            )
        try:
            return read_mesh(symbols, path, group)
        except MissingGroupError as error:
            raise KeyedProblemError(str(error), ("group",)) from None

    def _cloud(self, given: Mapping[str, Any]) -> Domain:
        _only(given, ("shape", "coordinates", "boundary", "normals", "name"))
        names = _list(given.get("coordinates"), "coordinates")
        symbols = tuple(self._symbol(name) for name in names)
        points, normals = (_list(given.get(key), key) for key in ("boundary", "normals"))
        return PointCloud(symbols, points, normals, name=given.get("name"))

    def _cylinder(self, given: Mapping[str, Any]) -> Domain:
        _only(given, ("shape", "center", "radius", "name"))
        center = {
            self._symbol(name): tuple(map(self._number, own))
            if isinstance(own, list)
            else self._number(own)
            for name, own in _table(given.get("center"), "center").items()
        }
        return Cylinder(center, self._number(given.get("radius")), name=given.get("name"))

    def _ball(self, given: Mapping[str, Any]) -> Domain:
        _only(given, ("shape", "center", "radius", "name"))
        center, radius = self._center(given), self._number(given.get("radius"))
        return (Disk if len(center) == 2 else Ball)(center, radius, name=given.get("name"))

    def _ellipse(self, given: Mapping[str, Any]) -> Domain:
        _only(given, ("shape", "center", "radii", "angle", "name"))
        radii: Any = [self._number(own) for own in _list(given.get("radii"), "radii")]
        angle = self._number(given.get("angle", 0.0))
        return Ellipse(self._center(given), radii, angle=angle, name=given.get("name"))

    def _brick(self, given: Mapping[str, Any]) -> Domain:
        _only(given, ("shape", "bounds", "name"))
        return Brick(self._bounds(given.get("bounds")), name=given.get("name"))

    def _rectangle(self, given: Mapping[str, Any]) -> Domain:
        _only(given, ("shape", "bounds", "name"))
        return Rectangle(self._bounds(given.get("bounds")), name=given.get("name"))

    def _file(self, given: Mapping[str, Any]) -> Path:
        """The file of a shape, beside the problem file."""
        if self._folder is None:
            raise KeyedProblemError("Shapes from files are for problem files only.", ("file",))
        name = given["file"]
        if not isinstance(name, str) or not (self._folder / name).is_file():
            raise KeyedProblemError(f"There is no file {brief(name)} of a shape.", ("file",))
        return self._folder / name

    def _one_of(self, number: int, given: Any) -> Domain:
        try:
            return self(given)
        except KeyedProblemError as error:
            raise KeyedProblemError(str(error), ("of", number, *error.key), error.span) from None
        except ProblemError as error:
            raise KeyedProblemError(str(error), ("of", number)) from None

    def _of(self, given: Mapping[str, Any]) -> list[Domain]:
        _only(given, ("shape", "of"))
        parts = [self._one_of(i, own) for i, own in enumerate(_list(given.get("of"), "of"))]
        if len(parts) < 2:
            raise ProblemError(f"shape = {given['shape']!r} needs two shapes or more in `of`.")
        return parts

    def _combination(self, given: Mapping[str, Any]) -> Domain:
        made, *others = self._of(given)
        for other in others:
            if not isinstance(made, Shape | Box) or not isinstance(other, Shape | Box):
                raise ProblemError(f"{made} and {other} cannot be combined.")
            made = combined(given["shape"], made, other)
        return made

    def _product(self, given: Mapping[str, Any]) -> Domain:
        made, *others = self._of(given)
        for other in others:
            made = product(made, other)
        return made


def _table(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ProblemError(f"{what} is missing or is not a table of names.")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ProblemError(f"{what} is missing or is not a list.")
    return value


def _only(given: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    for key in given:
        if key not in keys:
            raise KeyedProblemError(
                f"A shape has an entry {key!r}; known: {', '.join(keys)}.", (key,)
            )


def _alone(given: Mapping[str, Any], *others: str) -> None:
    """A file says what these entries would."""
    for key in others:
        if key in given:
            raise KeyedProblemError(f"The shape has a file and {key}: give one of them.", (key,))


def _named(message: str, given: Mapping[str, Any]) -> tuple[str, ...]:
    """The entry that a message is about: the first whose name it holds."""
    words = set(re.findall(r"\w+", message.lower()))
    meant = {"outline": {"polygon", "geometry", "corners"}}
    for key in given:
        if key not in ("shape", "name") and words & ({key} | meant.get(key, set())):
            return (key,)
    return ()
