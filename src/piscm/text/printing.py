"""SymPy to text that `piscm.text.parse` reads back."""

from typing import Any

import sympy
from sympy.printing.str import StrPrinter


def expression_text(expression: sympy.Expr) -> str:
    """The text that `parse_expression` reads back as the same expression.

    Except that products which SymPy distributes itself come back distributed, such as an
    unevaluated ``2*(x + 1)``.
    """
    text: str = FormulaPrinter().doprint(expression)
    return text


class FormulaPrinter(StrPrinter):  # type: ignore[misc]  # SymPy has no type hints
    """Numbers with all their digits, and no names that are not read."""

    def _print_Float(self, number: sympy.Float) -> str:
        return repr(float(number))

    def _print_Exp1(self, _: Any) -> str:
        return "exp(1)"
