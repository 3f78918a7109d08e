r"""Singular functions that a field may hold: at a re-entrant corner its gradient is infinite.

In polar coordinates around a corner with the inner angle omega, solutions of Laplace's equation
behave like :math:`r^{k\pi/\omega} \sin(k\pi\theta/\omega)` where the field is given on both
sides, and with the cosine where its flux is. No smooth network follows the first of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.declared import Declared
from piscm.problem.domain import Domain
from piscm.problem.errors import ProblemError, brief
from piscm.problem.expressions import as_expression
from piscm.problem.frozen import ReadOnly
from piscm.problem.translation import Translation

Singular = Mapping[AppliedUndef, tuple[sympy.Expr, ...]]
"""Singular functions of each field."""


def checked_singular(
    given: Mapping[Any, Sequence[Any]] | None,
    fields: Sequence[AppliedUndef],
    domain: Domain,
) -> Singular:
    """Singular functions as a user gave them."""
    if given is None:
        return ReadOnly()
    if not isinstance(given, Mapping):
        raise ProblemError("singular must map fields to functions, as singular={u: [r**(2/3)]}.")
    table: dict[AppliedUndef, tuple[sympy.Expr, ...]] = {}
    for item, functions in given.items():
        if item not in fields:
            raise ProblemError(
                f"singular names {brief(item)}, which is not a field of the problem."
            )
        if not isinstance(functions, list | tuple):
            raise ProblemError(f"singular has {brief(functions)} for {item}: give a list.")
        own = []
        for written in functions:
            where = f"A singular function of {item}"
            expression = as_expression(written, where)
            Declared(domain.coordinates, fields=()).check(expression, where)
            own.append(expression)
        table[item] = tuple(own)
    return ReadOnly(table)


def singular_table(
    given: Sequence[Mapping[Any, Sequence[Any]] | None],
    fields: Sequence[AppliedUndef],
    domain: Domain,
    translations: Sequence[Translation],
) -> dict[AppliedUndef, dict[sympy.Symbol, sympy.Expr]]:
    """Singular functions of the fields in each region, each with the symbol of its factor."""
    table: dict[AppliedUndef, dict[sympy.Symbol, sympy.Expr]] = {}
    for number, own in enumerate(given):
        for item, functions in checked_singular(own, fields, domain).items():
            inner = translations[number].fields[item] if translations else item
            names = [f"{inner.func}_singular_{i}" for i in range(1, len(functions) + 1)]
            symbols = [sympy.Symbol(name, real=True) for name in names]
            table[inner] = dict(zip(symbols, functions, strict=True))
    return table
