"""Text to SymPy and back, without ever evaluating the text.

The text is read as the syntax tree of one Python expression, and only sums, products, powers,
numbers, comparisons (inside ``Piecewise``), declared names and the functions of
`piscm.problem.functions` are built from it. Anything else is an error.

    u.diff(t, 2)    diff(u, t, 2)    Derivative(u(t, U), (t, 2))    all mean the same
    u**2  u^2       exp(-x)          Piecewise((1, x < 0), (0, True))
"""

import ast
import keyword
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean
from sympy.printing.str import StrPrinter

from piscm.problem.errors import ProblemError
from piscm.problem.functions import CONSTANTS, FUNCTIONS

_MAX_LENGTH = 100_000
_MAX_DEPTH = 200
# A number in a power may have this many bits; 9**9**9 would keep SymPy busy for good.
_MAX_BITS = 4096

# Python's keywords are fine as names of physics (lambda!); the mark keeps ast from stumbling.
_KEYWORDS = re.compile(
    r"\b(" + "|".join(word for word in keyword.kwlist if word not in ("True", "False")) + r")\b"
)
_MARK = "_keyword"
_EQUALS = re.compile(r"(?<![<>!=])=(?!=)")

_ALIASES: dict[str, Callable[..., Any]] = {
    "sqrt": sympy.sqrt,
    "abs": sympy.Abs,
    "ln": sympy.log,
    "Piecewise": sympy.Piecewise,
    "Eq": sympy.Eq,
    "Ne": sympy.Ne,
}
_COMPARISONS: dict[type[ast.cmpop], Any] = {
    ast.Lt: sympy.StrictLessThan,
    ast.LtE: sympy.LessThan,
    ast.Gt: sympy.StrictGreaterThan,
    ast.GtE: sympy.GreaterThan,
    ast.Eq: sympy.Eq,
    ast.NotEq: sympy.Ne,
}


def parse_expression(
    text: str,
    symbols: Mapping[str, sympy.Symbol],
    fields: Mapping[str, sympy.Expr],
    where: str = "The text",
) -> sympy.Expr:
    """Build the SymPy expression that a text describes; ``a = b`` becomes ``a - b``.

    Parameters
    ----------
    text : str
    symbols, fields : mapping of str
        What the names in the text stand for.
    where : str
        What the text is, for the message of an error.
    """
    if not isinstance(text, str):
        raise ProblemError(f"{where} is a {type(text).__name__}, not text.")
    if len(text) > _MAX_LENGTH:
        raise ProblemError(f"{where} is longer than {_MAX_LENGTH} characters.")
    reader = _Reader(symbols, fields, f"{where} ({_short(text)})")
    sides = [reader.read(side) for side in _EQUALS.split(text)]
    if len(sides) > 2:
        raise ProblemError(f"{where} ({_short(text)}) has more than one '='.")
    return sides[0] - sides[1] if len(sides) == 2 else sides[0]


def expression_text(expression: sympy.Expr) -> str:
    """The text that `parse_expression` reads back as the same expression, bit for bit."""
    text: str = _Printer().doprint(expression)
    return text


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


class _Printer(StrPrinter):  # type: ignore[misc]  # SymPy has no type hints
    def _print_Float(self, number: sympy.Float) -> str:
        return repr(float(number))

    def _print_Exp1(self, _: Any) -> str:
        return "exp(1)"


