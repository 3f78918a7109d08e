"""Methods of others, through the same `solve`, to be measured against."""

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
"""By the name under which a saved solution knows them."""

__all__ = ["BASELINES", "PIELM", "PINN", "PISCN", "Baseline", "RandomFeatures"]
