"""Which weights are corrected after each growth step: how PI-SC-I, II and III differ."""

from abc import ABC, abstractmethod
from dataclasses import dataclass


class Correction(ABC):
    """Corrects the weights of the newest nodes together; subclasses say of how many."""

    @abstractmethod
    def size(self, count: int) -> int:
        """How many of `count` nodes are corrected."""

    def active(self, count: int, unweighted: int = 0) -> slice:
        """Their positions; new nodes that have no weight of their own yet are always included."""
        return slice(count - max(self.size(count), min(unweighted, count)), count)

    def beside(self, new: int, count: int) -> slice:
        """The positions of those of `count` nodes that are corrected together with `new` ones."""
        others = max(self.size(count + new) - new, 0)
        return slice(count - min(others, count), count)


@dataclass(frozen=True)
class NewestNode(Correction):
    """PI-SC-I: a node keeps its initial weight."""

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
