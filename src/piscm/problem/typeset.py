"""A problem as a notebook shows it: formulas in MathML, which browsers typeset themselves."""

import re
from collections.abc import Iterator
from html import escape, unescape
from typing import TYPE_CHECKING

import numpy as np
import sympy
from sympy.core.alphabets import greeks
from sympy.core.function import AppliedUndef

from piscm.problem.box import Box
from piscm.problem.conditions import Condition, Periodic
from piscm.problem.errors import brief
from piscm.problem.requirement import Requirement

if TYPE_CHECKING:
    from piscm.problem.problem import Problem

# Beyond so many operations a formula is no longer read, and its typesetting costs seconds.
_LONGEST = 400
_ROW = "margin:.2em 0 .2em 1.5em;padding:.2em 0;overflow-x:auto;overflow-y:hidden"


def formula(expression: sympy.Expr, *, zero: bool = False) -> str:
    """An expression in MathML, derivatives as subscripts; with ``zero`` as an equation "= 0"."""
    if expression.count_ops() > _LONGEST:
        return f"<code>{escape(brief(expression))}{' = 0' if zero else ''}</code>"
    from sympy.printing.mathml import MathMLPresentationPrinter

    plain = _subscripted(expression)
    try:
        inner = MathMLPresentationPrinter({"mul_symbol": _between(plain)}).doprint(plain)
    except Exception:  # SymPy's printer lacks some functions; their text is as good
        return f"<code>{escape(str(expression))}{' = 0' if zero else ''}</code>"
    inner = inner.replace("<mo>-</mo>", "<mo>−</mo>").replace("&ExponentialE;", "e")
    inner = re.sub(r"&(?!lt;|gt;|amp;)\w+;", lambda name: unescape(name[0]), inner)
    equals = "<mo>=</mo><mn>0</mn>" if zero else ""
    return (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" displaystyle="true">'
        f"<mrow>{inner}{equals}</mrow></math>"
    )


def _subscripted(expression: sympy.Expr) -> sympy.Expr:
    """Fields without their arguments, derivatives as subscripts: u_xt."""
    derivatives = {
        item: sympy.Symbol(f"{_name(item.expr)}_{_letters(item)}")
        for item in expression.atoms(sympy.Derivative)
        if isinstance(item.expr, AppliedUndef)
    }
    plain = expression.xreplace(derivatives)
    fields = {item: sympy.Symbol(_name(item)) for item in plain.atoms(AppliedUndef)}
    # Nothing inside an integral is replaced: there the arguments say what it runs over.
    return plain.xreplace(fields)


def _between(expression: sympy.Expr) -> str | None:
    """What stands between factors: a dot where a name has several letters, else nothing."""
    names = (symbol.name.partition("_")[0] for symbol in expression.free_symbols)
    spelled = [name for name in names if len(name) > 1 and name not in greeks]
    return "dot" if spelled else None


def _name(item: AppliedUndef) -> str:
    return str(item.func)


def _letters(derivative: sympy.Derivative) -> str:
    return "".join(str(symbol) * count for symbol, count in derivative.variable_count)


def problem_html(problem: "Problem") -> str:
    """Equations, domain, conditions, observations and unknowns, one a line."""
    fields = ", ".join(escape(str(item)) for item in problem.fields)
    rows = "".join(f'<div style="{_ROW}">{line}</div>' for line in _rows(problem))
    return (
        '<div class="piscm-problem" style="line-height:1.5">'
        f"<div><strong>Problem</strong> for {fields} on {_domain(problem)}</div>{rows}</div>"
    )


def _domain(problem: "Problem") -> str:
    domain = problem.domain
    if not isinstance(domain, Box):
        return escape(brief(domain, 200))
    spans = (f"{name} ∈ [{low:g}, {high:g}]" for name, (low, high) in domain.bounds.items())
    return escape(", ".join(spans))


def _rows(problem: "Problem") -> Iterator[str]:
    for equation in problem.equations:
        yield formula(equation, zero=True)
    for condition in problem.conditions:
        yield _condition(condition)
    for data in problem.observations:
        yield f"{formula(data.expression)} observed at {len(np.asarray(data.values))} points"
    for symbol, guess in problem.unknowns.items():
        low, high = problem.bounds[symbol]
        within = f", between {low:g} and {high:g}"
        if high == np.inf:
            within = "" if low == -np.inf else f", above {low:g}"
        yield f"{formula(symbol)} unknown, first guess {guess:g}{escape(within)}"


def _condition(item: Requirement) -> str:
    if isinstance(item, Condition):
        where = escape(str(item.place))
        suffix = "" if where == "everything" else f" on {where}"
        return f"{formula(item.expression, zero=True)}{suffix}"
    if isinstance(item, Periodic):
        return f"{formula(item.expression)} periodic along {escape(str(item.along))}"
    return escape(str(item))
