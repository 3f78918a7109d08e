"""Do the error bars hold? Many synthetic data sets, each solved for the unknowns.

For every data set the 95 % interval (1.96 standard errors) of each unknown either holds the truth
or does not. Over 200 sets the share that does should be near 95 %.

    python -m piscm.paper.coverage --sets 200 --workers 2 --out docs
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

import piscm
from piscm import PISC3, Observations, Sampling, Solution, solve
from piscm.paper.drawing import new_figure, write_png
from piscm.paper.store import Record
from piscm.paper.study import command_line, grouped, measured
from piscm.paper.trials import Trial
from piscm.text.files import write_csv

Floats = NDArray[np.float64]

NOISE = 0.02  # of the root mean square of the observed values
CONDUCTS = 3.0  # how much better the inclusion does than the plate


def _noisy(values: Floats, rng: np.random.Generator, noise: float = NOISE) -> Floats:
    size = noise * float(np.sqrt(np.mean(values**2)))
    return values + size * rng.normal(size=len(values))


def _van_der_pol(seed: int) -> Solution:
    """mu from 100 observations; enough nodes that the equation is met far below the noise."""
    benchmark = piscm.zoo.load("van-der-pol-inverse")
    rng = np.random.default_rng([1, seed])
    points = rng.random((100, 2)) * [5, 1]
    values = _noisy(benchmark.reference(points[:, 0], points[:, 1]), rng)
    u = benchmark.problem.fields[0]
    problem = benchmark.problem.with_observations([Observations(u, points, values)])
    method = PISC3(max_nodes=500, scale=(30.0, 10.0), selection="orthogonal", candidates=100)
    sampling = Sampling(interior=1500, boundary=150)
    return solve(problem, method, sampling=sampling, seed=seed, progress=False)


def _oscillator(seed: int) -> Solution:
    """Damping and stiffness of u'' + c u' + k u = 0 from 60 observations."""
    t = piscm.coordinates("t")
    u = piscm.field("u", t)
    c, k = piscm.unknown("c"), piscm.unknown("k")
    rng = np.random.default_rng([2, seed])
    times = 6 * rng.random(60)
    rate = np.sqrt(4 - 0.25**2)
    exact = np.exp(-0.25 * times) * (np.cos(rate * times) + 0.25 / rate * np.sin(rate * times))
    problem = piscm.Problem(
        piscm.Box({t: (0, 6)}),
        [u.diff(t, 2) + c * u.diff(t) + k * u],
        [piscm.Condition(u - 1, on={t: 0}), piscm.Condition(u.diff(t), on={t: 0})],
        {c: 0.1, k: 1.0},
        [Observations(u, times, _noisy(exact, rng))],
    )
    method = PISC3(max_nodes=60, selection="orthogonal", candidates=100)
    return solve(problem, method, sampling=Sampling(interior=200), seed=seed, progress=False)


def inclusion(seed: int) -> Solution:
    """The conductivity of a disk in a plate from 60 values on the rim, the heat there given."""
    x, y = piscm.coordinates("x y")
    k, u = piscm.coordinates("k"), piscm.field("u", x, y)
    inside, radius = piscm.unknown("inside", positive=True), 0.5
    disk = piscm.Disk({x: 0, y: 0}, radius, name="disk")
    plate = piscm.Rectangle({x: (-1, 1), y: (-1, 1)}) - disk
    turned = (1 - CONDUCTS) / (1 + CONDUCTS) * radius**2
    outside = x * (1 + turned / (x**2 + y**2))
    heat = piscm.normal(x) * outside.diff(x) + piscm.normal(y) * outside.diff(y)
    rng = np.random.default_rng([3, seed])
    side, face = rng.uniform(-1, 1, 60), np.arange(60) % 4
    ends = np.where(face < 2, -1.0, 1.0)
    along = (face % 2 == 0)[:, None]
    points = np.where(along, np.stack([side, ends], 1), np.stack([ends, side], 1))
    exact = points[:, 0] * (1 + turned / np.sum(points**2, axis=1))
    values = _noisy(exact, rng, 0.01)
    problem = piscm.Problem(
        regions=[
            piscm.Region(plate, {k: 1}, singular={u: piscm.singular_functions(plate)}),
            piscm.Region(disk, {k: inside}, singular={}),
        ],
        equations=[(k * u.diff(x)).diff(x) + (k * u.diff(y)).diff(y)],
        conditions=[piscm.Condition(piscm.normal_derivative(u) - heat, on="boundary")],
        unknowns={inside: 1.0},
        observations=[Observations(u, points, values)],
    )
    method = PISC3(max_nodes=40, selection="orthogonal", candidates=100)
    sampling = Sampling(interior=150, boundary=60)
    return solve(problem, method, sampling=sampling, seed=seed, progress=False)


SYSTEMS: dict[str, tuple[Callable[[int], Solution], dict[str, float], float]] = {
    "oscillator": (_oscillator, {"c": 0.5, "k": 4.0}, 0.3),
    "Van der Pol": (_van_der_pol, {"mu": 1.0}, 4.0),
    "inclusion": (inclusion, {"inside": CONDUCTS}, 1.5),
}
"""How it is solved, the true unknowns, and about how many seconds it takes."""


def _measured(system: str, seed: int) -> Record:
    run, truth, _ = SYSTEMS[system]
    return {
        name: {
            "system": system,
            "unknown": name,
            "seed": seed,
            "truth": truth[name],
            "value": found.value,
            "stderr": found.stderr,
        }
        for name, found in run(seed).unknowns.items()
    }


def _scores(rows: list[Record]) -> Floats:
    """Errors in units of the standard error."""
    return np.array([(row["value"] - row["truth"]) / row["stderr"] for row in rows])


def _held(rows: list[Record]) -> str:
    return f"{np.mean(np.abs(_scores(rows)) < 1.96):.1%} of {len(rows)}"


def _draw(rows: list[Record], path: Path) -> None:
    """Standardized errors against the normal distribution they should have."""
    groups = sorted(grouped(rows, "system", "unknown").items(), reverse=True)
    figure = new_figure(4 * len(groups), 3.2)
    grid = np.linspace(-4, 4, 200)
    for ax, ((system, name), own) in zip(figure.subplots(1, len(groups)), groups, strict=True):
        ax.hist(_scores(own), bins=np.linspace(-4, 4, 25), density=True, color="C0", alpha=0.6)
        ax.plot(grid, norm.pdf(grid), color="0.3")
        ax.set(title=f"{system}: {name}\n95 % interval holds {_held(own)}")
        ax.set(xlabel="error / standard error", yticks=[])
    write_png(path, figure)


def main() -> None:
    parser = command_line((__doc__ or "").split("\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    options = parser.parse_args()
    trials = [
        Trial(f"coverage/{system}, seed {seed}", effort, partial(_measured, system, seed))
        for system, (_, _, effort) in SYSTEMS.items()
        for seed in range(options.sets)
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    rows = [row for record in measured(trials, options.workers) for row in record.values()]
    write_csv(options.out / "coverage.csv", list(rows[0]), rows)
    _draw(rows, options.out / "coverage.png")
    for (system, name), own in sorted(grouped(rows, "system", "unknown").items()):
        print(f"{system} {name}: the 95 % interval holds the truth in {_held(own)}")


if __name__ == "__main__":
    main()
