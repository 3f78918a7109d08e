"""Shapes in the plane: membership, exact boundaries, normals, quadrature, bad input."""

import numpy as np
import pytest
import shapely

from piscm import (
    Ball,
    Box,
    Brick,
    Condition,
    Disk,
    Ellipse,
    Interval,
    Polygon,
    Problem,
    ProblemError,
    Rectangle,
    Sampling,
    coordinates,
    field,
)
from piscm.shapes.reading import Reader

x, y, t = coordinates("x y t")
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
RNG = np.random.default_rng(0)
STAR = [
    (r * np.sin(np.pi * k / 5), r * np.cos(np.pi * k / 5)) for k, r in enumerate([1.0, 0.45] * 5)
]


def plate():
    rim = Polygon((x, y), [(0, 0), (2, 0), (2, 1), (0, 1)], name="rim")
    return rim - Disk({x: 1, y: 0.5}, radius=0.2, name="hole")


def lens():
    return Disk({x: 0, y: 0}, 1, name="left") & Disk({x: 1, y: 0.3}, 0.7, name="right")


# A shape, its area and its perimeter.
_CAP = np.arccos(0.3)
SHAPES = {
    "disk": (Disk({x: 1, y: 2}, 0.5), np.pi / 4, np.pi),
    "rectangle": (Rectangle({x: (0, 3), y: (1, 2)}), 3.0, 8.0),
    "annulus": (Disk({x: 0, y: 0}, 1) - Disk({x: 0, y: 0}, 0.4), 0.84 * np.pi, 2.8 * np.pi),
    "plate": (plate(), 2 - 0.04 * np.pi, 6 + 0.4 * np.pi),
    "corner": (
        Rectangle({x: (-1, 1), y: (-1, 1)}) - Rectangle({x: (0, 1), y: (-1, 0)}),
        3.0,
        8.0,
    ),
    "cap": (
        Disk({x: 0, y: 0}, 1) & Box({x: (-2, 2), y: (0.3, 2)}),
        _CAP - 0.3 * np.sin(_CAP),
        2 * _CAP + 2 * np.sin(_CAP),
    ),
    "two with a common side": (
        Rectangle({x: (0, 1), y: (0, 1)}) | Rectangle({x: (1, 2), y: (0, 0.5)}),
        1.5,
        6.0,
    ),
    "one within the other": (Disk({x: 0, y: 0}, 1) | Disk({x: 0, y: 0.5}, 0.5), np.pi, None),
    "rounded": (Polygon((x, y), SQUARE).buffer(0.2), 1.8 + 0.04 * np.pi, 4 + 0.4 * np.pi),
    "shrunk": (Polygon((x, y), SQUARE).buffer(-0.2), 0.36, 2.4),
}


@pytest.mark.parametrize("name", SHAPES)
def test_area_and_perimeter(name):
    shape, area, perimeter = SHAPES[name]
    points, weights = shape.quadrature(16)
    assert weights.sum() == pytest.approx(area, rel=1e-9)
    assert shape.contains(points).all()
    around, shares, normals = shape.boundary_quadrature(16)
    if perimeter is not None:
        assert shares.sum() == pytest.approx(perimeter, rel=2e-6)
    # The divergence theorem ties boundary and normals to the area.
    assert (shares * normals[:, 0] * around[:, 0]).sum() == pytest.approx(area, rel=1e-6)


@pytest.mark.parametrize("name", [*SHAPES, "lens", "ellipse"])
def test_boundary_points_and_normals(name):
    ellipse = Ellipse({x: 0.2, y: 0.1}, (2, 1), angle=0.4)
    shape = {"lens": lens(), "ellipse": ellipse}.get(name) or SHAPES[name][0]
    draw = Sampling().unit_points(np.random.default_rng(0))
    points, normals = shape.sample_boundary(200, draw)
    assert len(points) == 200
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0)
    assert np.abs(shape.level(points)).max() < 1e-9
    assert (shape.level(points + 1e-6 * normals) > 0).all()
    assert (shape.level(points - 1e-6 * normals) < 0).all()
    inside = shape.sample_inside(500, draw)
    assert shape.contains(inside).all()
    assert 400 < len(inside) < 600


