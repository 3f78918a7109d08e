"""Solids bounded by a closed surface of triangles, on trimesh."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.budget.parts import parts
from piscm.problem.box import Box
from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.given import checked_mapping
from piscm.problem.numeric import Floats, checked_array, finite_array
from piscm.shapes.chords import Ends, ends_of
from piscm.shapes.crossings import Surface
from piscm.shapes.cubature import breaks_of, solid_rule
from piscm.shapes.orientation import oriented
from piscm.shapes.pieces import Piece, Spot
from piscm.shapes.primitive import (
    Primitive,
    checked_coordinates,
    checked_part_name,
    shown_name,
)

# A closest point is taken to lie on an edge or in a corner below this barycentric coordinate.
_ON_EDGE = 1e-8
# The search of the closest point takes as long as this many numbers of a network.
_SEARCH = 2000
# Gauss points of a triangle that are exact for polynomials of degree 5, and their weights.
_ROOT = np.sqrt(15.0)
_INNER, _OUTER = (6 - _ROOT) / 21, (6 + _ROOT) / 21
_PLACES = np.array(
    [[1 / 3, 1 / 3]]
    + [[a, b] for m in (_INNER, _OUTER) for a, b in ((m, m), (1 - 2 * m, m), (m, 1 - 2 * m))]
)
_SHARES = np.array([9 / 40] + [(155 - _ROOT) / 1200] * 3 + [(155 + _ROOT) / 1200] * 3)


class Mesh(Primitive):
    """A solid bounded by a closed surface of triangles.

    Parameters
    ----------
    coordinates : (sympy.Symbol, sympy.Symbol, sympy.Symbol)
    surface : path, trimesh.Trimesh, or (vertices, faces)
        A file in any format that trimesh reads: STL, OBJ, PLY, ...
    name : str, optional
        The name of its part of the boundary.
    groups : mapping of str to array of int, optional
        Names of parts of the surface, each with the numbers of its faces.
    """

    _mesh: Any
    _groups: Mapping[str, NDArray[np.intp]]

    def __init__(
        self,
        coordinates: tuple[sympy.Symbol, sympy.Symbol, sympy.Symbol],
        surface: Any,
        *,
        name: str | None = None,
        groups: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        symbols = checked_coordinates(coordinates, 3, "A Mesh")
        mesh = _read(surface)
        table = {
            own: _numbers_of_faces(own, faces, len(mesh.faces))
            for own, faces in _groups_of(groups).items()
        }
        self._set(_coordinates=symbols, _mesh=mesh, name=checked_part_name(name), _groups=table)

    def __repr__(self) -> str:
        own = ", ".join(map(str, self.coordinates))
        return f"Mesh(({own}), {len(self._mesh.faces)} triangles{shown_name(self.name)})"

    @cached_property
    def bounding_box(self) -> Box:
        low, high = self._mesh.bounds
        ends = zip(self.coordinates, low, high, strict=True)
        return Box({symbol: (float(a), float(b)) for symbol, a, b in ends})

    def level(self, points: Floats) -> Floats:
        made = np.zeros(len(points))
        for part in parts(len(points), _SEARCH):
            made[part] = self._level(points[part])
        return made

    def _level(self, points: Floats) -> Floats:
        if not len(points):
            return np.zeros(0)
        trimesh = imported_trimesh()
        mesh = self._mesh
        closest, distance, face = trimesh.proximity.closest_point(mesh, points)
        corners = trimesh.triangles.points_to_barycentric(mesh.triangles[face], closest)
        outward = mesh.face_normals[face].copy()
        off = corners < _ON_EDGE
        for number in range(3):
            # One corner does not count: the closest point lies on the edge beside it.
            here = off[:, number] & (off.sum(axis=1) == 1)
            outward[here] = self._edge_normals[face[here], number]
            there = ~off[:, number] & (off.sum(axis=1) == 2)
            outward[there] = mesh.vertex_normals[mesh.faces[face[there], number]]
        side = np.einsum("ij,ij->i", points - closest, outward)
        return np.asarray(np.where(side < 0, -distance, distance))

    @cached_property
    def _edge_normals(self) -> Floats:
        """The sum of the normals of both faces at each edge: (faces, the corner beside it, 3)."""
        mesh = self._mesh
        count = len(mesh.vertices)
        edges = np.sort(mesh.faces[:, [[1, 2], [2, 0], [0, 1]]], axis=2)
        keys = edges[:, :, 0] * count + edges[:, :, 1]
        unique, which = np.unique(keys.ravel(), return_inverse=True)
        total = np.zeros((len(unique), 3))
        np.add.at(total, which, np.repeat(mesh.face_normals, 3, axis=0))
        return np.asarray(total[which].reshape(-1, 3, 3))

    @cached_property
    def fuzz(self) -> float:
        return 1e-9 * self.size

    @property
    def pieces(self) -> Sequence[Piece]:
        rest = np.ones(len(self._mesh.faces), dtype=bool)
        made: list[Piece] = []
        for name, faces in self._groups.items():
            rest[faces] = False
            made.append(Triangles((*self.names, name), self._mesh.triangles[faces]))
        if rest.any():
            made.append(Triangles(self.names, self._mesh.triangles[rest]))
        return made

    def marks(self, axis: int) -> Floats:
        low, high = self._mesh.bounds
        return np.array([low[axis], high[axis]])

    @property
    def traced(self) -> bool:
        return True

    def breaks(self, axis: int, start: Floats) -> Floats:
        return breaks_of(self._surfaces[0], axis, start)

    def line_ends(self, axis: int, starts: Floats) -> Ends:
        return ends_of(self._surfaces[axis].spans(starts))

    @cached_property
    def _surfaces(self) -> list[Surface]:
        """The surface as lines along each coordinate see it."""
        vertices, faces = np.asarray(self._mesh.vertices), np.asarray(self._mesh.faces)
        return [Surface(vertices, faces, axis) for axis in range(3)]

    def quadrature(self, order: int) -> tuple[Floats, Floats]:
        return solid_rule(self._surfaces[0], order)

    @property
    def document(self) -> Any:
        return {
            "shape": "mesh",
            "coordinates": [symbol.name for symbol in self.coordinates],
            "vertices": np.asarray(self._mesh.vertices).tolist(),
            "faces": np.asarray(self._mesh.faces).tolist(),
            "groups": {name: faces.tolist() for name, faces in self._groups.items()},
            "name": self.name,
        }


@dataclass(frozen=True, eq=False)
class Triangles(Piece):
    """Flat triangles, shape (triangles, 3 corners, 3 coordinates); from outside they turn left."""

    names: tuple[str, ...]
    corners: Floats

    parameters = 2

    @cached_property
    def _areas(self) -> tuple[Floats, Floats]:
        """Outward normals and areas."""
        a, b, c = self.corners.transpose(1, 0, 2)
        across = np.cross(b - a, c - a)
        length = np.linalg.norm(across, axis=1)
        return across / np.where(length > 0, length, 1.0)[:, None], length / 2

    def at(self, unit: Floats) -> Spot:
        normals, areas = self._areas
        ends = np.cumsum(areas)
        at = unit[:, 0] * ends[-1]
        which = np.minimum(np.searchsorted(ends, at, side="right"), len(ends) - 1)
        first = np.clip((at - (ends - areas)[which]) / areas[which], 0.0, 1.0)
        root = np.sqrt(first)  # uniform on a triangle
        return self._spot(which, 1 - root, root * unit[:, 1], np.full(len(unit), ends[-1]), normals)

    def _spot(
        self, which: NDArray[np.intp], s: Floats, t: Floats, stretch: Floats, normals: Floats
    ) -> Spot:
        a, b, c = self.corners[which].transpose(1, 0, 2)
        points = a + s[:, None] * (b - a) + t[:, None] * (c - a)
        return Spot(points, normals[which], stretch)

    def rule(self, order: int) -> Spot:
        normals, areas = self._areas
        which = np.repeat(np.arange(len(areas)), len(_SHARES))
        s, t = np.tile(_PLACES, (len(areas), 1)).T
        return self._spot(which, s, t, np.outer(areas, _SHARES).ravel(), normals)


def imported_trimesh() -> Any:
    """The package trimesh, imported when it is first needed."""
    try:
        import rtree  # noqa: F401  (trimesh finds closest points by it)
        import trimesh
    except ImportError:
        raise ImportError("Meshes need trimesh: pip install 'piscm[shapes]'") from None
    return trimesh


def _read(surface: Any) -> Any:
    trimesh = imported_trimesh()
    if isinstance(surface, trimesh.Trimesh):
        mesh = surface
    elif isinstance(surface, str | PathLike):
        try:
            mesh = trimesh.load_mesh(fspath(surface))
        except FileNotFoundError:
            raise
        except Exception as error:  # many formats, many kinds
            raise ProblemError(f"{surface} is not a mesh: {shortened(str(error))}.") from None
    elif isinstance(surface, tuple | list) and len(surface) == 2:
        vertices = finite_array(surface[0], "The vertices of the mesh")
        faces = checked_array(surface[1], "The faces of the mesh")
        if vertices.shape[1:] != (3,) or faces.ndim != 2 or faces.dtype.kind not in "iu":
            raise ProblemError(
                f"A Mesh has vertices of shape {vertices.shape} and faces of shape {faces.shape}: "
                "give (vertices, 3), and (faces, 3) of whole numbers."
            )
        if len(faces) and not 0 <= faces.min() <= faces.max() < len(vertices):
            raise ProblemError(f"The faces of the mesh name vertices beyond its {len(vertices)}.")
        mesh = trimesh.Trimesh(vertices, faces, process=False)
    else:
        raise ProblemError("A Mesh needs a file, a trimesh.Trimesh, or (vertices, faces).")
    if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
        raise ProblemError("The mesh has no triangles.")
    if not mesh.is_watertight:
        raise ProblemError(_open(mesh))
    return oriented(mesh)


def _groups_of(given: Any) -> Mapping[str, Any]:
    return {} if given is None else checked_mapping(given, "Mesh(groups=...)", "{'lid': [0, 1]}")


def _numbers_of_faces(name: str, given: Any, count: int) -> NDArray[np.intp]:
    checked_part_name(name)
    found = checked_array(given, f"The faces of the group {name!r}")
    whole = found.dtype.kind in "iu" and found.ndim == 1
    if not whole or (len(found) and not 0 <= found.min() <= found.max() < count):
        raise ProblemError(
            f"The group {name!r} of a mesh has the faces {brief(given, 40)}: give their numbers, "
            f"from 0 to {count - 1}."
        )
    return found.astype(np.intp)


def _open(mesh: Any) -> str:
    """Where a surface is not closed."""
    edges = np.sort(mesh.edges, axis=1)
    unique, count = np.unique(edges, axis=0, return_counts=True)
    bad = unique[count != 2]
    middle = mesh.vertices[bad[0]].mean(axis=0) if len(bad) else mesh.centroid
    at = ", ".join(f"{value:.4g}" for value in middle)
    return (
        f"The mesh is not closed: {len(bad)} of its edges do not belong to two triangles, the "
        f"first near ({at}). trimesh.repair.fill_holes may close it."
    )
