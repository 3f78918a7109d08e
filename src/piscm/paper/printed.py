"""What the paper prints: its six tables, number by number."""

from dataclasses import dataclass

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


def problem_of(table: str) -> str:
    """What a table is about, without its number."""
    return TITLES[table].split(": ")[1].split(",")[0]


Key = tuple[str, str, str]
"""A row of a table: its table, method and paradigm."""


@dataclass(frozen=True)
class Spread:
    """A mean and its standard deviation."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Printed:
    """One row of a table; Table VI has no times, and only IV and V have an unknown."""

    rmse: Spread
    seconds: Spread | None = None
    error: Spread | None = None


def _forward(table: str, rows: dict[tuple[str, str], tuple[float, ...]]) -> dict[Key, Printed]:
    """Rows of time and RMSE, as the forward tables have them."""
    return {
        (table, method, paradigm): Printed(Spread(e, e_sd), Spread(s, s_sd))
        for (method, paradigm), (s, s_sd, e, e_sd) in rows.items()
    }


def _inverse(table: str, rows: dict[str, tuple[float, ...]]) -> dict[Key, Printed]:
    """Rows of the unknown's error, time and RMSE, as the inverse tables have them."""
    return {
        (table, method, "inverse"): Printed(Spread(e, e_sd), Spread(s, s_sd), Spread(p, p_sd))
        for method, (p, p_sd, s, s_sd, e, e_sd) in rows.items()
    }


_UN, _SEMI = "unsupervised", "semi-supervised"

PRINTED: dict[Key, Printed] = {
    **_forward(
        "table-1",
        {
            ("pinn-shallow", _UN): (21.3, 0.57, 3.69e-1, 9.18e-2),
            ("pinn-shallow", _SEMI): (27.5, 0.89, 8.05e-2, 4.02e-3),
            ("pinn-deep", _UN): (40.0, 1.02, 5.49e-3, 3.03e-3),
            ("pinn-deep", _SEMI): (50.8, 1.08, 1.34e-3, 5.22e-4),
            ("piscn", _SEMI): (13.8, 0.37, 7.58e-2, 2.59e-2),
            ("pi-sc-i", _UN): (0.53, 0.02, 3.88e-1, 1.41e-1),
            ("pi-sc-i", _SEMI): (0.60, 0.01, 1.23e-1, 3.82e-2),
            ("pi-sc-ii", _UN): (1.37, 0.04, 1.30e-2, 5.73e-3),
            ("pi-sc-ii", _SEMI): (1.57, 0.05, 5.27e-3, 2.63e-3),
            ("pi-sc-iii", _UN): (1.44, 0.04, 1.93e-3, 9.86e-4),
            ("pi-sc-iii", _SEMI): (1.64, 0.04, 5.92e-4, 1.76e-4),
        },
    ),
    **_forward(
        "table-2",
        {
            ("pinn-shallow", _UN): (40.5, 1.23, 2.62e-2, 1.97e-2),
            ("pinn-shallow", _SEMI): (53.2, 1.51, 1.13e-2, 4.50e-3),
            ("pinn-deep", _UN): (75.6, 1.11, 3.28e-2, 1.43e-2),
            ("pinn-deep", _SEMI): (105.0, 1.38, 1.44e-2, 5.06e-3),
            ("pielm", _UN): (0.02, 0.00, 9.09e-3, 3.83e-3),
            ("pielm", _SEMI): (0.02, 0.00, 6.61e-3, 3.84e-3),
            ("pi-sc-i", _UN): (0.57, 0.01, 1.91e-1, 9.82e-2),
            ("pi-sc-i", _SEMI): (0.66, 0.01, 1.57e-1, 7.25e-2),
            ("pi-sc-ii", _UN): (1.99, 0.05, 5.19e-3, 2.05e-3),
            ("pi-sc-ii", _SEMI): (2.20, 0.06, 4.71e-3, 1.78e-3),
            ("pi-sc-iii", _UN): (2.31, 0.04, 1.02e-6, 4.79e-7),
            ("pi-sc-iii", _SEMI): (2.54, 0.05, 1.04e-6, 8.75e-7),
        },
    ),
    **_forward(
        "table-3",
        {
            ("vs-pinn-shallow", _UN): (31.8, 0.79, 5.40e-1, 2.63e-2),
            ("vs-pinn-shallow", _SEMI): (36.2, 0.94, 4.65e-1, 4.67e-2),
            ("vs-pinn-deep", _UN): (65.0, 1.06, 5.23e-1, 4.14e-2),
            ("vs-pinn-deep", _SEMI): (71.6, 1.35, 7.75e-2, 1.06e-1),
            ("pi-sc-i", _UN): (1.59, 0.04, 5.28e-1, 3.50e-3),
            ("pi-sc-i", _SEMI): (1.73, 0.03, 3.16e-1, 2.47e-2),
            ("pi-sc-ii", _UN): (3.13, 0.07, 1.71e-1, 4.44e-2),
            ("pi-sc-ii", _SEMI): (3.41, 0.06, 2.25e-2, 1.04e-2),
            ("pi-sc-iii", _UN): (3.49, 0.14, 6.16e-3, 2.07e-3),
            ("pi-sc-iii", _SEMI): (3.70, 0.07, 1.57e-3, 2.88e-4),
        },
    ),
    **_inverse(
        "table-4",
        {
            "pinn-shallow": (2.88e-1, 1.09e-1, 22.0, 0.51, 5.85e-2, 1.35e-2),
            "pinn-deep": (2.35e-4, 2.01e-4, 51.8, 0.94, 9.51e-4, 3.42e-4),
            "pi-sc-i": (4.01e-1, 4.69e-2, 0.71, 0.02, 1.08e-1, 2.05e-2),
            "pi-sc-ii": (1.91e-3, 1.59e-3, 1.64, 0.03, 4.80e-3, 2.10e-3),
            "pi-sc-iii": (5.08e-4, 2.75e-4, 1.95, 0.04, 5.96e-4, 2.00e-4),
        },
    ),
    **_inverse(
        "table-5",
        {
            "pinn-shallow": (1.09e1, 2.87e0, 50.6, 1.19, 2.82e-1, 1.27e-1),
            "pinn-deep": (6.72e-1, 6.27e-1, 101.0, 2.13, 2.36e-2, 1.22e-2),
            "pi-sc-i": (3.72e1, 1.93e1, 1.49, 0.03, 2.17e-1, 9.90e-2),
            "pi-sc-ii": (7.14e-1, 7.55e-1, 3.14, 0.07, 5.04e-3, 2.21e-3),
            "pi-sc-iii": (8.42e-4, 1.60e-3, 3.51, 0.10, 6.70e-5, 1.15e-4),
        },
    ),
    ("table-6", "pi-sc-iii-sine", _SEMI): Printed(Spread(5.66e-4, 3.59e-4)),
    ("table-6", "pi-sc-iii-tanh", _SEMI): Printed(Spread(2.71e-3, 8.92e-4)),
    ("table-6", "pi-sc-iii-sigmoid", _SEMI): Printed(Spread(1.68e-2, 7.96e-3)),
}
