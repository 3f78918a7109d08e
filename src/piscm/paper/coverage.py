"""Do the error bars hold? Many synthetic data sets, each solved for the unknowns.

For every data set the 95 % interval (1.96 standard errors) of each unknown either holds the truth
or does not. Over 200 sets the share that does should be near 95 %.

    python -m piscm.paper.coverage --sets 200 --workers 2 --out docs
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.progress import track
from scipy.stats import norm

from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Problem,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
    zoo,
)
from piscm.result.storage import write_csv

NOISE = 0.02  # of the root mean square of the observed values


@dataclass(frozen=True)
class Estimate:
    """One unknown from one data set."""

    system: str
    unknown: str
    seed: int
    truth: float
    value: float
    stderr: float


def noisy(values, rng):
    return values + NOISE * np.sqrt(np.mean(values**2)) * rng.normal(size=len(values))


def van_der_pol(seed):
    """mu from 100 observations; enough nodes that the equation is met far below the noise."""
    benchmark = zoo.load("van-der-pol-inverse")
    rng = np.random.default_rng([1, seed])
    points = rng.random((100, 2)) * [5, 1]
    values = noisy(benchmark.reference(points[:, 0], points[:, 1]), rng)
    u = benchmark.problem.fields[0]
    problem = benchmark.problem.with_observations([Observations(u, points, values)])
    method = PISC3(max_nodes=500, scale=(30.0, 10.0), selection="orthogonal", candidates=100)
    solution = solve(problem, method, sampling=Sampling(interior=1500, boundary=150), seed=seed)
    return estimates("Van der Pol", solution, {"mu": 1.0}, seed)


def oscillator(seed):
    """Damping and stiffness of u'' + c u' + k u = 0 from 60 observations."""
    t = coordinates("t")
    u = field("u", t)
    c, k = unknown("c"), unknown("k")
    rng = np.random.default_rng([2, seed])
    times = 6 * rng.random(60)
    rate = np.sqrt(4 - 0.25**2)
    exact = np.exp(-0.25 * times) * (np.cos(rate * times) + 0.25 / rate * np.sin(rate * times))
    problem = Problem(
        Box({t: (0, 6)}),
        [u.diff(t, 2) + c * u.diff(t) + k * u],
        [Condition(u - 1, on={t: 0}), Condition(u.diff(t), on={t: 0})],
        {c: 0.1, k: 1.0},
        [Observations(u, times, noisy(exact, rng))],
    )
    method = PISC3(max_nodes=60, selection="orthogonal", candidates=100)
    solution = solve(problem, method, sampling=Sampling(interior=200), seed=seed)
    return estimates("oscillator", solution, {"c": 0.5, "k": 4.0}, seed)


def estimates(system, solution, truth, seed):
    return [
        Estimate(system, name, seed, truth[name], item.value, item.stderr)
        for name, item in solution.unknowns.items()
    ]


def draw(found, path):
    """Standardized errors against the normal distribution they should have."""
    import matplotlib.pyplot as plt

    names = sorted({(item.system, item.unknown) for item in found}, reverse=True)
    figure, axes = plt.subplots(1, len(names), figsize=(4 * len(names), 3.2), layout="constrained")
    grid = np.linspace(-4, 4, 200)
    for ax, (system, name) in zip(axes, names, strict=True):
        own = [item for item in found if (item.system, item.unknown) == (system, name)]
        scores = np.array([(item.value - item.truth) / item.stderr for item in own])
        held = np.mean(np.abs(scores) < 1.96)
        ax.hist(scores, bins=np.linspace(-4, 4, 25), density=True, color="C0", alpha=0.6)
        ax.plot(grid, norm.pdf(grid), color="0.3")
        ax.set(title=f"{system}: {name}\n95 % interval holds {held:.1%} of {len(own)}")
        ax.set(xlabel="error / standard error", yticks=[])
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = []
    with ProcessPoolExecutor(options.workers) as pool:
        for system in (oscillator, van_der_pol):
            runs = pool.map(system, range(options.sets))
            for some in track(runs, description=system.__name__, total=options.sets):
                found.extend(some)
    write_csv(options.out / "coverage.csv", list(vars(found[0])), [vars(item) for item in found])
    draw(found, options.out / "coverage.png")
    for system, name in sorted({(item.system, item.unknown) for item in found}):
        own = [item for item in found if (item.system, item.unknown) == (system, name)]
        held = np.mean([abs(item.value - item.truth) < 1.96 * item.stderr for item in own])
        print(f"{system} {name}: the 95 % interval holds the truth in {held:.1%} of {len(own)}")


if __name__ == "__main__":
    main()
