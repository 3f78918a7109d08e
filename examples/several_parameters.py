"""Four unknown rates of predator and prey, each with its standard error, and their correlation."""

import numpy as np

from piscm import Observations, solve, zoo

benchmark = zoo.load("lotka-volterra-inverse")
fields = {str(item.func): item for item in benchmark.problem.fields}

rng = np.random.default_rng(0)
times = np.sort(rng.random(50)) * 8
exact = benchmark.reference(times)
problem = benchmark.problem.with_observations(
    [
        Observations(fields[name], times, values + 0.02 * rng.normal(size=len(times)))
        for name, values in exact.items()
    ]
)


def main() -> float:
    """The largest error, in standard errors."""
    solution = solve(problem)
    print(solution)
    print("correlation of the errors:")
    print(np.array2string(solution.correlation, precision=2, suppress_small=True))
    return max(
        abs(item.value - benchmark.truth[name]) / item.stderr
        for name, item in solution.unknowns.items()
    )


if __name__ == "__main__":
    main()
