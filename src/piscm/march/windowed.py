"""`Windows`: one stretch of a coordinate after the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import sympy

from piscm.assemble.marching import checked_coordinate
from piscm.construct.checks import check_count
from piscm.construct.construction import Construction
from piscm.fit.pisc import PISC3
from piscm.march.attempts import FixedAttempts, March
from piscm.march.methods import Auto, Marching
from piscm.march.patch_unknowns import PatchUnknowns
from piscm.march.patch_windows import PatchWindows
from piscm.march.patched import Patches
from piscm.march.run import run
from piscm.network.saved import class_named
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.method import Method, Outcome, Request


@dataclass(frozen=True)
class Windows(Marching):
    """March along one coordinate; each window takes its initial conditions from the previous one.

    Parameters
    ----------
    coordinate : sympy.Symbol
        The one with initial conditions, those on its low face.
    count : int or "auto"
        This many windows of equal length, or as many as it takes: a window that misses the method's
        tolerance is halved.
    method : PISC1, PISC2, PISC3, Auto or Patches, optional
        How each window is solved. The default is `Auto` if the count is "auto", and otherwise
        `PISC3` with orthogonal selection. Row scaling is used whatever the method. With `Patches`
        each window is cut into patches.
    """

    coordinate: sympy.Symbol
    count: int | str = 5
    method: Construction | Auto | Patches | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.coordinate, sympy.Symbol):
            raise ProblemError(f"Windows({brief(self.coordinate)}): give a coordinate, as t.")
        if isinstance(self.count, str):
            if self.count != "auto":
                raise ProblemError(f"Windows(count={self.count!r}): give a number, or 'auto'.")
        else:
            check_count(self.count, "Windows(count=...)")
            object.__setattr__(self, "count", int(self.count))
        if self.method is not None and not isinstance(self.method, Construction | Auto | Patches):
            raise ProblemError(
                "Windows(method=...): give PISC1(), PISC2(), PISC3(), Auto() or Patches()."
            )
        if self.count == "auto" and not self.each.asked > 0:
            raise ProblemError(
                "Windows(count='auto') splits what misses the tolerance: give its method one."
            )

    @property
    def each(self) -> Construction | Auto | Patches:
        """How each window is solved."""
        if self.method is not None:
            return self.method
        return Auto() if self.count == "auto" else PISC3(selection="orthogonal", candidates=100)

    def check(self, problem: Problem) -> None:
        self.each.check(problem)
        checked_coordinate(problem, self.coordinate)
        if isinstance(self.each, Patches) and problem.unknowns and not problem.observations:
            raise ProblemError(
                "Windows(method=Patches()): unknowns are fitted to observations, and there are "
                f"none. Give patches in time as well, as Patches({{{self.coordinate}: 10}})."
            )

    @property
    def time_limit(self) -> float | None:
        return self.each.time_limit

    @property
    def asked(self) -> float:
        return self.each.asked

    @property
    def records_iterations(self) -> bool:
        return isinstance(self.each, Patches)

    def with_tolerance(self, tolerance: float) -> "Windows":
        each: Any = self.each.with_tolerance(tolerance)
        return replace(self, method=each)

    def run(self, request: Request) -> Outcome:
        each = self.each
        count = None if isinstance(self.count, str) else self.count
        if isinstance(each, Patches):
            asked = each.asked_for(request.problem)
            march = PatchUnknowns if request.problem.unknowns else PatchWindows
            return march(request, asked, self.coordinate, count).outcome()
        attempts = each.attempts if isinstance(each, Auto) else FixedAttempts.by(each)
        return run(request, March(attempts, self.coordinate, count, required=True))

    def options(self) -> dict[str, Any]:
        return {
            "coordinate": self.coordinate.name,
            "count": self.count,
            "method": self.each.document(),
        }

    @classmethod
    def from_options(cls, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]) -> Self:
        named = {symbol.name: symbol for symbol in coordinates}
        each = options["method"]
        if set(options) != {"coordinate", "count", "method"}:
            raise ProblemError(f"its windows have the options {brief(list(options))}.")
        kind = class_named(Method, each["name"])
        if not issubclass(kind, Construction | Auto | Patches):
            raise ProblemError(f"its windows hold {brief(each['name'])}.")
        method = kind.from_options(each["options"], coordinates)
        return cls(named[options["coordinate"]], options["count"], method=method)
