"""An experiment: a method on a benchmark under a paradigm, one row of a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from piscm import Auto, Sampling, Windows, zoo
from piscm.baselines import PIELM, PINN, PISCN, RandomFeatures
from piscm.construct.construction import Construction
from piscm.result.method import Method
from piscm.zoo.benchmark import Benchmark

UNSUPERVISED, SEMI, INVERSE = "unsupervised", "semi-supervised", "inverse"

BENCHMARKS = {
    "table-1": "van-der-pol",
    "table-2": "helmholtz",
    "table-3": "allen-cahn",
    "table-4": "van-der-pol-inverse",
    "table-5": "helmholtz-inverse",
    "table-6": "van-der-pol",
}
FIGURES = {
    "figure-1": "table-1",
    "figure-2": "table-2",
    "figure-3": "table-3",
    "figure-4": "table-6",
}
"""From which table's trials each figure is drawn."""

# How many observations the paper gives wherever it gives any.
_OBSERVATIONS = 100
QUICK_SAMPLING = Sampling(interior=60, boundary=20, rule="latin")

Make = Callable[[Benchmark], Method]


@dataclass(frozen=True)
class Experiment:
    """One row of a table under one paradigm; table, method and paradigm name it."""

    method: str
    label: str
    kind: str  # "gradient", "least squares", "grown" or "classical"
    # Whose settings these are: the paper's, a rival's at its best ("tuned"), or piscm's ("ours").
    origin: str = "paper"
    make: Make | None = None  # None for what is no method of `solve`
    effort: float = 3.0  # seconds that a trial takes, roughly
    trials: int = 100
    accuracy: float = 0.0  # what a classical solver is asked for
    literal: bool = False  # the paper's algorithm written plainly, and not the library's
    table: str = ""
    paradigm: str = ""

    @property
    def key(self) -> str:
        """Its name."""
        return f"{self.table}/{self.method}/{self.paradigm}"

    @property
    def benchmark(self) -> Benchmark:
        """What is solved, with the paper's settings."""
        return _loaded(BENCHMARKS[self.table])

    @property
    def figure(self) -> str:
        """The figure that shows its field: the paper's show PI-SC-III with observations."""
        if (self.method, self.paradigm) != ("pi-sc-iii", SEMI):
            return ""
        return next(name for name, table in FIGURES.items() if table == self.table)

    @property
    def proposed(self) -> bool:
        """Whether it is one of the three algorithms that the paper proposes."""
        return self.method.startswith("pi-sc-")

    @property
    def observations(self) -> int:
        """How many observations the problem gets."""
        return 0 if self.paradigm == UNSUPERVISED else _OBSERVATIONS


def key_of(record: Mapping[str, Any]) -> str:
    """The name of the experiment that a record is of."""
    return f"{record['table']}/{record['method']}/{record['paradigm']}"


def miniature(method: Method) -> Method:
    """A method cut down to show that it runs, not how well."""
    match method:
        case Construction():
            return replace(method, max_nodes=20, candidates=10)
        case Auto():
            return replace(method, max_nodes=30, tolerance=1e-1)
        case Windows():
            return replace(method, count=2, method=Auto(max_nodes=30, tolerance=1e-1))
        case PINN():
            hidden = tuple(4 for _ in method.hidden)
            return replace(method, hidden=hidden, epochs=5, polish=min(method.polish, 2))
        case PISCN():
            return replace(method, max_nodes=10, epochs=5, polish=min(method.polish, 2))
        case RandomFeatures() | PIELM():
            return replace(method, nodes=20)
    raise TypeError(f"There is no miniature of {type(method).__name__}.")


@cache
def _loaded(name: str) -> Benchmark:
    return zoo.load(name)