def _slivers():
    """Combinations with thin leftovers at the edge of their bounding boxes."""
    first = Disk({x: -0.86, y: 0.08}, 0.54) - Disk({x: 0.25, y: -0.96}, 0.52)
    first = first | Rectangle({x: (-0.33, 1.51), y: (-1.09, 0.53)})
    second = Rectangle({x: (-0.8, 1.05), y: (-0.4, 0.82)})
    second = second - Ellipse({x: -0.28, y: -0.83}, (0.77, 0.56), angle=2.15)
    third = Ellipse({x: -0.59, y: 0.5}, (0.76, 0.42), angle=1.37) - Disk({x: -0.72, y: 0.69}, 0.49)
    return [
        first & Rectangle({x: (-0.52, 0.69), y: (-1.61, -0.18)}),
        second - Rectangle({x: (-0.76, 0.88), y: (-0.63, 0.65)}),
        third & Rectangle({x: (-0.43, 0.37), y: (-1.78, 0.06)}),
        Polygon((x, y), STAR) - Ellipse({x: 0.4, y: 0.2}, (0.3, 0.55), angle=1.97),
    ]


@pytest.mark.parametrize("number", range(4))
def test_slivers_count(number):
    shape = _slivers()[number]
    area = shape.quadrature(20)[1].sum()
    points, shares, normals = shape.boundary_quadrature(20)
    for axis in (0, 1):  # the divergence theorem
        assert shares @ (normals * points)[:, axis] == pytest.approx(area, rel=1e-7)


def test_a_circle_is_a_circle_in_whatever_it_is_combined():
    draw = Sampling().unit_points(np.random.default_rng(1))
    points, normals = plate().sample_boundary(50, draw, "hole")
    outward = (np.array([1, 0.5]) - points) / 0.2
    np.testing.assert_allclose(normals, outward, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*(points - [1, 0.5]).T), 0.2, rtol=1e-13)


def test_parts():
    assert plate().parts == ("rim", "rim[0]", "rim[1]", "rim[2]", "rim[3]", "hole")
    draw = Sampling().unit_points(np.random.default_rng(1))
    points, normals = plate().sample_boundary(10, draw, "rim[1]")
    assert (points[:, 0] == 2).all()
    assert (normals == [1, 0]).all()
    buried = Disk({x: 0, y: 0}, 1, name="outer") | Disk({x: 0, y: 0}, 0.5, name="inner")
    assert buried.parts == ("outer",)


def test_two_shapes_that_share_an_edge_have_it_once():
    inner = Rectangle({x: (0, 1), y: (0, 1)}, name="first")
    both = inner | Rectangle({x: (0, 2), y: (0, 1)}, name="second")
    _, shares, _ = both.boundary_quadrature(8)
    assert shares.sum() == pytest.approx(6)


def test_a_slice():
    draw = Sampling().unit_points(np.random.default_rng(2))
    ring = SHAPES["annulus"][0]
    points = ring.sample_slice({y: 0.1}, 100, draw)
    assert ring.contains(points).all()
    assert (points[:, 1] == 0.1).all()
    assert (points[:, 0] < 0).sum() == pytest.approx(50, abs=2)
    with pytest.raises(ProblemError, match="does not meet"):
        plate().sample_slice({y: 3.0}, 4, draw)


def test_from_shapely_text_and_mappings():
    ring = shapely.Point(0, 0).buffer(1) - shapely.box(-0.2, -0.2, 0.2, 0.2)
    for outline in (ring, ring.wkt, shapely.geometry.mapping(ring)):
        shape = Polygon((x, y), outline)
        assert shape.quadrature(8)[1].sum() == pytest.approx(ring.area)
        assert not shape.contains([[0.0, 0.0]])[0]
    feature = {"type": "Feature", "properties": {}, "geometry": shapely.geometry.mapping(ring)}
    saved = Polygon((x, y), {"type": "FeatureCollection", "features": [feature]})
    assert saved.quadrature(8)[1].sum() == pytest.approx(ring.area)
    several = shapely.union(shapely.box(0, 0, 1, 1), shapely.box(2, 0, 3, 1))
    assert Polygon((x, y), several).quadrature(8)[1].sum() == pytest.approx(2)
    with_hole = Polygon((x, y), SQUARE, holes=[[(0.4, 0.4), (0.6, 0.4), (0.6, 0.6), (0.4, 0.6)]])
    assert with_hole.quadrature(8)[1].sum() == pytest.approx(0.96)


