"""From what a user writes to what is solved for, region by region.

A field u of a problem with regions is one field in each of them, ``u_left`` and ``u_right``. A
`Translation` has what stands for each field and each coefficient in one region.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.frozen import ReadOnly


@dataclass(frozen=True)
class Translation:
    """What the user's symbols mean in one region.

    Attributes
    ----------
    coefficients : mapping
        Values of symbols and functions; they may hold the user's fields.
    fields : mapping
        What stands for each field of the user.
    """

    coefficients: Mapping[sympy.Expr, sympy.Expr]
    fields: Mapping[AppliedUndef, sympy.Expr]

    def __call__(self, expression: sympy.Expr) -> sympy.Expr:
        """An expression in what is solved for."""
        return _replaced(_replaced(expression, self.coefficients), self.fields)

    def with_values(self, table: Mapping[sympy.Symbol, sympy.Expr]) -> "Translation":
        """The same with numbers for some symbols."""
        coefficients = {s: own.xreplace(table) for s, own in self.coefficients.items()}
        fields = {s: own.xreplace(table) for s, own in self.fields.items()}
        return Translation(ReadOnly(coefficients), ReadOnly(fields))


def _replaced(expression: sympy.Expr, table: Mapping[sympy.Expr, sympy.Expr]) -> sympy.Expr:
    """The expression with symbols and fields replaced; derivatives of them are worked out."""
    if not table:
        return expression
    derivatives = {
        part: part.xreplace(dict(table)).doit()
        for part in expression.atoms(sympy.Derivative)
        if part.has(*table)
    }
    return expression.xreplace(derivatives).xreplace(dict(table))
