"""Derivatives written with subscripts: ``u_t``, ``u_xx``."""

from collections.abc import Mapping
from functools import cache

import sympy

from piscm.problem.errors import UnfitError
from piscm.problem.functions import MAX_ORDER

_LONGEST = 200


def subscripted(
    name: str, fields: Mapping[str, sympy.Expr]
) -> tuple[sympy.Expr, list[tuple[sympy.Symbol, int]]] | None:
    """A field and what it is differentiated by; None if the name is no such thing.

    Raises `UnfitError` if it can be read in two ways.
    """
    for own in sorted(fields, key=len, reverse=True):
        rest = name[len(own) + 1 :]
        if rest and name.startswith(f"{own}_") and len(rest) <= _LONGEST:
            field = fields[own]
            found = _readings(rest, tuple(symbol.name for symbol in field.args))
            if len(found) > 1:
                raise UnfitError(f"can be read in two ways; write diff({own}, ...)")
            if found:
                pairs = zip(field.args, next(iter(found)), strict=True)
                return field, [(symbol, order) for symbol, order in pairs if order]
    return None


def undeclared_field(name: str, fields: Mapping[str, sympy.Expr]) -> str | None:
    """The field that a name seems to be a derivative of, though nobody declared it."""
    own, _, rest = name.partition("_")
    known = sorted({symbol.name for field in fields.values() for symbol in field.args})
    fits = own and own not in fields and 0 < len(rest) <= _LONGEST
    return own if fits and _readings(rest, tuple(known)) else None


def _readings(rest: str, names: tuple[str, ...]) -> frozenset[tuple[int, ...]]:
    """How often each name occurs in the text, which consists of them; two ways at most."""

    @cache
    def from_(place: int) -> frozenset[tuple[int, ...]]:
        if place == len(rest):
            return frozenset([(0,) * len(names)])
        found: set[tuple[int, ...]] = set()
        for index, name in enumerate(names):
            if rest.startswith(name, place):
                for counts in from_(place + len(name)):
                    if sum(counts) < MAX_ORDER:
                        more = tuple(c + (i == index) for i, c in enumerate(counts))
                        found.add(more)
        return frozenset(sorted(found)[:2])

    return from_(0)
