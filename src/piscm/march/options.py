"""What a user may ask of the methods that march: `Auto` and `Windows`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import sympy

from piscm.baselines import BASELINES, Baseline
from piscm.construct.methods import METHODS, PISC3, Method, check_count, check_positive
from piscm.network.activations import activation_named
from piscm.problem.errors import ProblemError, brief

ACTIVATIONS = ("sin", "tanh", "gaussian")


@dataclass(frozen=True, kw_only=True)
class Auto:
    """Everything is found out: nodes, activation, points, weights and windows.

    Nodes are selected orthogonally and draw their own scale; points come with the nodes, half of
    them where the residual is large; every kind of row counts alike. Where conditions on the low
    face of a coordinate make an initial value problem, the domain is cut along it into windows as
    long as the nodes can carry.

    Parameters
    ----------
    tolerance : float
        How large the residual may be beside what is sought, between the points too. It is in the
        units of the fields, so that it says about how large the error is.
    max_nodes : int
        Nodes of one window; twice as many where a shorter one is no easier, four times as many
        where there is nothing to march along.
    activation : {"sin", "tanh", "sigmoid", "gaussian"}, optional
        Left out, sine, tanh and Gaussian nodes are tried in every window that is not easy.
    max_seconds : float, optional
        The run ends after this time.
    """

    tolerance: float = 1e-6
    max_nodes: int = 400
    activation: str | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        check_positive(self.tolerance, "Auto(tolerance=...)")
        if self.tolerance >= 1:
            raise ProblemError(
                f"Auto(tolerance={self.tolerance!r}): it is relative to the solution; give a "
                "number below 1."
            )
        check_count(self.max_nodes, "Auto(max_nodes=...)")
        if self.max_seconds is not None:
            check_positive(self.max_seconds, "Auto(max_seconds=...)")
        if self.activation is not None:
            activation_named(self.activation)

    @property
    def activations(self) -> tuple[str, ...]:
        """Those that are tried."""
        return ACTIVATIONS if self.activation is None else (self.activation,)


@dataclass(frozen=True)
class Windows:
    """Marching along one coordinate, each window taking its initial conditions from the last.

    Parameters
    ----------
    coordinate : sympy.Symbol
        The one along which initial conditions, those on its low face, are given.
    count : int or "auto"
        So many windows of one length, or as many as it takes: a window that misses the method's
        tolerance is halved.
    method : PISC1, PISC2, PISC3 or Auto, optional
        How each window is solved. Left out, it is `Auto` where the count is, and else `PISC3` with
        orthogonal selection. Rows of every kind count alike whatever the method.
    """

    coordinate: sympy.Symbol
    count: int | str = 5
    method: Method | Auto | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.coordinate, sympy.Symbol):
            raise ProblemError(f"Windows({brief(self.coordinate)}): give a coordinate, as t.")
        if isinstance(self.count, str):
            if self.count != "auto":
                raise ProblemError(f"Windows(count={self.count!r}): give a number, or 'auto'.")
        else:
            check_count(self.count, "Windows(count=...)")
            object.__setattr__(self, "count", int(self.count))
        if self.method is not None and not isinstance(self.method, Method | Auto):
            raise ProblemError("Windows(method=...): give PISC1(), PISC2(), PISC3() or Auto().")
        if self.count == "auto" and not self.each.tolerance > 0:
            raise ProblemError(
                "Windows(count='auto') splits what misses the tolerance: give its method one."
            )

    @property
    def each(self) -> Method | Auto:
        """How each window is solved."""
        if self.method is not None:
            return self.method
        return Auto() if self.count == "auto" else PISC3(selection="orthogonal", candidates=100)


AnyMethod = Method | Auto | Windows | Baseline


def with_tolerance(method: AnyMethod, tol: float) -> AnyMethod:
    """The method with another tolerance."""
    if isinstance(method, Baseline):
        raise ProblemError(f"tol: {type(method).__name__} has no tolerance; leave it out.")
    if isinstance(method, Windows):
        return replace(method, method=replace(method.each, tolerance=tol))
    return replace(method, tolerance=tol)


def method_to_document(method: AnyMethod) -> dict[str, Any]:
    """The method as plain data."""
    if isinstance(method, Windows):
        options = {
            "coordinate": method.coordinate.name,
            "count": method.count,
            "method": method_to_document(method.each),
        }
        return {"name": "Windows", "options": options}
    return {"name": type(method).__name__, "options": asdict(method)}


def method_from_document(
    document: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]
) -> AnyMethod:
    """The method that `method_to_document` wrote."""
    name, options = document["name"], dict(document["options"])
    if name == "Windows":
        named = {symbol.name: symbol for symbol in coordinates}
        each = method_from_document(options.pop("method"), coordinates)
        if not isinstance(each, Method | Auto):
            raise ProblemError(f"its windows hold {type(each).__name__}.")
        return Windows(named[options.pop("coordinate")], method=each, **options)
    if name == "Auto":
        return Auto(**options)
    return BASELINES[name](**options) if name in BASELINES else METHODS[name](**options)
