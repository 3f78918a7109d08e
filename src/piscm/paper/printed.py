"""What the paper prints: its six tables, number by number, as ``printed.csv`` holds them."""

import csv
from pathlib import Path
from typing import NamedTuple

TITLES = {
    "table-1": "Table I: Van der Pol oscillator, forward",
    "table-2": "Table II: Helmholtz equation, forward",
    "table-3": "Table III: Allen–Cahn equation, forward",
    "table-4": "Table IV: Van der Pol oscillator, inverse",
    "table-5": "Table V: Helmholtz equation, inverse",
    "table-6": "Table VI: activation functions, semi-supervised Van der Pol, PI-SC-III",
}
UNKNOWN = {"table-4": "μ", "table-5": "k²"}
TRIALS = 100


class Spread(NamedTuple):
    """A mean and its standard deviation."""

    mean: float
    sd: float


def problem_of(table: str) -> str:
    """What a table is about, without its number."""
    return TITLES[table].split(": ")[1].split(",")[0]


def _read() -> dict[str, dict[str, Spread]]:
    with open(Path(__file__).with_name("printed.csv"), newline="", encoding="utf-8") as file:
        return {
            f"{row['table']}/{row['method']}/{row['paradigm']}": {
                name: Spread(float(row[name]), float(row[f"{name}_sd"]))
                for name in ("seconds", "rmse", "error")
                if row[name]
            }
            for row in csv.DictReader(file)
        }


PRINTED = _read()
"""By experiment and quantity; Table VI has no times, and only IV and V have an unknown."""
