"""Integrals in conditions and equations: over domains, parts of boundaries, ranges of coordinates.

``integral(u, over=domain)`` and ``integral(u, over=domain.boundary("hole"))`` are numbers, and
``integral(u, over=x)`` is a function of the other coordinates. With a variable of its own,
``integral(exp(x*s) * u.subs(x, s), over=(s, 0, 1))`` also depends on x, and so does
``integral(u.subs(x, s), over=(s, 0, x))``. Inside such an integral a problem writes ``here(x)`` for
the outer x and x for the variable s, so that a field stands at its own coordinates everywhere.
"""

from collections.abc import Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.domain import Domain, called
from piscm.problem.errors import ProblemError, brief
from piscm.problem.given import Named, as_sympy
from piscm.problem.normals import normal
from piscm.problem.place import Place


class here(Named):  # noqa: N801  (SymPy's style)
    """``here(x)`` inside an integral over x: the x of the point where the integral stands."""

    nargs = 1

    def _eval_is_real(self) -> bool:
        return True

    def _eval_derivative(self, symbol: sympy.Symbol) -> sympy.Expr:
        return sympy.S.Zero


class Region(sympy.Atom):  # type: ignore[misc]  # SymPy has no type hints
    """A domain or a part of a boundary, as an argument of an `Integral`."""

    __slots__ = ("_rules", "place")

    def __new__(cls, place: Domain | Place) -> "Region":
        made = super().__new__(cls)
        made.place, made._rules = place, {}
        return made  # type: ignore[no-any-return]

    def quadrature(self, order: int) -> tuple[Any, ...]:
        """Points, weights and, on a boundary, normals; worked out once."""
        if order not in self._rules:
            self._rules[order] = self.place.quadrature(order)
        rule: tuple[Any, ...] = self._rules[order]
        return rule

    def _hashable_content(self) -> tuple[Any, ...]:
        return (id(self.place),)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.place,)

    def sort_key(self, order: Any = None) -> Any:
        return self.class_key(), (1, (str(self.place),)), sympy.S.One.sort_key(), sympy.S.One

    def _sympystr(self, printer: Any) -> str:
        return str(self.place)


class Integral(sympy.Expr):  # type: ignore[misc]  # SymPy has no type hints
    """An integral in an expression, made by `integral`.

    Its arguments are the integrand and either a `Region`, a coordinate (its whole range), or
    ``(variable, low, high)``.
    """

    is_commutative = True

    def __new__(cls, integrand: sympy.Expr, over: sympy.Basic) -> "Integral":
        return super().__new__(cls, integrand, over)  # type: ignore[no-any-return]

    @property
    def integrand(self) -> sympy.Expr:
        return self.args[0]

    @property
    def over(self) -> Any:
        return self.args[1]

    def _eval_is_real(self) -> bool:
        return True

    def _eval_derivative(self, symbol: sympy.Symbol) -> sympy.Expr:
        if symbol not in self.free_symbols:
            return sympy.S.Zero
        raise ProblemError(f"{self} cannot be differentiated; differentiate the integrand.")

    def _sympystr(self, printer: Any) -> str:
        over = self.over if isinstance(self.over, sympy.Tuple) else (self.over,)
        return f"integral({', '.join(printer.doprint(own) for own in (self.integrand, *over))})"

    def bound(self) -> tuple[sympy.Symbol, ...]:
        """The coordinates that it runs over."""
        if isinstance(self.over, Region):
            own: tuple[sympy.Symbol, ...] = self.over.place.coordinates
            return own
        return (self.over,) if isinstance(self.over, sympy.Symbol) else (self.over[0],)


def integral(expression: Any, over: Any) -> sympy.Expr:
    """The integral of an expression, for equations and conditions.

    Parameters
    ----------
    expression : sympy.Expr
        In fields, derivatives, coordinates and unknowns; over a boundary also `normal`.
    over : domain, part of a boundary, coordinate, or (variable, low, high)
        A coordinate means its whole range: on a shape, all of the line through a point that lies
        inside, in several spans where there are holes. The variable is a coordinate or a symbol
        that stands for one in fields such as ``u.subs(x, s)``; the limits may hold coordinates, as
        (s, 0, x).

    Examples
    --------
    >>> from piscm import Box, Condition, coordinates, field
    >>> x, s = coordinates("x s")
    >>> u = field("u", x)
    >>> Condition(integral(u, over=Box({x: (0, 1)})) - 1)
    integral(u(x), Box(x: [0, 1])) - 1 = 0
    >>> integral(x * s * u.subs(x, s), over=(s, 0, x))
    integral(s*x*u(s), s, 0, x)
    """
    integrand = as_sympy(expression)
    if not isinstance(integrand, sympy.Expr):
        raise ProblemError(f"integral({brief(expression)}): give a SymPy expression.")
    if integrand.has(Integral):
        raise ProblemError(
            f"integral({brief(integrand)}) holds an integral: give the inner one a name, a field "
            "of its own with an equation."
        )
    return Integral(integrand, _range(over))


