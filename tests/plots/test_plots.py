"""Pictures: axes are taken or made, returned, and hold what they should."""

import matplotlib
import numpy as np
import pytest

from piscm import (
    PISC1,
    Box,
    Condition,
    Disk,
    Polygon,
    Problem,
    ProblemError,
    Region,
    Sampling,
    coordinates,
    field,
    plots,
    solve,
)

matplotlib.use("agg")

x, t, s = coordinates("x t s")


def small(*symbols):
    u = field("u", *symbols)
    problem = Problem(
        Box({symbol: (0, 1) for symbol in symbols}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})]
    )
    sampling = Sampling(interior=20, boundary=5)
    return solve(problem, PISC1(max_nodes=3, scale=2.0), sampling=sampling)


def decay(x, **_):
    return np.exp(-np.asarray(x))


@pytest.mark.parametrize("symbols", [(x,), (x, t), (x, t, s)])
@pytest.mark.parametrize("reference", [None, lambda **at: decay(**at) + 0 * sum(at.values())])
def test_overview_in_any_dimension(symbols, reference, tmp_path):
    figure = plots.overview(small(*symbols), reference=reference)
    figure.savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 10_000
    plots.close(figure)


def test_axes_are_taken_and_returned():
    solution = small(x, t)
    figure, axes = matplotlib.pyplot.subplots(1, 3)
    assert plots.field_map(solution, ax=axes[0]) is axes[0]
    assert plots.cross_section(solution, at={"t": 0.5}, ax=axes[1]) is axes[1]
    assert plots.residual_history(solution, ax=axes[2]) is axes[2]
    assert len(axes[2].lines[0].get_xdata()) == solution.n_nodes
    plots.close(figure)


def test_expression_is_the_title():
    solution = small(x, t)
    u = solution.problem.fields[0]
    ax = plots.field_map(solution, u.diff(x) ** 2)
    assert ax.get_title() == "${u}_{x}^{2}$"
    plots.close(ax.figure)


def test_wrong_number_of_free_coordinates_is_told():
    with pytest.raises(ProblemError, match="one free coordinate, not 2"):
        plots.cross_section(small(x, t))
    with pytest.raises(ProblemError, match="two free coordinates, not 1"):
        plots.field_map(small(x))


def test_a_map_shows_the_shape(tmp_path):
    u = field("u", x, t)
    ring = Disk({x: 0, t: 0}, 1) - Disk({x: 0.2, t: 0}, 0.4)
    problem = Problem(ring, [u.diff(x, 2) + u.diff(t, 2)], [Condition(u - x, on="boundary")])
    solution = solve(problem, PISC1(max_nodes=3, scale=2.0), sampling=Sampling(60, 30))
    for reference in (None, lambda x, t: x / np.hypot(x - 0.2, t)):
        ax = plots.field_map(solution, reference=reference)
        values = ax.collections[0].get_array()
        assert values[80, 96] is np.ma.masked or not np.isfinite(values[80, 96])  # in the hole
        assert np.isfinite(values[80, 10])
        assert ax.get_aspect() == 1
        assert len(ax.collections) == 3  # values, what covers the outside, the boundary
        ax.figure.savefig(tmp_path / "map.png")
        plots.close(ax.figure)
    ax = plots.cross_section(solution, at={"t": 0.0}, reference=lambda x, t: x)
    truth, found = (line.get_ydata() for line in ax.lines)
    np.testing.assert_array_equal(np.isnan(truth), np.isnan(found))
    assert np.isnan(truth).any()
    plots.close(ax.figure)
    ax = plots.residual_map(solution)
    assert len(ax.collections) == 3
    assert ax.get_aspect() == 1
    values = ax.collections[0].get_array()
    assert np.isfinite(values[40, 5])
    assert not np.ma.filled(np.isfinite(values[40, 48]), False)  # in the hole
    plots.close(ax.figure)
    plots.close(plots.overview(solution))


def test_coordinates_are_fixed_by_symbol_or_name():
    flat, solid = small(x, t), small(x, t, s)
    for draw, own, at in (
        (plots.cross_section, flat, t),
        (plots.profile, flat, t),
        (plots.field_map, solid, s),
        (plots.residual_map, solid, s),
    ):
        ax = draw(own, at={at: 0.5})
        assert str(at) in ax.get_title()
        plots.close(ax.figure)
    ax = plots.field_map(solid, at={s: 0.5}, across=t)
    assert ax.get_xlabel() == "$t$"
    plots.close(ax.figure)


def test_an_interface_that_is_slanted_is_drawn_straight():
    y, k = coordinates("y k")
    u = field("u", x, y)
    left = Polygon((x, y), [(0, 0), (0.4, 0), (0.6, 1), (0, 1)])
    right = Polygon((x, y), [(0.4, 0), (1, 0), (1, 1), (0.6, 1)])
    problem = Problem(
        regions=[Region(left, {k: 1}), Region(right, {k: 2})],
        equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
        conditions=[Condition(u - x, on="boundary")],
    )
    solution = solve(problem, PISC1(max_nodes=3, scale=2.0), sampling=Sampling(20, 5))
    ax = plots.field_map(solution)
    lines = [path.vertices for own in ax.collections for path in getattr(own, "get_paths", list)()]
    on_it = [p for p in lines if len(p) > 10 and np.ptp(p[:, 0]) < 0.3 and np.ptp(p[:, 1]) > 0.9]
    assert on_it
    assert all(np.abs(p[:, 0] - 0.4 - 0.2 * p[:, 1]).max() < 2e-3 for p in on_it)
    plots.close(ax.figure)
