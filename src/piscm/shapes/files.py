"""Domains from the files of mesh generators, on meshio."""

from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO
from os import PathLike, fspath
from typing import Any

import numpy as np
import sympy

from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.numeric import Floats
from piscm.shapes.geometry import imported_shapely
from piscm.shapes.mesh import Mesh
from piscm.shapes.polygon import Polygon
from piscm.shapes.shape import Shape

_DIMENSIONS = {"line": 1, "triangle": 2, "quad": 2, "tetra": 3}
_FLAT = ("triangle", "quad")


class MissingGroupError(ProblemError):
    """A mesh has no physical group of a name."""


def read_mesh(
    coordinates: tuple[sympy.Symbol, ...], path: str | PathLike[str], group: str | None = None
) -> Shape:
    """The domain that a file of meshio's describes: .msh, .vtu, .xdmf, ...

    Triangles in two coordinates give a `Polygon`, tetrahedra (or a closed surface of triangles) in
    three coordinates a `Mesh`. Physical groups of lines or of surface triangles are named parts of
    the boundary.

    Parameters
    ----------
    coordinates : tuple of Symbol
        Two or three.
    path : str or path
    group : str, optional
        The cells of one physical group, as ``"steel"``, instead of all: a region of
        ``Problem(regions=[Region(read_mesh((x, y), path, "steel"), {k: 50}), ...])``. In files that
        keep numbers and no names, as .vtu, it is called ``"group 1"``.
    """
    try:
        import meshio
    except ImportError:
        raise ImportError("Mesh files need meshio: pip install 'piscm[shapes]'") from None
    try:
        with redirect_stdout(StringIO()):  # it prints while it tries formats
            found = meshio.read(fspath(path))
    except (Exception, SystemExit) as error:  # meshio exits on formats that it does not know
        reason = "" if isinstance(error, SystemExit) else f" ({shortened(str(error))})"
        raise ProblemError(
            f"{path} is not a mesh: it is not there, damaged, or of another format than its name "
            f"says{reason}."
        ) from None
    dimension = len(coordinates)
    if dimension == 2:
        return _polygon(coordinates, found, path, group)
    if dimension == 3:
        return _solid(coordinates, found, path, group)
    raise ProblemError(f"A mesh lives in two or three coordinates, not in {dimension}.")


def _cells(found: Any, kind: str) -> Any:
    own = [block.data for block in found.cells if block.type == kind]
    return np.concatenate(own) if own else np.zeros((0, 2), dtype=int)


def _cells_of(found: Any, kinds: Sequence[str], group: str | None, path: Any) -> list[Any]:
    """The cells of some kinds, all of them or those of one physical group."""
    if group is None:
        every = [_cells(found, kind) for kind in kinds]
        return [own for own in every if len(own)]
    groups = [_groups(found, kind) for kind in kinds]
    made = [own[group] for own in groups if group in own]
    if not made:
        known = ", ".join(sorted({name for own in groups for name in own})) or "none"
        raise MissingGroupError(
            f"{path} has no physical group {brief(group)} of {' or '.join(kinds)} cells; its "
            f"groups of these: {known}."
        )
    return made


def _groups(found: Any, kind: str) -> dict[str, Any]:
    """Cells of a kind by the name of their physical group."""
    names = {
        int(data[0]): name
        for name, data in found.field_data.items()
        if np.size(data) == 2 and int(data[1]) == _DIMENSIONS[kind]
    }
    tags = found.cell_data.get("gmsh:physical", [None] * len(found.cells))
    made: dict[str, list[Any]] = {}
    for block, own in zip(found.cells, tags, strict=True):
        if block.type == kind and own is not None:
            for tag in np.unique(own):
                name = names.get(int(tag), f"group {int(tag)}")
                made.setdefault(name, []).append(block.data[own == tag])
    return {name: np.concatenate(parts) for name, parts in made.items()}


def _polygon(
    coordinates: tuple[sympy.Symbol, ...], found: Any, path: Any, group: str | None
) -> Polygon:
    shapely = imported_shapely()
    points: Floats = np.asarray(found.points, dtype=float)
    if points.shape[1] == 3 and np.ptp(points[:, 2]) > 0:
        raise ProblemError(f"{path} is not flat: give three coordinates.")
    cells = _cells_of(found, _FLAT, group, path)
    if not cells:
        raise ProblemError(f"{path} holds no triangles or quadrilaterals.")
    rings = [points[own][:, :, :2] for own in cells]
    outline = shapely.union_all([shapely.Polygon(ring) for own in rings for ring in own])
    rim = _rim(cells)
    parts = {
        name: points[own][:, :, :2]
        for name, lines in _groups(found, "line").items()
        if len(own := lines[[tuple(sorted(line)) in rim for line in lines.tolist()]])
    }
    return Polygon(coordinates, outline, parts=parts)


def _rim(cells: Sequence[Any]) -> set[tuple[int, ...]]:
    """The sides that belong to one cell only: lines of a group may also lie inside."""
    sides = np.concatenate(
        [np.stack([own, np.roll(own, -1, axis=1)], axis=2).reshape(-1, 2) for own in cells]
    )
    found, count = np.unique(np.sort(sides, axis=1), axis=0, return_counts=True)
    return set(map(tuple, found[count == 1].tolist()))


def _solid(coordinates: tuple[sympy.Symbol, ...], found: Any, path: Any, group: str | None) -> Mesh:
    points: Floats = np.asarray(found.points, dtype=float)
    solid = _cells_of(found, ["tetra"], group, path)
    faces = _skin(solid[0], points) if solid else _cells(found, "triangle")
    if not len(faces):
        raise ProblemError(f"{path} holds no tetrahedra and no triangles.")
    number = {tuple(sorted(face)): i for i, face in enumerate(faces.tolist())}
    groups = {
        name: [
            number[key] for key in (tuple(sorted(own)) for own in cells.tolist()) if key in number
        ]
        for name, cells in _groups(found, "triangle").items()
    }
    used, compact = np.unique(faces, return_inverse=True)
    kept = {name: own for name, own in groups.items() if own}
    return Mesh(coordinates, (points[used], compact.reshape(faces.shape)), groups=kept)


def _skin(cells: Any, points: Floats) -> Any:
    """The triangles that belong to one tetrahedron only, seen from outside to the left."""
    a, b, c, d = (points[cells[:, i]] for i in range(4))
    turned = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    cells = cells.copy()
    cells[turned, :2] = cells[turned, 1::-1]
    faces = cells[:, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]].reshape(-1, 3)
    _, first, count = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True
    )
    return faces[np.sort(first[count == 1])]