def _range(over: Any) -> sympy.Basic:
    over = called(over)
    if isinstance(over, Domain | Place):
        over.coordinates  # noqa: B018  (a place that is not a part of a boundary has none)
        return Region(over)
    if isinstance(over, sympy.Symbol):
        return over
    if isinstance(over, tuple | list | sympy.Tuple) and len(over) == 3:
        variable, *limits = over
        if isinstance(variable, sympy.Symbol):
            made = [as_sympy(own) for own in limits]
            if all(isinstance(own, sympy.Expr) for own in made):
                return sympy.Tuple(variable, *made)
    raise ProblemError(
        f"integral(..., over={brief(over)}): give a domain, a part of its boundary, a coordinate, "
        "or (variable, low, high)."
    )


def integral_in_text(expression: Any, *over: Any) -> sympy.Expr:
    """``integral(u, x)``, ``integral(u, x, 0, 1)`` or ``integral(u, domain)``, as printed."""
    return integral(expression, over[0] if len(over) == 1 else over)


def integrals_in(expression: sympy.Expr) -> list[Integral]:
    """The integrals in an expression, always in the same order."""
    return sorted(expression.atoms(Integral), key=sympy.default_sort_key)


def fields_outside(expression: sympy.Expr) -> set[AppliedUndef]:
    """The fields of an expression that stand outside of integrals with variables of their own."""
    table = {
        part: sympy.S.One
        for part in expression.atoms(Integral)
        if isinstance(part.over, sympy.Tuple)
    }
    found: set[AppliedUndef] = expression.xreplace(table).atoms(AppliedUndef)
    return found


def settled(
    expression: sympy.Expr,
    coordinates: Sequence[sympy.Symbol],
    fields: dict[str, AppliedUndef],
    where: str,
) -> sympy.Expr:
    """The expression with the variables of integrals replaced by the coordinates they stand for."""
    table = {
        part: _settled(part, coordinates, fields, where)
        for part in integrals_in(expression)
        if isinstance(part.over, sympy.Tuple) and part.over[0] not in coordinates
    }
    return expression.xreplace(table) if table else expression


def _settled(
    part: Integral,
    coordinates: Sequence[sympy.Symbol],
    fields: dict[str, AppliedUndef],
    where: str,
) -> Integral:
    variable, *limits = part.over
    meant = {
        own
        for item in part.integrand.atoms(AppliedUndef)
        if str(item.func) in fields and len(item.args) == len(fields[str(item.func)].args)
        for argument, own in zip(item.args, fields[str(item.func)].args, strict=True)
        if argument == variable
    }
    if len(meant) != 1:
        raise ProblemError(
            f"{where}: in {part} no field, or not the same one, stands at {variable}; write it as "
            f"u.subs(x, {variable}), and let the field appear outside of the integral too."
        )
    (coordinate,) = meant
    outer = part.integrand.xreplace({coordinate: here(coordinate)})
    # A field at the outer point as well, u(x)*u(s), is not an integrand of one point.
    if any(here(coordinate) in item.args for item in outer.atoms(AppliedUndef)):
        raise ProblemError(
            f"{where}: {part} holds a field at {coordinate} inside; write that factor in front of "
            "the integral."
        )
    inner = outer.xreplace({variable: coordinate})
    return Integral(inner, sympy.Tuple(coordinate, *limits))


def check_integral(part: Integral, domain: Domain, where: str) -> None:
    """Raise `ProblemError` unless an integral can be worked out on a domain."""
    for symbol in part.bound():
        domain.axis(symbol)
    boundary = isinstance(part.over, Region) and isinstance(part.over.place, Place)
    if part.integrand.has(normal) and not boundary:
        raise ProblemError(f"{where}: {part} holds the normal, which is known on boundaries only.")
    if isinstance(part.over, Region):
        return
    (coordinate,) = part.bound()
    if not domain.is_product_along(coordinate):
        try:
            domain.chords(coordinate, domain.bounding_box.center[None])
        except ProblemError as error:
            raise ProblemError(f"{where}: {part}: {error}") from None
    limits = part.over[1:] if isinstance(part.over, sympy.Tuple) else ()
    low, high = domain.span(coordinate)
    for limit in limits:
        if limit.atoms(AppliedUndef) or limit.free_symbols - set(domain.coordinates):
            raise ProblemError(
                f"{where}: the limits of {part} may hold numbers and coordinates only."
            )
        margin = 1e-9 * (high - low)
        if limit.is_number and not low - margin <= float(limit) <= high + margin:
            raise ProblemError(
                f"{where}: {part} leaves the domain: {coordinate} runs from {low:g} to {high:g}."
            )
