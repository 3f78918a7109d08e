"""Complex fields: two real ones behind one name, and equations split into two real ones."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy
from sympy.core.function import AppliedUndef, UndefinedFunction

from piscm.problem.errors import ProblemError, brief
from piscm.problem.integrals import Integral, integrals_in
from piscm.problem.normals import normal
from piscm.problem.observations import Observations
from piscm.problem.requirement import Requirement
from piscm.problem.sampled import Sampled
from piscm.problem.symbols import ComplexField, ImaginaryPart, RealPart

REAL, IMAGINARY = "_re", "_im"
"""How the names of the two real fields end."""

_REAL = (sympy.Derivative, AppliedUndef, Integral, Sampled, normal)


def parts_of(whole: ComplexField) -> tuple[AppliedUndef, AppliedUndef]:
    """The real and the imaginary part of a complex field, two fields that are solved for."""
    # Without something of their own, SymPy would take them for ordinary fields of that name.
    name, assumed = str(whole.func), {"real": True, "half_of": str(whole.func)}
    real = UndefinedFunction(f"{name}{REAL}", bases=(RealPart,), **assumed)
    imaginary = UndefinedFunction(f"{name}{IMAGINARY}", bases=(ImaginaryPart,), **assumed)
    return real(*whole.args), imaginary(*whole.args)


def wholes(fields: Iterable[AppliedUndef]) -> tuple[AppliedUndef, ...]:
    """Fields as a user thinks of them: a complex one instead of its two parts."""
    found: dict[AppliedUndef, None] = {}
    for item in fields:
        if isinstance(item, RealPart | ImaginaryPart):
            name = str(item.func).removesuffix(REAL).removesuffix(IMAGINARY)
            item = UndefinedFunction(name, bases=(ComplexField,), complex=True)(*item.args)
        found.setdefault(item)
    return tuple(found)


def is_complex(expression: sympy.Expr) -> bool:
    """Whether an expression is to be split."""
    return bool(expression.has(sympy.I) or expression.atoms(ComplexField))


def split(expression: sympy.Expr, where: str) -> tuple[sympy.Expr, sympy.Expr]:
    """The real and the imaginary part of an expression in complex and real fields."""
    if not is_complex(expression):
        return expression, sympy.S.Zero
    table: dict[Any, Any] = {}  # what stands for real numbers here
    back: dict[sympy.Symbol, sympy.Expr] = {}

    def number(part: sympy.Expr) -> sympy.Symbol:
        symbol = sympy.Dummy(real=True)
        back[symbol] = part
        return symbol

    for part in integrals_in(expression):
        pair = split(part.integrand, where)
        own = [number(Integral(half, part.over)) if half != 0 else sympy.S.Zero for half in pair]
        table[part] = own[0] + sympy.I * own[1]
    plain = expression.xreplace(table)
    for part in sorted(plain.atoms(*_REAL), key=str):
        fields = part.atoms(ComplexField)
        if not fields:
            table[part] = number(part)
            continue
        (item,) = fields  # a field, or a derivative of one
        real, imaginary = (part.xreplace({item: half}) for half in parts_of(item))
        table[part] = number(real) + sympy.I * number(imaginary)
    real, imaginary = plain.xreplace(table).as_real_imag()
    if real.has(sympy.re, sympy.im, sympy.I) or imaginary.has(sympy.re, sympy.im, sympy.I):
        raise ProblemError(
            f"{where}: {brief(expression)} cannot be split into a real and an imaginary part; "
            "write it with re(...), im(...) and real fields."
        )
    return real.xreplace(back), imaginary.xreplace(back)


def split_equation(expression: sympy.Expr, where: str) -> list[sympy.Expr]:
    """The real equations that an equation stands for."""
    if not is_complex(expression):
        return [expression]
    return [half for half in split(expression, where) if half != 0]


def split_requirement(item: Any) -> list[Any]:
    """The real conditions or observations that one stands for."""
    if not isinstance(item, Requirement) or not is_complex(item.expression):
        return [item]
    real, imaginary = split(item.expression, str(item))
    if not isinstance(item, Observations):
        return [item.with_expression(half) for half in (real, imaginary) if half != 0]
    values = np.asarray(item.values)
    if not np.iscomplexobj(values) and imaginary != 0:
        raise ProblemError(
            f"The values of {item} are real, and it is complex: give complex values, or observe "
            "re(...) or abs(...) of it."
        )
    pairs = ((real, values.real), (imaginary, values.imag))
    return [item.of(half, own) for half, own in pairs if half != 0]
