"""`Patches`: a network on each of many patches, all solved for together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import sympy

from piscm.construct.checks import check_count
from piscm.construct.construction import Construction
from piscm.march.methods import Auto
from piscm.network.model import Model
from piscm.network.patchwork import Patchwork
from piscm.network.saved import class_named
from piscm.patches.asked import Asked
from piscm.patches.cutting import check_places
from piscm.patches.grid import factored
from piscm.patches.run import run_patches
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.result.method import Method, Outcome, Request

_MOST = 100_000


@dataclass(frozen=True)
class Patches(Method):
    """Cut the domain into patches, each with nodes of its own, and solve for all of them together.

    Neighbors are tied on the face between them: the value, and as many derivatives as the order of
    the equations asks for, equal the same polynomial there. All rows are one least-squares problem,
    solved by orthogonal elimination, patch by patch: its cost grows with the number of patches,
    where that of one network grows with its cube.

    Parameters
    ----------
    count : int, mapping of coordinates to int, or "auto"
        The number of patches; as ``{x: 8, y: 4}`` along each coordinate. On a shape, patches that
        do not meet it are left out. "auto" halves them until the solution is
        resolved by as many nodes as are worth it.
    method : PISC1, PISC2, PISC3 or Auto, optional
        Where the tolerance, the largest number of nodes of a patch (`max_nodes`), the `activation`
        and the `scale` (over half a patch) come from; the nodes of a patch are drawn all at once
        whatever it is. The default is `Auto`, which chooses.

    Examples
    --------
    >>> import piscm
    >>> x = piscm.coordinates("x")
    >>> u = piscm.field("u", x)
    >>> wave = piscm.Problem(
    ...     piscm.Box({x: (0, 200)}),
    ...     [u.diff(x, 2) + u],
    ...     [piscm.Condition(u, on={x: 0}), piscm.Condition(u - 1, on={x: 200})],
    ... )
    >>> solution = piscm.solve(wave, piscm.Patches(100), tol=1e-6)
    >>> solution.status.ok
    True
    """

    count: int | str | Mapping[sympy.Symbol, int] = "auto"
    method: Construction | Auto | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if isinstance(self.count, str):
            if self.count != "auto":
                raise ProblemError(f"Patches(count={self.count!r}): give a number, or 'auto'.")
        elif isinstance(self.count, Mapping):
            for coordinate, number in self.count.items():
                if not isinstance(coordinate, sympy.Symbol):
                    raise ProblemError(
                        f"Patches(count=...) names {brief(coordinate)}; give the coordinates that "
                        "coordinates(...) gave, as {x: 8}."
                    )
                check_count(number, f"Patches(count={{{brief(coordinate)}: ...}})")
            if int(np.prod([int(own) for own in self.count.values()])) > _MOST:
                raise ProblemError(f"Patches(count=...): give at most {_MOST} patches.")
            object.__setattr__(self, "count", {c: int(own) for c, own in self.count.items()})
        else:
            check_count(self.count, "Patches(count=...)")
            if self.count > _MOST:
                raise ProblemError(f"Patches(count=...): give at most {_MOST} patches.")
            object.__setattr__(self, "count", int(self.count))
        if self.method is not None and not isinstance(self.method, Construction | Auto):
            raise ProblemError("Patches(method=...): give PISC1(), PISC2(), PISC3() or Auto().")

    @property
    def each(self) -> Construction | Auto:
        """Where the settings of a patch come from."""
        return Auto() if self.method is None else self.method

    @property
    def time_limit(self) -> float | None:
        return self.each.max_seconds

    @property
    def asked(self) -> float:
        return self.each.asked

    @property
    def measure(self) -> str:
        return "relative to the solution sought, at fresh points too"

    @property
    def records_iterations(self) -> bool:
        return True

    def with_tolerance(self, tolerance: float) -> "Patches":
        return replace(self, method=replace(self.each, tolerance=tolerance))

    def check(self, problem: Problem) -> None:
        from piscm.assemble.windows import Part

        if problem.in_regions or problem.singular:
            raise ProblemError("Patches: problems with regions or singular functions are for Auto.")
        if any(item.loss == "huber" for item in problem.observations):
            raise ProblemError("Patches: observations with the Huber loss are for Auto.")
        check_places(Part.whole(problem))
        self._shape(problem)
        self.each.check(problem)

    def _shape(self, problem: Problem) -> tuple[int, ...] | None:
        domain = problem.domain
        if isinstance(self.count, str):
            return None
        if isinstance(self.count, int):
            return factored(self.count, domain.dimension)
        shape = [1] * domain.dimension
        for coordinate, number in self.count.items():
            shape[domain.axis(coordinate)] = number
        return tuple(shape)

    def asked_for(self, problem: Problem) -> Asked:
        """What a run is asked for."""
        each = self.each
        scale = None if isinstance(each, Auto) else each.scale
        dimension = problem.domain.dimension
        return Asked(
            tolerance=each.tolerance,
            shape=self._shape(problem),
            max_nodes=None if self.method is None else each.max_nodes,
            activation=each.activation or "sin",
            scale=None
            if scale is None
            else tuple(float(own) for own in np.broadcast_to(scale, (dimension,))),
        )

    def run(self, request: Request) -> Outcome:
        return run_patches(request, self.asked_for(request.problem))

    def chosen(self, model: Model) -> str:
        return str(model) if isinstance(model, Patchwork) else ""

    def options(self) -> dict[str, Any]:
        count: Any = self.count
        if isinstance(count, Mapping):
            count = {coordinate.name: number for coordinate, number in count.items()}
        method = None if self.method is None else self.method.document()
        return {"count": count, "method": method}

    @classmethod
    def from_options(cls, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]) -> Self:
        if set(options) != {"count", "method"}:
            raise ProblemError(f"its patches have the options {brief(list(options))}.")
        count, each = options["count"], options["method"]
        if isinstance(count, Mapping):
            named = {symbol.name: symbol for symbol in coordinates}
            count = {named[name]: number for name, number in count.items()}
        if each is None:
            return cls(count)
        kind = class_named(Method, each["name"])
        if not issubclass(kind, Construction | Auto):
            raise ProblemError(f"its patches hold {brief(each['name'])}.")
        return cls(count, method=kind.from_options(each["options"], coordinates))
