"""A problem with a known answer and the settings of its source."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.construct.construction import Construction
from piscm.problem.errors import ProblemError
from piscm.problem.observations import Observations
from piscm.problem.problem import Problem

Floats = NDArray[np.float64]

# Spawn keys of a seed's generator: data and test points are independent of each other and of the
# points and nodes that `solve` draws with the same seed.
_DATA, _TEST = 101, 102


@dataclass(frozen=True)
class Benchmark:
    """A problem of the zoo.

    Attributes
    ----------
    name, title, source : str
        Its name, a description, and its origin.
    problem : Problem
    reference : callable
        ``reference(**coordinates)`` is the solution, broadcast as in NumPy; for several fields, a
        mapping by name.
    options : mapping
        The method options of the source, such as `max_nodes` and `scale`.
    sampling : Sampling
        The points of the source.
    sections : tuple
        A coordinate and two of its values, for plots of cross sections.
    observations : int
        The default number of observations in the source.
    grid : tuple of int
        How many observations the source has along each coordinate, edges included; empty where
        they lie at random. Any other number of them is drawn at random.
    truth : mapping
        The true value of each unknown.
    weights : mapping
        The weights of the kinds of blocks, for `solve`; 1 by default.
    """

    name: str
    title: str
    source: str
    problem: Problem
    reference: Callable[..., Any]
    options: Mapping[str, Any]
    sampling: Sampling
    sections: tuple[str, tuple[float, float]] | None = None
    observations: int = 0
    grid: tuple[int, ...] = ()
    truth: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)

    def method(self, kind: type[Construction], **overrides: Any) -> Construction:
        """A method with the options of the source, some of them overridden."""
        return kind(**{**self.options, **overrides})

    def observed(self, count: int, seed: int = 0) -> Problem:
        """The problem with exact observations, divided evenly among its fields."""
        if not isinstance(count, int) or count < 0:
            raise ProblemError(f"{count!r} observations: give a whole number from 0 up.")
        if count == 0:
            return self.problem
        if self.grid and count == math.prod(self.grid):
            points = self._grid_points()
        else:
            points = self._random_points(
                max(1, count // len(self.problem.written_fields)), seed, _DATA
            )
        pairs = zip(self.problem.written_fields, self._truth_at(points), strict=True)
        return self.problem.with_observations(
            [Observations(item, points, values) for item, values in pairs]
        )

    def rmse(self, solution: Callable[..., Any], count: int = 10_000, seed: int = 0) -> float:
        """The root mean square error at random test points."""
        found, true = self._compared(solution, count, seed)
        return float(np.sqrt(np.mean(np.sum((found - true) ** 2, axis=0))))

    def relative_error(
        self, solution: Callable[..., Any], count: int = 10_000, seed: int = 0
    ) -> float:
        """The L2 error relative to the L2 norm of the reference, for all fields together."""
        found, true = self._compared(solution, count, seed)
        return float(np.linalg.norm(found - true) / np.linalg.norm(true))

    def _compared(
        self, solution: Callable[..., Any], count: int, seed: int
    ) -> tuple[Floats, Floats]:
        """Computed and reference values at random test points, by field and point."""
        points = self._random_points(count, seed, _TEST)
        at = self._by_name(points)
        found = [solution(item, **at) for item in self.problem.written_fields]
        return np.array(found), np.array(self._truth_at(points))

    def _random_points(self, count: int, seed: int, key: int) -> Floats:
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(key,)))
        domain = self.problem.domain
        points = domain.sample_inside(count, lambda n, d: rng.random((n, d)))
        while len(points) < count:  # shapes draw about as many
            more = domain.sample_inside(count, lambda n, d: rng.random((n, d)))
            points = np.concatenate([points, more])
        return points[:count]

    def _grid_points(self) -> Floats:
        box = self.problem.domain.bounding_box
        spans = zip(box.lower, box.upper, self.grid, strict=True)
        axes = np.meshgrid(*(np.linspace(*span) for span in spans), indexing="ij")
        return np.stack([axis.ravel() for axis in axes], axis=1)

    def _by_name(self, points: Floats) -> dict[str, Floats]:
        names = (symbol.name for symbol in self.problem.domain.coordinates)
        return dict(zip(names, points.T, strict=True))

    def _truth_at(self, points: Floats) -> tuple[Floats, ...]:
        values = self.reference(**self._by_name(points))
        if not isinstance(values, Mapping):
            return (values,)
        return tuple(values[str(item.func)] for item in self.problem.written_fields)
