"""Why a tolerance may be out of reach of smooth nodes: what a problem file or its reader can see.

Conditions that contradict each other where they meet, as a hot rod whose ends are cold from the
first moment on; and known functions that jump, as a load on a part of a beam. Neither is a mistake,
so they are named only where a run has failed, or where a person asks for doubts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy

from piscm.compile.blocks import compile_blocks
from piscm.compile.jumps import jumps_along
from piscm.problem.box import Box
from piscm.problem.conditions import Condition
from piscm.problem.expressions import fields_in
from piscm.problem.integrals import integrals_in
from piscm.problem.normals import normal
from piscm.problem.places import Slices, face_normal
from piscm.problem.problem import Problem

# Conditions disagree if what is left exceeds this fraction of their terms.
_DISAGREES = 1e-6
_ROUND_OFF = 1e-12  # of the values, where SymPy has added the terms up
_POINTS = 5  # on the edge where two faces meet
_MOST_PARTS = 2000  # of expressions that are looked at

Values = Mapping[sympy.Expr, sympy.Expr]


@dataclass(frozen=True)
class _Face:
    """One face on which a condition holds."""

    condition: Condition
    along: sympy.Symbol
    value: float


def obstacles(problem: Problem) -> list[str]:
    """What makes the solution rough, each in a sentence that says what to do."""
    return [*_contradictions(problem), *_jumps(problem)]


def _jumps(problem: Problem) -> Iterator[str]:
    for block, symbol, value in jumps_along(problem.domain, compile_blocks(problem)):
        yield (
            f"{block.name} jumps near {symbol} = {value:.4g}: solve in regions on both sides of "
            "it, Problem(regions=[...]), or ask for less"
        )


def _contradictions(problem: Problem) -> Iterator[str]:
    if not isinstance(problem.domain, Box):
        return
    faces = list(_faces(problem))
    told: set[int] = set()
    for one in {(face.along, face.value): face for face in faces}.values():
        here = [face for face in faces if (face.along, face.value) == (one.along, one.value)]
        values = _given(here)
        for other in (face for face in faces if face not in here):
            if id(other.condition) in told:
                continue
            at = _disagreement(problem, one, values, other)
            if at is not None:
                own = [id(face.condition) for face in here if _shares(face, other)]
                told |= {id(other.condition), *own}
                yield (
                    f"{other.condition.name} contradicts what holds on {one.along} = {one.value:g} "
                    f"where they meet ({at}), so the solution is not smooth there: let one pass "
                    "into the other over a short way, or begin where they agree"
                )


def _shares(one: _Face, other: _Face) -> bool:
    return bool(fields_in(one.condition.expression) & fields_in(other.condition.expression))


def _faces(problem: Problem) -> Iterator[_Face]:
    """Faces with conditions that hold nothing unknown but fields."""
    for condition in problem.conditions:
        if isinstance(condition, Condition) and isinstance(condition.place, Slices):
            expression = condition.expression
            parts = sum(1 for _ in sympy.preorder_traversal(expression))
            unknown = expression.free_symbols & set(problem.unknowns)
            if unknown or integrals_in(expression) or parts > _MOST_PARTS:
                continue
            for part in condition.place.parts:
                if len(part) == 1:
                    ((along, value),) = part.items()
                    yield _Face(condition, along, value)


def _only_field(face: _Face) -> sympy.Expr | None:
    found = fields_in(face.condition.expression)
    return next(iter(found)) if len(found) == 1 else None


def _given(faces: Sequence[_Face]) -> Values:
    """The fields whose values the conditions of a face give, and those values."""
    made = {}
    for face in faces:
        field, expression = _only_field(face), face.condition.expression
        if field is None or expression.has(sympy.Derivative):
            continue
        symbol = sympy.Dummy()
        plain = expression.xreplace({field: symbol})
        factor = plain.diff(symbol)
        if factor != 0 and not factor.has(symbol):
            made[field] = -plain.xreplace({symbol: sympy.S.Zero}) / factor
    return made


def _disagreement(problem: Problem, one: _Face, values: Values, other: _Face) -> str | None:
    """Where another condition does not hold for the values on a face, in words; None if it does."""
    domain = problem.domain
    normals = face_normal({other.along: other.value}, domain)
    outward = {normal(c): sympy.Float(n) for c, n in zip(domain.coordinates, normals, strict=True)}
    expression = other.condition.expression.xreplace(outward)
    if one.along == other.along or not fields_in(expression) <= set(values):
        return None
    if any(one.along in item.variables for item in expression.atoms(sympy.Derivative)):
        return None  # nothing is known of the slope across the face
    written = expression.subs(dict(values)).doit()
    box, rng = domain.bounding_box, np.random.default_rng(0)
    for _ in range(_POINTS):
        point = rng.uniform(box.lower, box.upper)
        where = dict(zip(domain.coordinates, point, strict=True))
        where |= {one.along: one.value, other.along: other.value}
        try:
            terms = [float(term.subs(where)) for term in sympy.Add.make_args(written)]
            sizes = [abs(float(value.subs(where))) for value in values.values()]
        except (TypeError, ValueError):  # a sampled function, or not a number at all
            return None
        least = _DISAGREES * sum(map(abs, terms)) + _ROUND_OFF * max(sizes)
        if not abs(sum(terms)) <= least:
            return ", ".join(f"{symbol} = {value:.4g}" for symbol, value in where.items())
    return None
