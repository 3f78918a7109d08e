"""Check that an expression uses only what its problem declares."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.errors import ProblemError, brief
from piscm.problem.symbols import lookalike


@dataclass(frozen=True)
class Declared:
    """The symbols an expression may contain.

    With `fields` it may mention only those fields; without, any field of the coordinates.
    """

    coordinates: tuple[sympy.Symbol, ...]
    unknowns: tuple[sympy.Symbol, ...] = ()
    fields: tuple[AppliedUndef, ...] | None = None

    def check(self, expression: sympy.Expr, where: str) -> None:
        """Raise `ProblemError` if an expression contains anything else.

        Parameters
        ----------
        expression : sympy.Expr
            As returned by `piscm.problem.expressions.as_expression`.
        where : str
            What it is, for error messages.
        """
        for reasons in (
            map(self._against_field, expression.atoms(AppliedUndef)),
            map(self._against_symbol, expression.free_symbols),
        ):
            reason = min(filter(None, reasons), default="")  # always the same one
            if reason:
                raise ProblemError(f"{where}: {brief(expression)} {reason}")

    def _against_field(self, part: AppliedUndef) -> str:
        if self.fields is not None and part not in self.fields:
            known = _names(self.fields)
            return f"holds {brief(part)}, which is not a field of this problem ({known})."
        for argument in part.args:
            if not isinstance(argument, sympy.Symbol):
                return (
                    f"holds {brief(part)}: a field stands at its own coordinates only. "
                    "To hold a condition at a place use Condition(..., on={x: 0})."
                )
            if argument not in self.coordinates:
                return (
                    f"holds {brief(part)}, but {argument} is not a coordinate of the domain "
                    f"({_names(self.coordinates)}).{lookalike(argument, self.coordinates)}"
                )
        return ""

    def _against_symbol(self, part: sympy.Symbol) -> str:
        declared = self.coordinates + self.unknowns
        if part in declared:
            return ""
        return f"holds {part.name!r}, which nobody declared." + (
            lookalike(part, declared)
            or f" It is neither a coordinate of the domain ({_names(self.coordinates)}) nor an "
            f"unknown ({_names(self.unknowns)}). Give it a number, or list it in "
            f"Problem(unknowns={{{part.name}: first guess}})."
        )


def _names(symbols: Iterable[Any]) -> str:
    return ", ".join(str(symbol) for symbol in symbols) or "none"
