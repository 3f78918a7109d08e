"""Which weights are corrected after each growth step: what tells PI-SC-I, II and III apart."""

from abc import ABC, abstractmethod
from dataclasses import dataclass


class Correction(ABC):
    """The newest so many nodes have their weights corrected together."""

    @abstractmethod
    def size(self, count: int) -> int:
        """How many of `count` nodes are corrected."""

    def active(self, count: int, unweighted: int = 0) -> slice:
        """Their places; new nodes without a weight of their own are always among them."""
        return slice(count - max(self.size(count), min(unweighted, count)), count)

    def beside(self, new: int, count: int) -> slice:
        """Of `count` nodes, the places of those that are corrected together with `new` ones."""
        others = max(self.size(count + new) - new, 0)
        return slice(count - min(others, count), count)


@dataclass(frozen=True)
class NewestNode(Correction):
    """PI-SC-I: a node keeps the weight it came with."""

    def size(self, count: int) -> int:
        return 0


@dataclass(frozen=True)
class NewestNodes(Correction):
    """PI-SC-II: a window of the newest nodes is corrected."""

    window: int

    def size(self, count: int) -> int:
        return min(self.window, count)


@dataclass(frozen=True)
class AllNodes(Correction):
    """PI-SC-III: all nodes are corrected."""

    def size(self, count: int) -> int:
        return count
