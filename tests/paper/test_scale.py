"""Studies of scale: problems with their answers, exponents, the model's counts, the bars."""

import numpy as np
import pytest

from piscm.assemble.windows import Part
from piscm.network.start import Start
from piscm.paper import scale_bars
from piscm.paper.bench import bench
from piscm.paper.drawing import new_figure
from piscm.paper.scale import _QUICK, SIZES, Size, cost, draw, scale, summary
from piscm.paper.scale_check import summary as model_summary
from piscm.paper.scale_model import Constants, counted, predicted
from piscm.paper.scale_problems import helmholtz, multiscale, oscillation
from piscm.patches.coupled import Coupled
from piscm.patches.cutting import cut_problem
from piscm.patches.grid import Grid
from piscm.patches.levels import Level, resolution

EVEN = {"equations": 1.0, "conditions": 1.0, "observations": 1.0}


@pytest.mark.parametrize("made", [helmholtz(3), oscillation(3), multiscale(4)])
def test_the_exact_solutions_satisfy_their_equations(made):
    problem, exact = made
    field = problem.fields[0]
    symbols = problem.domain.coordinates
    rng = np.random.default_rng(0)
    step = 1e-4
    at = rng.uniform(0.1, 0.9, (len(symbols), 50))
    laplacian = sum(
        (exact(*(at + shift)) - 2 * exact(*at) + exact(*(at - shift))) / step**2
        for shift in step * np.eye(len(symbols))[:, :, None]
    )
    import sympy

    (equation,) = problem.equations
    rest = equation.xreplace({field.diff(c, 2): 0 for c in symbols}).doit()
    value = sympy.Dummy()
    others = sympy.lambdify((*symbols, value), rest.xreplace({field: value}))
    residual = laplacian + others(*at, exact(*at))
    assert np.abs(residual).max() < 1e-4 * np.abs(laplacian).max()


def test_sizes_of_the_study():
    for sizes in (_QUICK, SIZES):
        assert set(sizes) == {"patches", "points", "wavelengths"}
        for own in sizes.values():
            assert len(own) > 1
    assert max(size.side for size in SIZES["patches"]) ** 2 == 256
    assert SIZES["points"][-1].points == 10**7
    assert len(scale(True).trials) == 6


def test_one_case_and_its_exponents():
    rows = [
        {"along": "patches", "wavelengths": side, "patches": side**2, **cost(Size(side, side, 60))}
        for side in (1, 2)
    ]
    assert rows[1]["error"] < 1e-2
    assert rows[1]["points"] > rows[0]["points"]
    found = summary(rows)
    assert np.isnan(found[0]["time_exponent"])  # there is none before it
    assert np.isfinite(found[1]["time_exponent"])
    figure = new_figure(4, 3)
    draw(found, figure.subplots())


@pytest.mark.slow
def test_the_command_writes_its_table(tmp_path, monkeypatch):
    few = {"patches": [Size(1, 1, 20), Size(2, 2, 20)]}
    monkeypatch.setattr("piscm.paper.scale._QUICK", few)
    bench(tmp_path, 1, True, ["scale"])
    assert (tmp_path / "bench-scale.csv").read_text().count("\n") == 3
    assert (tmp_path / "bench.png").is_file()


def test_the_bytes_that_are_counted_are_those_that_travel():
    side, nodes = 4, 40
    problem, _ = helmholtz(side)
    grid = Grid.even(problem.domain, (side, side))
    level = Level(tuple(tuple(map(float, own)) for own in grid.edges), nodes)
    chosen = resolution(problem, grid, level, "sin", None, 1.0)
    cutting = cut_problem(
        Part.whole(problem), grid, chosen, Start(problem), EVEN, np.random.default_rng(0)
    )
    coupled = Coupled(cutting)
    currents = [
        {n: own for n, own in coupled._guided(None).items() if n in district.patches}
        for district in coupled.districts
    ]
    parts = coupled.crew.factored(coupled.districts, currents, (1, 2))
    shares = [8 * part.merged.share.rows.size for part in parts]
    counts = counted(side, nodes, chosen.terms)
    weights = 8 * 3 * nodes * side**2
    assert counts.districts == len(shares)
    assert counts.up == sum(shares) + weights


def test_flops_grow_as_they_should():
    small, large = (counted(side, 100, 10) for side in (16, 32))
    assert large.patches == 4 * small.patches
    assert 6 < large.top / small.top < 16  # the cube of the side, at last
    assert large.path < large.top


def test_more_workers_take_less_until_one_alone_has_the_rest():
    constants = Constants(0.1, 1e-3, 1e10, 1e-4, 1e9, 1e4)
    counts = counted(16, 100, 10)
    seconds = [sum(predicted(counts, constants, count).values()) for count in (1, 2, 4, 1000)]
    assert seconds == sorted(seconds, reverse=True)
    known = {"what": "constants", "nodes": 100, "terms": 10, **vars(constants)}
    there = {"what": "measured", "workers": 2, "patches": 256, "seconds": 3.0, "load": 1.0}
    rows = model_summary([known, there])
    assert rows[0]["predicted"] == pytest.approx(seconds[1])


def test_the_table_of_bars():
    records = [
        {
            "case": "oscillation, periods",
            "at": size,
            "seed": seed,
            "load": 1.0,
            "size": size,
            "error": 1e-9,
            "seconds": 0.02 * size,
            "status": ("CONVERGED", "HOPELESS")[seed],
        }
        for size in (100, 200)
        for seed in (0, 1)
    ]
    rows = scale_bars.summary(records)
    assert [row["reached"] for row in rows] == ["1e-09", "1e-09", "1.00"]
    assert rows[0]["runs"] == 2
    assert "CONVERGED or HOPELESS" in rows[0]["others"]
    assert len({case.what for case in scale_bars.CASES}) == 9