def test_far_from_the_origin():
    near, far = Disk({x: 0, y: 0}, 1), Disk({x: 5e6, y: -3e6}, 1)
    far = far - Disk({x: 5e6 + 0.5, y: -3e6}, 0.2)
    draw = Sampling().unit_points(np.random.default_rng(0))
    points, normals = far.sample_boundary(100, draw)
    assert far.contains(points).all()
    assert not far.contains(points + 1e-5 * normals).any()
    assert near.contains([[1.0, 0.0]])[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polygon((x, y), [(0, 0), (1, 1), (1, 0), (0, 1)]), r"crosses|Self-intersection"),
        (lambda: Polygon((x, y), [(0, 0), (1, 1)]), "at least three"),
        (lambda: Polygon((x, y), "POLYGON ((0 0, 1"), "not a geometry"),
        (lambda: Polygon((x, y), "POINT (0 0)"), "Point"),
        (lambda: Polygon((x, y), [(0, 0), (np.nan, 1), (1, 1)]), "NaN"),
        (lambda: Polygon((x, x), SQUARE), "twice"),
        (lambda: Polygon("xy", SQUARE), "coordinates"),
        (lambda: Disk({x: 0, y: 0}, -1), "positive"),
        (lambda: Disk({x: 0}, 1), "two coordinates"),
        (lambda: Disk({x: 0, y: 0, t: 0}, 1), "Ball"),
        (lambda: Ball([0, 0], 1), "center"),
        (lambda: Ellipse({x: 0, y: 0}, 1), "half axes"),
        (lambda: Rectangle({x: (0, 1)}), "two coordinates"),
        (lambda: Interval(t, 1, 0), "empty"),
        (lambda: Disk({x: 0, y: 0}, 1, name=3), "name"),
        (lambda: Disk({x: 0, y: 0}, 1) & Disk({x: 3, y: 0}, 1), "empty"),
        (lambda: Disk({x: 0, y: 0}, 1) - Disk({x: 0, y: 0}, 2), "empty"),
        (lambda: Disk({x: 0, y: 0}, 1) | Disk({x: 0, t: 0}, 1), "same coordinates"),
        (lambda: Disk({x: 0, y: 0}, 1) | Disk({y: 0, x: 0}, 1), "same order"),
        (lambda: Disk({x: 0, y: 0}, 1) * Interval(x, 0, 1), "both have"),
        (lambda: Interval(t, 0, 1) * Disk({x: 0, y: 0}, 1), "first"),
        (lambda: plate().boundary("hoel"), "hole"),
        (lambda: plate().boundary(where=x > 5), "No point"),
        (lambda: plate().boundary(where=t > 5), "not a coordinate"),
        (lambda: plate().boundary(where=field("u", x, y) > 5), "holds a field"),
        (lambda: plate().boundary(where=0.5), "where"),
        (lambda: plate().boundary({x: 0}), "not a face"),
        (lambda: plate().boundary(7), "name of a part"),
    ],
)
def test_bad_input(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def test_products_of_ranges_are_boxes():
    assert repr(Interval(x, 0, 1) * Interval(t, 0, 2)) == "Box(x: [0, 1], t: [0, 2])"
    assert (Disk({x: 0, y: 0}, 1) * Box({t: (0, 1)})).coordinates == (x, y, t)


def test_a_product():
    cylinder = plate() * Interval(t, 0, 3)
    assert cylinder.parts[0] == "side"
    draw = Sampling().unit_points(np.random.default_rng(0))
    for part in (None, "side", "hole"):
        points, normals = cylinder.sample_boundary(120, draw, part)
        assert abs(len(points) - 120) < 12
        assert cylinder.contains(points).all()
        assert not cylinder.contains(points + 1e-4 * normals).any()
    assert cylinder.is_product_along(t)
    assert not cylinder.is_product_along(x)
    half = cylinder.cut(t, 0, 1.5)
    assert half.quadrature(8)[1].sum() == pytest.approx(1.5 * SHAPES["plate"][1])
    floor = cylinder.sample_slice({t: 0}, 100, draw)
    assert (floor[:, 2] == 0).all()
    assert cylinder.contains(floor).all()
    around = cylinder.boundary_quadrature(8, "hole")[1].sum()
    assert around == pytest.approx(3 * 0.4 * np.pi)


def test_bricks_in_three_dimensions():
    z = coordinates("z")
    brick = Brick({x: (0, 1), y: (0, 2), z: (0, 3)}) - Ball({x: 0, y: 0, z: 0}, 0.5, name="bite")
    points, weights = brick.quadrature(10)
    assert weights.sum() == pytest.approx(6 - np.pi / 6 * 0.125, rel=1e-6)
    draw = Sampling().unit_points(np.random.default_rng(0))
    points, normals = brick.sample_boundary(400, draw)
    assert abs(len(points) - 400) < 40
    assert brick.contains(points).all()
    assert not brick.contains(points + 1e-4 * normals).any()
    _, shares, _ = brick.boundary_quadrature(10, "bite")
    assert shares.sum() == pytest.approx(np.pi * 0.25 / 2, rel=1e-6)


@pytest.mark.parametrize(("distance", "around"), [(0.2, 4 + 0.4 * np.pi), (-0.2, 2.4)])
def test_a_buffer_keeps_the_names_of_sides(distance, around):
    rounded = Polygon((x, y), SQUARE, name="rim").buffer(distance)
    assert rounded.boundary("rim").quadrature(8)[1].sum() == pytest.approx(around)
    points = rounded.boundary("rim[2]").quadrature(8)[0]
    np.testing.assert_allclose(np.abs(points[:, 1] - 0.5), 0.5 + distance)


def test_sides_that_a_buffer_covers_are_no_part_of_its_boundary():
    slanted = Polygon((x, y), [(1.4, 1), (2, 1.1), (1.7, 1.4)], name="shore")
    assert "side[0]" not in slanted.buffer(0.2).parts
    runs = slanted.buffer(0.2).outline.runs
    assert min(run.length for run in runs) > 0.01


CLOCKWISE = [(0, 0), (0, 1), (1, 1), (1, 0)]


@pytest.mark.parametrize("corners", [SQUARE, CLOCKWISE, [*CLOCKWISE, CLOCKWISE[0]]])
@pytest.mark.parametrize("turned", [False, True])
def test_sides_are_numbered_as_the_corners_were_given(corners, turned):
    hole = [(0.2, 0.2), (0.7, 0.2), (0.7, 0.6)][:: -1 if turned else 1]
    made = Polygon((x, y), corners, holes=[hole], name="r")
    again = Polygon((x, y), made.document["outline"], name="r")
    rings = [corners[:4], hole]
    ends = [(ring[i], ring[(i + 1) % len(ring)]) for ring in rings for i in range(len(ring))]
    for shape in (made, again, Polygon((x, y), made.geometry, name="r")):
        for number, (start, end) in enumerate(ends):
            points, weights, normals = shape.boundary(f"r[{number}]").quadrature(4)
            np.testing.assert_allclose(weights @ points / weights.sum(), np.add(start, end) / 2)
            assert weights.sum() == pytest.approx(np.hypot(*np.subtract(end, start)))
            assert shape.contains(points - 1e-4 * normals).all()
            assert not shape.contains(points + 1e-4 * normals).any()


def test_a_repeated_corner_has_no_side_and_keeps_the_numbers_of_others():
    made = Polygon((x, y), [(0, 0), (1, 0), (1, 0), (1, 1), (0, 1)], name="r")
    assert set(made.parts) == {"r", "r[0]", "r[2]", "r[3]", "r[4]"}
    assert (made.boundary("r[2]").quadrature(3)[0][:, 0] == 1).all()
    assert made.buffer(0.2).quadrature(12)[1].sum() == pytest.approx(1.8 + 0.04 * np.pi)
    assert np.isfinite(made.outline.sample(50, Sampling().unit_points(RNG), None)[1]).all()


def test_geojson_as_text():
    text = '{"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]}'
    assert Polygon((x, y), text).geometry.area == 0.5
    with pytest.raises(ProblemError, match="not a geometry"):
        Polygon((x, y), text[:-1])


@pytest.mark.parametrize(
    ("made", "area"),
    [
        (lambda: Rectangle({x: (0, 1), y: (0, 1)}).buffer(0.2), 1.8 + 0.04 * np.pi),
        (lambda: Rectangle({x: (0, 1), y: (0, 1)}).buffer(-0.2), 0.36),
        (lambda: (Rectangle({x: (0, 1), y: (0, 1)}) | Disk({x: 9, y: 0}, 1)).buffer(0.2), None),
        (lambda: plate().buffer(-0.1), 1.8 * 0.8 - 0.09 * np.pi),
        (
            lambda: (Polygon((x, y), SQUARE) - Rectangle({x: (0.5, 2), y: (0.5, 2)})).buffer(0.1),
            0.75 + 0.4 + 0.01 * (np.pi * 5 / 4 - 1),
        ),
    ],
)
def test_buffers(made, area):
    wanted = 1.8 + 1.48 * np.pi if area is None else area
    assert made().quadrature(20)[1].sum() == pytest.approx(wanted, rel=1e-4)


def test_a_buffer_of_straight_sides_keeps_their_names():
    bite = Rectangle({x: (0.5, 2), y: (0.5, 2)}, name="bite")
    grown = (Polygon((x, y), SQUARE, name="rim") - bite).buffer(0.1)
    points = grown.boundary("bite").quadrature(6)[0]
    assert np.isclose(points.max(axis=1), 0.6).sum() + np.isclose(points.min(axis=1), 0.6).sum()
    assert {"rim", "rim[0]", "bite"} <= set(grown.parts)


@pytest.mark.parametrize("name", [None, "rim"])
@pytest.mark.parametrize("distance", [0.1, -0.1])
def test_a_buffer_has_the_sides_of_its_polygon_and_no_others(name, distance):
    grown = Polygon((x, y), SQUARE, name=name).buffer(distance)
    for made in (grown, Reader(coordinates, float)(grown.document)):
        numbers = {f"{name or 'side'}[{number}]" for number in range(4)}
        assert set(made.parts) - {name} == numbers
        for number, (axis, end) in enumerate([(1, 0), (0, 1), (1, 1), (0, 0)]):
            points, weights, _ = made.boundary(f"{name or 'side'}[{number}]").quadrature(4)
            np.testing.assert_allclose(points[:, axis], end + distance * (2 * end - 1), atol=1e-12)
            assert weights.sum() == pytest.approx(1 + 2 * min(distance, 0))


def test_a_buffer_of_shapes_without_numbers_has_none():
    assert Rectangle({x: (0, 1), y: (0, 1)}, name="rim").buffer(0.1).parts == ("rim",)
    bite = Rectangle({x: (0.5, 2), y: (0.5, 2)})
    sides = (Polygon((x, y), SQUARE) - bite).buffer(0.1)
    assert (sides.boundary("side[0]").quadrature(3)[0][:, 1] == -0.1).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Disk({x: 0, y: 0}, 1).buffer("a"), "not a number"),
        (lambda: Disk({x: 0, y: 0}, 1).buffer(-2), r"buffer\(-2\) leaves nothing"),
        (lambda: Rectangle({x: (0, 1), y: (0, 9)}).buffer(-0.6), r"buffer\(-0.6\) leaves nothing"),
        (lambda: Polygon((x, y), SQUARE, numbered=1), "True or False"),
        (
            lambda: Condition(field("u", x, y), on=Disk({x: 0, y: 0}, 1)),
            r"on=shape.boundary\(\)",
        ),
        (lambda: plate().buffer(0.1), "no straight sides.*no exact buffer"),
        (lambda: Ellipse({x: 0, y: 0}, (2, 1)).buffer(0.1), "Polygon"),
        (lambda: (plate() * Interval(t, 0, 1)).buffer(0.1), "cannot be grown"),
        (lambda: plate().contains([[1, 2, 3]]), r"\(points, 2\)"),
        (lambda: Box({x: (0, 1), y: (0, 1)}).contains([1, 2, 3]), r"\(points, 2\)"),
        (lambda: plate().contains("a"), "not points"),
        (lambda: plate().contains(0.5), r"\(points, 2\)"),
        (lambda: plate().boundary(where=lambda x, y: y < 0.5), "one array of shape"),
        (lambda: Problem(shapely.box(0, 0, 1, 1)), r"Polygon\(\(x, y\), geometry\)"),
        (lambda: (plate() * Interval(t, 0, 1)) - shapely.box(0, 0, 1, 1), "lives in 2 coord"),
    ],
)
def test_what_cannot_be_done_is_said(make, message):
    with pytest.raises(ProblemError, match=message):
        make()


def test_geometries_of_shapely_are_combined_as_polygons():
    disk, square = Disk({x: 0, y: 0}, 1), shapely.box(0, 0, 2, 2)
    for made, area in ((disk - square, 0.75), (disk & square, 0.25)):
        assert made.quadrature(30)[1].sum() == pytest.approx(area * np.pi, rel=1e-4)
