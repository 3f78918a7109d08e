"""Other authors' methods, through the same `solve`, for comparison.

Knows everything below it, and needs JAX for methods that are trained by gradient descent. Must not
be known to any other room but `paper`.
"""

from piscm.baselines.base import Baseline
from piscm.baselines.pielm import PIELM
from piscm.baselines.pinn import PINN
from piscm.baselines.piscn import PISCN
from piscm.baselines.random_features import RandomFeatures

BASELINES: dict[str, type[Baseline]] = {
    "PIELM": PIELM,
    "PINN": PINN,
    "PISCN": PISCN,
    "RandomFeatures": RandomFeatures,
}
"""By the name used in saved solutions."""

__all__ = ["BASELINES", "PIELM", "PINN", "PISCN", "Baseline", "RandomFeatures"]
