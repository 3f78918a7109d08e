"""`solution.plot()` shows what there is: every field, data, bands, unknowns, windows."""

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
import sympy

from piscm import (
    PISC3,
    Box,
    Condition,
    Disk,
    Observations,
    Problem,
    Sampling,
    Windows,
    coordinates,
    field,
    plots,
    solve,
    unknown,
)

matplotlib.use("agg")

x, y, t = coordinates("x y t")
SMALL = PISC3(max_nodes=6, scale=2.0, candidates=5)


@pytest.fixture(autouse=True)
def closed():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture(scope="module")
def prey():
    """Two fields along a time, in windows."""
    a, b = field("a", t), field("b", t)
    problem = Problem(
        Box({t: (0, 2)}),
        [a.diff(t) - a * (1 - b), b.diff(t) - b * (a - 1)],
        [Condition(a - 2, on={t: 0}), Condition(b - 1, on={t: 0})],
    )
    return solve(problem, Windows(t, 2, method=SMALL), sampling=Sampling(30, 5))


@pytest.fixture(scope="module")
def measured():
    """Two unknowns from noisy data."""
    w, (k, c) = field("w", t), unknown("k c")
    at = np.linspace(0, 4, 40)
    noise = 0.05 * np.random.default_rng(0).normal(size=40)
    data = Observations(w, points=at, values=1 + np.exp(-1.3 * at) + noise, noise=0.05)
    problem = Problem(
        Box({t: (0, 4)}),
        [w.diff(t) + k * (w - c)],
        [Condition(w - 2, on={t: 0})],
        {k: 1.0, c: 0.5},
        [data],
    )
    return solve(problem, PISC3(max_nodes=12, scale=2.0, candidates=20), sampling=Sampling(60, 5))


def wide(*symbols):
    u = field("u", *symbols)
    problem = Problem(
        Box({symbol: (0, 1) for symbol in symbols}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})]
    )
    return solve(problem, SMALL, sampling=Sampling(40, 8))


def test_every_field_in_one_picture_with_the_edges_of_windows(prey):
    ax = prey.plot(units={"t": "s"})
    labels = [line.get_label() for line in ax.lines]
    assert labels[:2] == ["$a$", "$b$"]
    assert [line.get_xdata()[0] for line in ax.lines[2:]] == [1.0]
    assert ax.get_xlabel() == "$t$ (s)"
    assert len(ax.get_legend().get_texts()) == 2


def test_fields_of_other_sizes_have_pictures_of_their_own(prey):
    assert len(prey.plot(["a", "1000*b"])) == 2


def test_data_bands_unknowns_and_their_correlation(measured):
    axes = measured.plot()
    assert len(axes) == 3
    first, second, third = axes
    assert "data" in first.get_legend_handles_labels()[1]
    assert first.collections  # the band
    assert [tick.get_text() for tick in second.get_yticklabels()] == ["$k$", "$c$"]
    assert third.texts[0].get_text() == "1.00"
    assert measured.plot("w").lines  # one expression: one picture


def test_axes_of_the_user_are_used(prey, refused):
    figure, axes = matplotlib.pyplot.subplots(1, 2)
    assert prey.plot(ax=axes[0]) is axes[0]
    assert prey.plot(kind="growth", ax=axes[1]) is axes[1]
    assert len(figure.axes) == 2
    refused(lambda: prey.plot(ax=axes), "2 axes")


def test_maps_and_slices(tmp_path):
    assert wide(x, t).plot().get_ylabel() == "$t$"
    pair = wide(x, t).plot(reference=lambda x, t: np.exp(-x) + 0 * t)
    assert "absolute error" in pair[1].get_title()
    three = wide(x, y, t).plot()
    assert [ax.get_title().split("=")[1].strip(" )") for ax in three] == ["0", "0.5", "1"]
    scales = {ax.collections[0].get_clim() for ax in three}
    assert len(scales) == 1
    assert len(wide(x, y, t).plot(at={"t": 0.5}).collections) == 1
    assert wide(x, y, t).plot(at={"t": 0.5, "y": 0.2}).lines


