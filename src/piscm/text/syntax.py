"""The syntax tree of a formula as a SymPy expression: numbers, names, operators, comparisons."""

import ast
import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from piscm.problem.errors import FormulaError, ProblemError, UnfitError, shortened
from piscm.problem.expressions import Budget, differentiate
from piscm.problem.functions import CONSTANTS
from piscm.problem.nearest import did_you_mean
from piscm.problem.size import MAX_PARTS
from piscm.text.calls import called
from piscm.text.forming import Former
from piscm.text.source import MARKED, Source
from piscm.text.subscripts import subscripted, undeclared_field

_MAX_DEPTH = 50
_MAX_NODES = 10_000  # of Python's tree, which has nodes for operators and contexts too

_COMPARISONS: dict[type[ast.cmpop], Any] = {
    ast.Lt: sympy.StrictLessThan,
    ast.LtE: sympy.LessThan,
    ast.Gt: sympy.StrictGreaterThan,
    ast.GtE: sympy.GreaterThan,
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
}

At = tuple[tuple[sympy.Symbol, sympy.Expr], ...]
"""A place as it stands in a formula: coordinates and their values."""


class Reader:
    """Reads one formula, side by side; keeps what its names stand for.

    Attributes
    ----------
    symbols, fields : mapping of str
        What the names in the text stand for.
    where : str
        What the text is, for error messages.
    placed : bool
        Whether fields may stand at a place, ``u(x=0)``.
    places : list of At
        The place that stands in the side read last, if there is one.
    """

    def __init__(
        self,
        symbols: Mapping[str, sympy.Symbol],
        fields: Mapping[str, sympy.Expr],
        where: str,
        placed: bool = False,
    ) -> None:
        self.symbols = symbols
        self.fields = fields
        self.where = where
        self.placed = placed
        self.places: list[At] = []
        self.former, self.budget = Former(), Budget()
        self.source = Source("", (0,))

    def read(self, source: Source) -> sympy.Expr:
        self.source, self.places = source, []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # Python's doubts about 1if, which is refused here
                tree = ast.parse(source.text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise self.not_a_formula(error) from None
        if sum(1 for _ in ast.walk(tree)) > _MAX_NODES:
            raise ProblemError(f"{self.where} has more than {MAX_PARTS} parts.")
        return self.number(tree.body, 0)

    def not_a_formula(self, error: Exception) -> ProblemError:
        if not isinstance(error, SyntaxError):
            return ProblemError(f"{self.where} is not a formula: too deep or too long.")
        reason = error.msg.replace("Perhaps you forgot a comma?", "is an operator missing?")
        if "'=='" in reason or not self.source.text:  # advice about Python, not about formulas
            reason = "invalid syntax" if self.source.text else "a side of it is empty"
        place = min(max((error.offset or 1) - 1, 0), len(self.source.text))
        begin = self.source.origin[place]
        return FormulaError(f"{self.where} is not a formula: {reason}.", (begin, begin + 1))

    def difference(self, left: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
        try:
            return self.former.total([left, self.former.product([sympy.S.NegativeOne, right])])
        except UnfitError as error:
            raise ProblemError(f"{self.where} {error}.") from None

    def fail(self, node: ast.AST, reason: str) -> ProblemError:
        part = shortened(self.source.segment(node), 60)
        return FormulaError(f"{self.where}: {part!r} {reason}", self.source.span(node))

    def build(self, node: ast.AST, depth: int) -> Any:
        """An expression, or a comparison."""
        if depth > _MAX_DEPTH:
            raise ProblemError(f"{self.where} is nested more than {_MAX_DEPTH} deep.")
        depth += 1
        match node:
            case ast.Constant(value=bool()):
                return sympy.true if node.value else sympy.false
            case ast.Constant(value=int()):
                return sympy.Integer(node.value)
            case ast.Constant(value=float() as number) if math.isfinite(number):
                return sympy.Float(number)
            case ast.Constant(value=float()):
                raise self.fail(node, "is too large a number.")
            case ast.Name():
                return self.name(node)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                join = sympy.And if isinstance(node.op, ast.BitAnd) else sympy.Or
                sides = self.boolean(node.left, depth), self.boolean(node.right, depth)
                return self.formed(node, self.former.joined, join, *sides)
            case ast.UnaryOp(op=ast.Invert()):
                inside = self.boolean(node.operand, depth)
                return self.formed(node, self.former.joined, sympy.Not, inside)
            case ast.BinOp(op=ast.Pow()):
                base, exponent = self.number(node.left, depth), self.number(node.right, depth)
                return self.formed(node, self.former.power, base, exponent)
            case (
                ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div())
                | ast.UnaryOp(op=ast.USub() | ast.UAdd())
            ):
                return self.sum(node, depth)
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                both = self.number(node.left, depth), self.number(right, depth)
                return self.formed(node, self.former.compared, _COMPARISONS[type(op)], *both)
            case ast.Call():
                return called(self, node, depth)
        raise self.fail(node, "is not understood.")

    def number(self, node: ast.AST, depth: int) -> sympy.Expr:
        built = self.build(node, depth)
        if isinstance(built, sympy.MatrixBase):
            raise self.fail(node, "is a vector; use it in div(...), curl(...) or dot(...).")
        if not isinstance(built, sympy.Expr):
            raise self.fail(node, "is not a number or expression.")
        return built

    def boolean(self, node: ast.AST, depth: int) -> Boolean:
        built = self.build(node, depth)
        if not isinstance(built, Boolean) or isinstance(built, sympy.Expr):
            raise self.fail(node, "is not a comparison.")
        return built

    def name(self, node: ast.Name) -> sympy.Expr:
        for name in (node.id, MARKED.get(node.id, "")):
            for table in (self.symbols, self.fields, CONSTANTS):
                if name in table:
                    return table[name]
        made = self.formed(node, subscripted, node.id, self.fields)
        if made is not None:
            field, pairs = made
            return differentiate(field, pairs, self.where, self.budget)
        known = shortened(", ".join([*self.symbols, *self.fields]), 300) or "none"
        near = did_you_mean(node.id, [*self.symbols, *self.fields, *CONSTANTS])
        told = self.missing_field(undeclared_field(node.id, self.fields))
        raise self.fail(node, f"is not declared{near}; the names known here are {known}.{told}")

    def missing_field(self, name: str | None) -> str:
        """What to do about a field that is not declared, in a sentence."""
        if name is None:
            return ""
        symbols = {symbol.name: None for field in self.fields.values() for symbol in field.args}
        entry = f"{name} = {json.dumps([*symbols])}"
        return f" A field is declared with its coordinates: [fields] {entry}."

    def sum(self, node: ast.expr, depth: int) -> sympy.Expr:
        terms = _flat(node, ast.Add, ast.Sub)
        built = [self.product(term, minus, depth) for term, minus in terms]
        return built[0] if len(built) == 1 else self.formed(node, self.former.total, built)

    def product(self, node: ast.expr, minus: bool, depth: int) -> sympy.Expr:
        """All factors at once: from a number and a sum alone SymPy would make another sum."""
        factors = [sympy.Integer(-1 if minus else 1)]
        for factor, below in _flat(node, ast.Mult, ast.Div):
            while isinstance(factor, ast.UnaryOp) and isinstance(factor.op, ast.USub | ast.UAdd):
                if isinstance(factor.op, ast.USub):
                    factors.append(sympy.Integer(-1))
                factor = factor.operand
            built = self.number(factor, depth)
            if below:
                built = self.formed(factor, self.former.power, built, sympy.S.NegativeOne)
            factors.append(built)
        return self.formed(node, self.former.product, factors)

    def formed(self, node: ast.AST, make: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return make(*arguments)
        except UnfitError as error:
            raise self.fail(node, f"{error}.") from None
        except (TypeError, ValueError, AttributeError, ArithmeticError) as error:
            reason = shortened(str(error).rstrip("."))
            raise self.fail(node, f"cannot be formed: {reason}.") from None


def _flat(
    node: ast.expr, join: type[ast.operator], invert: type[ast.operator]
) -> Iterator[tuple[ast.expr, bool]]:
    """The operands of a chain of two operations, from left to right, and which are inverted.

    Python nests a sum of a thousand terms a thousand levels deep.
    """
    stack = [(node, False)]
    while stack:
        node, inverted = stack.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, (join, invert)):
            stack.append((node.right, inverted != isinstance(node.op, invert)))
            stack.append((node.left, inverted))
        else:
            yield node, inverted
