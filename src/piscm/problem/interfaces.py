"""What is continuous across interfaces, read off the equations.

An equation ``div(F) + g = 0`` that holds in the whole of a domain says, where its coefficients
jump, that the normal component of F does not. F is found from the second derivatives: the factor of
``u.diff(x, 2)`` times ``u.diff(x)`` and so on. It is taken for what was meant only if nothing is
left of the second derivatives, and of the derivatives of coefficients, when div(F) is taken away.

In one coordinate other orders are read too. If the factor of the highest derivative is the same on
both sides (a load that jumps), every lower derivative is continuous; of ``(k*w.diff(x, 2)).diff(x,
2)``, a beam whose stiffness jumps, value, slope, moment and shear force are.
"""

from collections.abc import Sequence

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError, brief
from piscm.problem.normals import normal


def continuous(
    equations: Sequence[sympy.Expr],
    fields: Sequence[AppliedUndef],
    coordinates: Sequence[sympy.Symbol],
    coefficients: Sequence[sympy.Expr],
) -> list[sympy.Expr]:
    """Each field and its flux along the normal of an interface.

    Parameters
    ----------
    equations : as written, with symbols for the coefficients
    coefficients : the symbols, or functions of the coordinates, that differ between regions
    """
    found: list[sympy.Expr] = []
    for item in fields:
        if len(coordinates) == 1 and max(_highest(equation, item) for equation in equations) != 2:
            found += _in_one_coordinate(equations, item, coordinates[0], coefficients)
            continue
        own = [
            (number, equation)
            for number, equation in enumerate(equations, start=1)
            if _highest(equation, item) == 2
        ]
        if len(own) != 1 or any(
            _highest(own[0][1], other) > 1 for other in fields if other != item
        ):
            raise _unclear(f"{item.func} has second derivatives in {len(own)} equations", item)
        number, equation = own[0]
        found += [item, _normal_flux(equation, item, coordinates, coefficients, number)]
    return found


def _highest(equation: sympy.Expr, item: AppliedUndef) -> int:
    orders = [
        part.derivative_count for part in equation.atoms(sympy.Derivative) if part.expr == item
    ]
    return max(orders, default=0)


def _in_one_coordinate(
    equations: Sequence[sympy.Expr],
    item: AppliedUndef,
    along: sympy.Symbol,
    coefficients: Sequence[sympy.Expr],
) -> list[sympy.Expr]:
    """What is continuous of a field of one coordinate, whatever its order but two."""
    order = max(_highest(equation, item) for equation in equations)
    own = [equation for equation in equations if _highest(equation, item) == order]
    if not order or len(own) != 1:
        reason = f"{item.func} has its highest derivative in {len(own)} equations"
        raise _unclear(reason if order else f"no equation differentiates {item.func}", item)
    highest = item.diff((along, order))
    factor = sympy.expand(own[0]).coeff(highest)
    if factor != 0 and not factor.has(*coefficients):
        return [item, *(item.diff((along, count)) for count in range(1, order))]
    moment = factor * item.diff(along, 2)
    rest = sympy.expand(own[0] - moment.diff(along, 2))
    steep = [part for part in rest.atoms(sympy.Derivative) if part.derivative_count >= 2]
    moved = [part for part in rest.atoms(sympy.Derivative) if part.expr.has(*coefficients)]
    if order != 4 or moved or any(rest.coeff(part).has(*coefficients) for part in steep):
        raise _unclear(f"the factor of {brief(highest)} differs between them", item)
    return [item, item.diff(along), moment, moment.diff(along)]


def _normal_flux(
    equation: sympy.Expr,
    item: AppliedUndef,
    coordinates: Sequence[sympy.Symbol],
    coefficients: Sequence[sympy.Expr],
    number: int,
) -> sympy.Expr:
    along = [symbol for symbol in coordinates if symbol in item.args]
    expanded, flux, rest = sympy.expand(equation), sympy.S.Zero, sympy.expand(equation)
    for i, one in enumerate(along):
        component = sympy.S.Zero
        for j, other in enumerate(along):
            second = item.diff(one, other)
            factor = expanded.coeff(second) if i == j else expanded.coeff(second) / 2
            component += factor * item.diff(other)
        rest -= sympy.expand(component.diff(one))
        flux += component * normal(one)
    rest = sympy.expand(rest)
    left = [part for part in rest.atoms(sympy.Derivative) if part.derivative_count >= 2]
    moved = [
        part
        for part in rest.atoms(sympy.Derivative)
        if part.expr in coefficients or part.expr.has(*coefficients)
    ]
    if any(part.expr == item for part in left) or moved or flux == 0:
        raise _unclear(f"equation {number} is not of the form div(F) + g = 0", item)
    return flux


def _unclear(reason: str, item: AppliedUndef) -> ProblemError:
    name = item.func
    return ProblemError(
        f"What is continuous where regions meet cannot be read off the equations: {reason}. Say "
        f"it, as Problem(..., interface=[{name}, k*normal_derivative({name})])."
    )


def checked_symbols(
    equations: Sequence[sympy.Expr], symbol: sympy.Symbol, coordinates: Sequence[sympy.Symbol]
) -> None:
    """Raise `ProblemError` if a symbol whose value varies multiplies a derivative of a field."""
    for number, equation in enumerate(equations, start=1):
        for part in equation.atoms(sympy.Derivative):
            if sympy.expand(equation).coeff(part).has(symbol):
                names = ", ".join(map(str, coordinates))
                raise ProblemError(
                    f"Equation {number} multiplies {brief(part)} by {symbol}, whose value varies "
                    f"inside a region; as a plain symbol its derivatives are lost. Write it as "
                    f"{symbol} = field({symbol.name!r}, {names}) and keep the value."
                )