@pytest.mark.parametrize("kind", ["growth", "points", "nodes", "residual"])
def test_the_other_kinds(prey, kind):
    for solution in (prey, wide(x, t), wide(x, y, t)):
        assert solution.plot(kind=kind).get_title()


def test_the_tolerance_is_a_line():
    u = field("u", x)
    problem = Problem(Box({x: (0, 1)}), [u.diff(x) + u], [Condition(u - 1, on={x: 0})])
    method = PISC3(max_nodes=6, scale=2.0, candidates=5, tolerance=1e-3)
    ax = solve(problem, method, sampling=Sampling(40, 8)).plot(kind="growth")
    assert any(set(line.get_ydata()) == {1e-3} for line in ax.lines)


def test_points_are_saved(prey, tmp_path):
    import piscm

    prey.save(tmp_path / "s.npz")
    again = piscm.load(tmp_path / "s.npz")
    assert set(again.points) == {"equations", "conditions"}
    np.testing.assert_array_equal(again.points["equations"], prey.points["equations"])
    low, high = prey.points["equations"].min(), prey.points["equations"].max()
    assert low < 1.0 < high  # of both windows


def test_a_shape(tmp_path):
    v = field("v", x, y)
    ring = Disk({x: 0, y: 0}, 1) - Disk({x: 0.2, y: 0}, 0.4)
    problem = Problem(ring, [v.diff(x, 2) + v.diff(y, 2)], [Condition(v - x, on="boundary")])
    method = PISC3(max_nodes=6, scale=2.0, candidates=5, activation="tanh")
    solution = solve(problem, method, sampling=Sampling(60, 30))
    for kind in ("fields", "points", "nodes", "residual"):
        solution.plot(kind=kind).figure.savefig(tmp_path / f"{kind}.png")


def test_mistakes_are_told(prey, refused):
    refused(lambda: prey.plot(kind="grwth"), "did you mean 'growth'")
    refused(lambda: prey.plot(kind="unknowns"), "no unknowns")
    refused(lambda: prey.plot(at={"z": 1}), "'z' is not a coordinate")
    refused(lambda: prey.plot("q"), "'q'")
    refused(lambda: prey.animate("a"), "besides t, not 0")


def test_animations(tmp_path, refused):
    solution = wide(x, t)
    solution.animate(frames=3, path=tmp_path / "u.gif")
    assert (tmp_path / "u.gif").read_bytes()[:3] == b"GIF"
    solution.animate(frames=2, path=tmp_path / "u.html")
    assert "font-awesome" not in (tmp_path / "u.html").read_text()  # nothing from the network
    assert "<img" in (tmp_path / "u.html").read_text()
    wide(x, y, t).animate(frames=2, path=tmp_path / "v.gif")
    refused(lambda: solution.animate(path=tmp_path / "u.xyz", frames=2), "'u.xyz'")
    refused(lambda: solution.animate(frames=1), "frames=1")


def test_a_page_shows_it_all(measured, tmp_path):
    from piscm.plots.page import Section

    written = plots.write_page(
        tmp_path / "index.html", [Section("mine", measured, files=["mine.npz"])], title="a < b"
    )
    page = (tmp_path / "index.html").read_text()
    assert "a &lt; b" in page
    assert "<math" in page
    assert 'href="mine.npz"' in page
    for file in written[:-1]:
        assert f'src="{file.name}"' in page
    assert {file.stem for file in written[:-1]} >= {"mine-fields", "mine-growth", "mine-residual"}
    assert "http" not in page.replace("http://www.w3.org", "")


def test_labels_are_typeset(prey):
    w = field("w", x, t)
    label = plots.canvas.math_text
    assert label(prey.problem, w.diff(x, 2)) == "${w}_{xx}$"
    odd = sympy.Piecewise((w, x > 0), (0, True))
    assert "Piecewise" in label(prey.problem, odd)  # matplotlib cannot typeset it