class _Reader:
    def __init__(
        self, symbols: Mapping[str, sympy.Symbol], fields: Mapping[str, sympy.Expr], where: str
    ) -> None:
        self.symbols = symbols
        self.fields = fields
        self.where = where

    def read(self, text: str) -> sympy.Expr:
        python = _KEYWORDS.sub(rf"\1{_MARK}", text.strip()).replace("^", "**")
        try:
            tree = ast.parse(python, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else "too deep or too long"
            raise ProblemError(f"{self.where} is not a formula: {reason}.") from None
        built = self.build(tree.body, 0)
        if not isinstance(built, sympy.Expr):
            raise ProblemError(f"{self.where} is not a formula.")
        return built

    def fail(self, node: ast.AST, reason: str) -> ProblemError:
        part = ast.unparse(node).replace(_MARK, "")
        return ProblemError(f"{self.where}: {_short(part)!r} {reason}")

    def build(self, node: ast.AST, depth: int) -> Any:
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
            case ast.Name():
                return self.name(node)
            case ast.UnaryOp(op=ast.USub()):
                return -self.number(node.operand, depth)
            case ast.UnaryOp(op=ast.UAdd()):
                return self.number(node.operand, depth)
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                join = sympy.And if isinstance(node.op, ast.BitAnd) else sympy.Or
                return join(self.boolean(node.left, depth), self.boolean(node.right, depth))
            case ast.BinOp():
                return self.operation(node, depth)
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                left = self.number(node.left, depth)
                return _COMPARISONS[type(op)](left, self.number(right, depth))
            case ast.Tuple():
                return tuple(self.build(item, depth) for item in node.elts)
            case ast.Call(keywords=[]):
                return self.call(node, depth)
        raise self.fail(node, "is not understood.")

    def number(self, node: ast.AST, depth: int) -> sympy.Expr:
        built = self.build(node, depth)
        if not isinstance(built, sympy.Expr):
            raise self.fail(node, "is not a number or expression.")
        return built

    def boolean(self, node: ast.AST, depth: int) -> Boolean:
        built = self.build(node, depth)
        if not isinstance(built, Boolean):
            raise self.fail(node, "is not a comparison.")
        return built

    def name(self, node: ast.Name) -> sympy.Expr:
        name = node.id.removesuffix(_MARK)
        for table in (self.symbols, self.fields, CONSTANTS):
            if name in table:
                return table[name]
        known = ", ".join([*self.symbols, *self.fields])
        raise self.fail(node, f"is not declared; the names known here are {known}.")

    def operation(self, node: ast.BinOp, depth: int) -> sympy.Expr:
        left, right = self.number(node.left, depth), self.number(node.right, depth)
        match node.op:
            case ast.Add():
                return left + right
            case ast.Sub():
                return left - right
            case ast.Mult():
                return left * right
            case ast.Div():
                if right.is_zero:
                    raise self.fail(node, "divides by zero.")
                return left / right
            case ast.Pow():
                if left.is_Rational and right.is_Rational:
                    bits = max(abs(left.p), left.q).bit_length() * max(abs(right.p), 1)
                    if bits > _MAX_BITS or max(abs(right.p), right.q).bit_length() > 64:
                        raise self.fail(node, "is too large a number.")
                if left.is_zero and right.is_negative:
                    raise self.fail(node, "divides by zero.")
                return left**right
        raise self.fail(node, "is not understood.")

    def call(self, node: ast.Call, depth: int) -> sympy.Expr:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "diff":
            return self.derivative(node, self.number(node.func.value, depth), node.args, depth)
        if not isinstance(node.func, ast.Name):
            raise self.fail(node, "is not understood.")
        name = node.func.id.removesuffix(_MARK)
        if name in ("diff", "Derivative") and node.args:
            return self.derivative(node, self.number(node.args[0], depth), node.args[1:], depth)
        arguments = [self.build(argument, depth) for argument in node.args]
        if name in self.fields:
            if tuple(arguments) != self.fields[name].args:
                raise self.fail(node, f"stands for {self.fields[name]} only.")
            return self.fields[name]
        function = FUNCTIONS.get(name) or _ALIASES.get(name)
        if function is None:
            known = ", ".join(sorted([*FUNCTIONS, *_ALIASES, "diff"]))
            raise self.fail(node, f"calls an unknown function; known: {known}.")
        try:
            return function(*arguments)
        except (TypeError, ValueError, AttributeError) as error:
            raise self.fail(node, f"cannot be formed: {error}.") from None

    def derivative(
        self, node: ast.Call, expression: sympy.Expr, by: list[ast.expr], depth: int
    ) -> sympy.Expr:
        arguments = [self.build(argument, depth) for argument in by]
        flat = [
            part for item in arguments for part in (item if isinstance(item, tuple) else [item])
        ]
        if not flat or not isinstance(flat[0], sympy.Symbol):
            raise self.fail(node, "names no coordinate to differentiate by.")
        for part in flat:
            if not isinstance(part, sympy.Symbol) and not (part.is_Integer and 0 < part <= 20):
                raise self.fail(node, "may hold coordinates and orders from 1 to 20 only.")
        result: sympy.Expr = expression.diff(*arguments)
        return result
