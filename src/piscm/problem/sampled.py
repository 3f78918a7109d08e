"""Functions that are known by numbers: on a grid, at scattered points, or as a Python function.

In an expression such a function is a `Sampled`, a SymPy function whose derivatives are those of a
spline. The spline's numbers are a `Samples`, an atom among its arguments.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.core.function import AppliedUndef, ArgumentIndexError

from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.spline import Doubt, Spline

Floats = NDArray[np.float64]

# A function is too rough if leaving every second point out changes it by this fraction of its range
# (a jump does by a half, however close the points are), or a derivative by this one of its size.
_ROUGH, _ROUGH_DERIVATIVE = 0.1, 0.3
# Points of a domain may lie outside of the sampled range by this fraction of it.
_ROUND_OFF = 1e-9
# No point of a domain may be farther from scattered samples than so many of their spacings; looked
# at are so many points.
_GAP, _LOOK = 3.0, 4096


class Samples(sympy.AtomicExpr):  # type: ignore[misc]  # SymPy has no type hints
    """The numbers of a sampled function: a name, its coordinates, a grid and the values there.

    Attributes
    ----------
    spline : Spline
    scattered : ndarray, shape (points, coordinates)
        Where values were known before they were interpolated to the grid; empty if nowhere else.
    """

    __slots__ = ("_digest", "_doubts", "coordinates", "name", "scattered", "spline")
    is_real = True
    is_commutative = True
    is_number = False

    def __new__(
        cls,
        name: str,
        coordinates: tuple[sympy.Symbol, ...],
        axes: Sequence[Floats],
        values: Floats,
        degree: int,
        scattered: Floats | None = None,
    ) -> "Samples":
        made = super().__new__(cls)
        made.name, made.coordinates = str(name), tuple(coordinates)
        made.spline, made._doubts = Spline(axes, values, degree), {}
        made.scattered = np.empty((0, len(coordinates))) if scattered is None else scattered
        content = [name, *map(str, coordinates), str(degree)]
        arrays = [
            np.ascontiguousarray(array).tobytes() for array in (*axes, values, made.scattered)
        ]
        made._digest = hashlib.sha256(b"|".join([repr(content).encode(), *arrays])).hexdigest()
        return made  # type: ignore[no-any-return]

    @property
    def code_name(self) -> str:
        """What it is called in compiled functions."""
        return f"sampled_{self._digest[:24]}"

    def evaluate(self, *given: Any) -> Floats:
        """A derivative: arguments, and the order by each of them."""
        half = len(given) // 2
        arrays = np.broadcast_arrays(*(np.asarray(own, dtype=float) for own in given[:half]))
        points = np.stack([array.ravel() for array in arrays], axis=-1)
        values: Floats = self.spline(points, given[half:])
        return values.reshape(arrays[0].shape)

    def doubt(self, orders: tuple[int, ...]) -> Doubt:
        """How much a derivative depends on every second point; worked out once."""
        if orders not in self._doubts:
            self._doubts[orders] = self.spline.doubt(orders)
        found: Doubt = self._doubts[orders]
        return found

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.name, self._digest)

    def __getnewargs__(self) -> tuple[Any, ...]:
        spline = self.spline
        grid = spline.axes, spline.values, spline.degree
        return self.name, self.coordinates, *grid, self.scattered

    def sort_key(self, order: Any = None) -> Any:
        return self.class_key(), (1, (self.name,)), sympy.S.One.sort_key(), sympy.S.One

    def _sympystr(self, printer: Any) -> str:
        return str(self.name)


class Sampled(sympy.Function):  # type: ignore[misc]  # SymPy has no type hints
    """A sampled function, or a derivative of it: its samples, arguments, and an order for each."""

    @property
    def samples(self) -> Samples:
        own: Samples = self.args[0]
        return own

    @property
    def at(self) -> tuple[sympy.Expr, ...]:
        """Its arguments in the mathematical sense."""
        return tuple(self.args[1 : 1 + len(self.samples.coordinates)])

    @property
    def orders(self) -> tuple[int, ...]:
        """How often it is differentiated by each of them."""
        return tuple(int(order) for order in self.args[1 + len(self.samples.coordinates) :])

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        count = len(self.samples.coordinates)
        if not 2 <= argindex <= 1 + count:
            raise ArgumentIndexError(self, argindex)
        orders = list(self.orders)
        orders[argindex - 2] += 1
        return Sampled(self.samples, *self.at, *orders)

    def _eval_is_real(self) -> bool:
        return True

    def _numpycode(self, printer: Any) -> str:
        given = ", ".join(printer._print(own) for own in self.args[1:])
        return f"{self.samples.code_name}({given})"

    _scipycode = _numpycode

    def _eval_evalf(self, prec: int) -> Any:
        if not all(own.is_number for own in self.at):
            return None
        values = [float(own.evalf(prec)) for own in self.at]
        return sympy.Float(float(self.samples.evaluate(*values, *self.orders)), precision=prec)

    def _sympystr(self, printer: Any) -> str:
        """``k(x)``, ``Derivative(k(x), x)``, and ``k(1 - x, 1)`` for a derivative elsewhere."""
        own = self.at == self.samples.coordinates
        given = [*self.at, *(() if own or not any(self.orders) else self.args[1 + len(self.at) :])]
        text = f"{self.samples.name}({', '.join(printer.doprint(part) for part in given)})"
        if not own or not any(self.orders):
            return text
        by = (f"({s}, {n})" for s, n in zip(self.at, self.orders, strict=True) if n)
        return f"Derivative({text}, {', '.join(by)})"


def samples_in(expressions: Iterable[sympy.Basic]) -> dict[str, Sampled]:
    """The sampled functions of expressions by name, each at its own coordinates."""
    found: dict[str, Sampled] = {}
    for expression in expressions:
        for own in sorted(expression.atoms(Samples), key=lambda own: own._digest):
            made = Sampled(own, *own.coordinates, *[0] * len(own.coordinates))
            if found.setdefault(own.name, made) != made:
                raise ProblemError(
                    f"Two different sampled functions have the name {own.name!r}; choose another."
                )
    return found


def check_sampled(expression: sympy.Expr, domain: Domain | None, where: str) -> None:
    """Raise `ProblemError` if a sampled function is too rough, or too small for the domain."""
    for part in sorted(expression.atoms(Sampled), key=str):
        name = part.samples.name
        if any(argument.has(AppliedUndef) for argument in part.at):
            raise ProblemError(
                f"{where}: {brief(part)} holds a field; a sampled function stands at coordinates."
            )
        _check_smooth(part, where)
        if domain is not None:
            _check_range(part, domain, f"{where}: {name}")
            _check_gaps(part, domain, f"{where}: {name}")


def _check_smooth(part: Sampled, where: str) -> None:
    samples = part.samples
    for symbol, order, degree in zip(
        samples.coordinates, part.orders, samples.spline.degrees, strict=True
    ):
        if order >= degree and order:
            raise ProblemError(
                f"{where} differentiates {samples.name} {_times(order)} by {symbol}, and a spline "
                f"of degree {degree} is not smooth enough for that: give it degree={order + 1} or "
                f"more, and more than {order + 1} points along {symbol}."
            )
    if any(part.orders):
        doubt = samples.doubt(part.orders)
        if doubt.change > _ROUGH_DERIVATIVE:
            raise ProblemError(
                f"{where} holds {brief(part)}, for which the samples are too rough: near "
                f"{placed(samples.coordinates, doubt.place)} it changes by {doubt.change:.0%} if "
                f"every second one is left out. Give smoother or denser samples, or write the "
                "equation without that derivative."
            )


def _times(order: int) -> str:
    return {1: "once", 2: "twice"}.get(order, f"{order} times")


def check_rough(samples: Samples) -> None:
    """Raise `ProblemError` if values jump or are noisy."""
    doubt = samples.doubt((0,) * len(samples.coordinates))
    if doubt.change > _ROUGH:
        raise ProblemError(
            f"The samples of {samples.name} are too rough: near "
            f"{placed(samples.coordinates, doubt.place)} a value differs from what its neighbors "
            f"suggest by {doubt.change:.0%} of the range. Give more samples, smooth them first, "
            "and where there is a jump give regions: Problem(regions=[Region(left, {k: ...}), ...])"
        )


def placed(coordinates: Sequence[sympy.Symbol], place: Sequence[float]) -> str:
    """A place in words."""
    return ", ".join(f"{s} = {value:.4g}" for s, value in zip(coordinates, place, strict=True))


def _check_range(part: Sampled, domain: Domain, where: str) -> None:
    box = domain.bounding_box
    for symbol, points, given in zip(
        part.samples.coordinates, part.samples.spline.axes, part.at, strict=True
    ):
        if given not in domain.coordinates:
            continue  # shifted or integrated over: its values are not known here
        low, high = box.lower[domain.axis(given)], box.upper[domain.axis(given)]
        room = _ROUND_OFF * float(np.ptp(points))
        if low < points[0] - room or high > points[-1] + room:
            raise ProblemError(
                f"{where} is sampled for {symbol} from {points[0]:g} to {points[-1]:g}, and the "
                f"domain reaches from {low:g} to {high:g}."
            )


def _check_gaps(part: Sampled, domain: Domain, where: str) -> None:
    """Raise `ProblemError` if a part of the domain is far from all scattered samples."""
    known, at = part.samples.scattered, part.at
    if not len(known) or not set(at) <= set(domain.coordinates):
        return
    from scipy.spatial import KDTree  # slow to import

    rng, width = np.random.default_rng(0), np.ptp(known, axis=0)
    points = domain.sample_inside(_LOOK, lambda count, n: rng.random((count, n)))
    points = points[:, [domain.axis(symbol) for symbol in at]]
    distances = KDTree(known / width).query(points / width)[0]
    spacing = len(known) ** (-1 / len(width))
    most = int(np.argmax(distances))
    if distances[most] > _GAP * spacing:
        raise ProblemError(
            f"{where} has no sample near {placed(part.samples.coordinates, points[most])}; "
            "give some there, or a smaller domain."
        )
