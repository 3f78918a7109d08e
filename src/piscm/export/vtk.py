"""Grids as VTK files, for ParaView."""

import itertools
from collections.abc import Mapping, Sequence
from os import PathLike
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from piscm.problem.errors import ProblemError
from piscm.text.replacing import replacing

Floats = NDArray[np.float64]

_CELLS = {1: "line", 2: "quad", 3: "hexahedron"}
# The corners of a cell in VTK's order, as steps along each axis.
_CORNERS: dict[int, list[tuple[int, ...]]] = {
    1: [(0,), (1,)],
    2: [(0, 0), (1, 0), (1, 1), (0, 1)],
    3: [
        (0, 0, 0),
        (1, 0, 0),
        (1, 1, 0),
        (0, 1, 0),
        (0, 0, 1),
        (1, 0, 1),
        (1, 1, 1),
        (0, 1, 1),
    ],
}


def write_vtk(
    path: str | PathLike[str], axes: Mapping[str, Floats], values: Mapping[str, Floats]
) -> None:
    """Write values on a grid of one to three axes.

    Cells with a corner where nothing is known are left out, and so are values known nowhere, as
    standard errors may be.
    """
    try:
        import meshio
    except ImportError:
        raise ImportError("to_vtk needs meshio: pip install 'piscm[shapes]'") from None
    for name, axis in axes.items():
        if len(axis) < 2:
            raise ProblemError(f"{name} has one value; fix it with at={{{name!r}: ...}} instead.")
    shape = tuple(len(axis) for axis in axes.values())
    dimension = len(shape)
    if dimension not in _CELLS:
        raise ProblemError(
            f"{dimension} coordinates are free and VTK has room for 3: fix others with at={{...}}."
        )
    mesh = np.meshgrid(*axes.values(), indexing="ij")
    points = np.zeros((mesh[0].size, 3))
    points[:, :dimension] = np.stack([array.ravel() for array in mesh], axis=-1)
    known = np.any([np.isfinite(array) for array in values.values()], axis=0).ravel()
    cells = _cells(shape)
    cells = cells[known[cells].all(axis=1)]
    if not len(cells):
        raise ProblemError("No cell of the grid lies in the domain; give finer axes.")
    data = {
        name: np.where(known, array.ravel(), 0.0)
        for name, array in values.items()
        if np.isfinite(array).any()
    }
    made = meshio.Mesh(points, [(_CELLS[dimension], cells)], point_data=data)
    with replacing(path) as part:
        made.write(part)


def _cells(shape: Sequence[int]) -> NDArray[np.intp]:
    """The numbers of the corners of every cell, shape (cells, corners)."""
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    first = [slice(0, length - 1) for length in shape]
    columns = []
    for corner in _CORNERS[len(shape)]:
        own = tuple(slice(s.start + c, s.stop + c) for s, c in zip(first, corner, strict=True))
        columns.append(numbers[own].ravel())
    return np.stack(columns, axis=-1)


def write_series(path: str | PathLike[str], files: Mapping[float, str]) -> None:
    """Write the index of a series in time: a ``.pvd`` file that names one file for each time."""
    lines = [
        f'    <DataSet timestep="{time!r}" part="0" file={quoteattr(name)}/>'
        for time, name in files.items()
    ]
    text = "\n".join(
        itertools.chain(
            [
                '<?xml version="1.0"?>',
                '<VTKFile type="Collection" version="0.1">',
                "  <Collection>",
            ],
            lines,
            ["  </Collection>", "</VTKFile>", ""],
        )
    )
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
