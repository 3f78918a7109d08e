"""Methods of others, through the same `solve`, to be measured against."""

from piscm.baselines.base import Baseline

BASELINES: dict[str, type[Baseline]] = {}
"""By the name under which a saved solution knows them."""

__all__ = ["BASELINES", "Baseline"]
