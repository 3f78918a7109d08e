"""The triangles of a surface turned such that all of them point outward."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def oriented(mesh: Any) -> Any:
    """A closed trimesh whose neighbors agree on their direction and whose normals point outward.

    What trimesh does to make neighbors agree needs another package; here a walk over the surface
    tells which triangles to turn.
    """
    if mesh.is_winding_consistent and mesh.volume >= 0:
        return mesh
    mesh = mesh.copy()
    if not mesh.is_winding_consistent:
        faces = mesh.faces.copy()
        turned = _against_the_first(faces)
        faces[turned] = faces[turned][:, ::-1]
        mesh.faces = faces
    mesh.fix_normals()
    return mesh


def _against_the_first(faces: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which triangles run around the other way than the first one of their piece of the surface."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    count = len(faces)
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    upward = edges[:, 0] < edges[:, 1]
    order = np.lexsort(np.sort(edges, axis=1).T)  # the two sides of an edge follow each other
    one, other = order[::2], order[1::2]
    # Neighbors agree if they run along their edge in opposite directions.
    opposed = np.where(upward[one] == upward[other], -1, 1)
    pairs = np.concatenate([one, other]) // 3, np.concatenate([other, one]) // 3
    graph = coo_array((np.tile(opposed, 2), pairs), shape=(count, count)).tocsr()
    signs = np.ones(count, dtype=int)
    _, piece = connected_components(graph, directed=False)
    for start in np.unique(piece, return_index=True)[1]:
        steps, before = breadth_first_order(graph, start, directed=False)
        for face in steps[1:]:
            signs[face] = signs[before[face]] * np.sign(graph[face, before[face]])
    return np.asarray(signs < 0)
