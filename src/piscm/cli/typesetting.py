"""Formulas and domains typeset in characters, for the terminal."""

from collections.abc import Iterator
from typing import Any

import sympy

from piscm.problem.box import Box
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.domain import Domain
from piscm.problem.errors import brief, printable
from piscm.problem.expansion import Statement
from piscm.problem.integrals import Integral, Region, here
from piscm.problem.normals import normal
from piscm.problem.problem import Problem
from piscm.problem.requirement import Requirement

_WIDTH = 100
# Beyond so many operations a formula is no longer read, and its typesetting costs seconds.
_LONGEST = 400


def typeset(expression: sympy.Expr, domain: Domain, *, zero: bool = True) -> str:
    """An expression in several lines, as an equation "= 0" unless told otherwise."""
    if expression.count_ops() > _LONGEST:
        return printable(f"{brief(expression, 400)}{' = 0' if zero else ''}")
    plain = expression.replace(
        lambda item: isinstance(item, Integral), lambda item: _integral(item, domain)
    ).replace(normal, lambda symbol: sympy.Symbol(f"n_{symbol}"))
    shown = sympy.Eq(plain, 0, evaluate=False) if zero else plain
    text: str = sympy.pretty(shown, use_unicode=True, num_columns=_WIDTH, wrap_line=True)
    return text


def _integral(item: Integral, domain: Domain) -> sympy.Expr:
    """One of SymPy's, which knows how to be drawn; over a shape it has signs without limits."""
    integrand = item.integrand.replace(here, lambda symbol: sympy.Symbol(f"{symbol}_here"))
    over = item.over
    if isinstance(over, sympy.Tuple):
        return sympy.Integral(integrand, tuple(over))
    box: Any = domain if isinstance(over, sympy.Symbol) else over.place
    symbols = [over] if isinstance(over, sympy.Symbol) else list(box.coordinates)
    if isinstance(box, Box) or isinstance(over, sympy.Symbol):
        spans = {symbol: box.span(symbol) for symbol in symbols}
        ranges = [(s, *(sympy.nsimplify(end) for end in spans[s])) for s in symbols]
        return sympy.Integral(integrand, *ranges)
    return sympy.Integral(integrand, *symbols)


def integrated_over(expression: sympy.Expr) -> list[str]:
    """The shapes and parts of boundaries that the integrals of an expression run over."""
    places = [item.over.place for item in expression.atoms(Integral) if _is_shape(item.over)]
    return [f"the integral runs over {printable(str(place))}" for place in places]


def _is_shape(over: Any) -> bool:
    return isinstance(over, Region) and not isinstance(over.place, Box)


def domain_text(domain: Domain) -> str:
    """A box by its intervals, a shape by its parts and the names of its boundary."""
    if isinstance(domain, Box):
        spans = (f"{symbol} ∈ [{low:g}, {high:g}]" for symbol, (low, high) in domain.bounds.items())
        return ", ".join(spans)
    return printable(brief(domain, 300))


def conditions_typeset(problem: Problem) -> Iterator[str]:
    """Every condition: where it holds, and below that what holds there."""
    said = problem.statement
    for item in problem.conditions if said is None else said.conditions:
        yield from _condition(item, problem.domain)


def _condition(item: Requirement, domain: Domain) -> Iterator[str]:
    weight = f" (weight {item.weight:g})" if item.weight != 1 else ""
    if isinstance(item, Periodic):
        yield f"    the same at both ends of {item.along}{weight}"
        yield indented(typeset(item.expression, domain, zero=False), 8)
    elif isinstance(item, Condition):
        where = str(item.place)
        yield f"    {'for the whole' if where == 'everything' else f'on {where}'}{weight}"
        yield indented(typeset(item.expression, domain), 8)
        yield from (f"        {line}" for line in integrated_over(item.expression))
    else:
        yield f"    {printable(str(item))}"


def regions_typeset(said: Statement) -> Iterator[str]:
    """Each region with its domain and coefficients, and what happens between them."""
    for number, region in enumerate(said.regions, start=1):
        yield f"    {region.name or number}: {domain_text(region.domain)}"
        for symbol, value in region.values.items():
            equal = sympy.Eq(symbol, value, evaluate=False)
            yield indented(sympy.pretty(equal, use_unicode=True, num_columns=_WIDTH), 8)
    if said.interface is None:
        yield "    where they meet, fields and fluxes are continuous, as the equations imply"
    for expression, jump in (said.interface or {}).items():
        kind = "continuous" if jump == 0 else f"jumps by {brief(jump)}"
        yield f"    where they meet: {kind}"
        yield indented(typeset(expression, said.domain, zero=False), 8)


def indented(text: str, by: int = 4) -> str:
    """Every line of a text moved to the right."""
    return "\n".join(" " * by + line for line in text.splitlines())
