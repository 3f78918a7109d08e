"""Parts of the boundary of a box: every face of a part has its share of the points."""

import numpy as np

from piscm import Box, Sampling, coordinates

x, y, z = coordinates("x y z")


def test_no_face_is_left_out():
    for box, faces in (
        (Box({x: (-1, 1), y: (0, 1)}), 3),
        (Box({x: (0, 1), y: (0, 1), z: (0, 1)}), 5),
    ):
        part = box.boundary(where=y > 1e-6)
        drawing = Sampling(400, 400).drawing(np.random.default_rng(0))
        normals = part.sample(box, drawing)[0].normals
        shares = np.unique(normals, axis=0, return_counts=True)[1]
        assert len(shares) == faces
        assert shares.min() > 0.5 * 400 / faces
