"""Text to SymPy and back, without ever evaluating the text.

The text is read as the syntax tree of one Python expression, and only sums, products, powers,
numbers, comparisons (inside ``Piecewise``), declared names and the functions of
`piscm.problem.functions` are built from it. Anything else is an error.

    u_tt   diff(u, t, 2)    u.diff(t, 2)    Derivative(u(t, U), (t, 2))    all mean the same
    u**2   u^2              exp(-x)         Piecewise((1, x < 0), (0, True))
    u_x(x=0)   u(0, t)      at a place, in conditions
"""

import ast
import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean
from sympy.printing.str import StrPrinter

from piscm.problem.errors import FormulaError, ProblemError, UnfitError, printable, shortened
from piscm.problem.expressions import Budget, differentiate
from piscm.problem.functions import (
    ALIASES,
    COMPLEX,
    CONSTANTS,
    FUNCTIONS,
    MAX_ORDER,
    RELATIONS,
    WORDS,
)
from piscm.problem.nearest import did_you_mean
from piscm.problem.operators import BY_NAME, OF_VECTORS
from piscm.problem.sampled import Sampled
from piscm.problem.size import MAX_PARTS
from piscm.problem.symbols import differentiations
from piscm.text.forming import Former
from piscm.text.source import MARKED, Source, sides
from piscm.text.subscripts import subscripted, undeclared_field
from piscm.text.vectors import operated

_MAX_LENGTH = 100_000
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


def parse_expression(
    text: str,
    symbols: Mapping[str, sympy.Symbol],
    fields: Mapping[str, sympy.Expr],
    where: str = "The text",
) -> sympy.Expr:
    """Build the SymPy expression described by a text; ``a = b`` becomes ``a - b``.

    Parameters
    ----------
    text : str
    symbols, fields : mapping of str
        What the names in the text stand for.
    where : str
        What the text is, for error messages.
    """
    read, _ = _read(text, symbols, fields, where, False)
    return read


At = tuple[tuple[sympy.Symbol, sympy.Expr], ...]
"""A place as it stands in a formula: coordinates and their values."""


def parse_condition(
    text: str,
    symbols: Mapping[str, sympy.Symbol],
    fields: Mapping[str, sympy.Expr],
    where: str = "A condition",
) -> tuple[sympy.Expr, list[At], list[sympy.Expr]]:
    """A condition: what must vanish, the places named in it, and its sides.

    ``u_x(x=0) = 1`` is ``u_x - 1`` at ``x = 0``; there is a place for each side of the equation
    that names one, and no side may name two.
    """
    (expression, parts), places = _read(text, symbols, fields, where, True)
    return expression, places, parts


def _read(text: Any, symbols: Any, fields: Any, where: str, placed: bool) -> Any:
    if not isinstance(text, str):
        raise ProblemError(f"{where} is a {type(text).__name__}, not text.")
    if len(text) > _MAX_LENGTH:
        raise ProblemError(f"{where} is longer than {_MAX_LENGTH} characters.")
    reader = _Reader(symbols, fields, f"{where} ({shortened(printable(text), 60)})", placed)
    sources = sides(text)
    if len(sources) > 2:
        begin = sources[2].origin[0]
        raise FormulaError(f"{reader.where} has more than one '='.", (begin, begin + 1))
    try:
        parts, places = [], []
        for source in sources:
            parts.append(reader.read(source))
            places += reader.places
        expression = parts[0] if len(parts) == 1 else reader.difference(*parts)
    except RecursionError:
        raise ProblemError(f"{reader.where} is nested too deeply.") from None
    return ((expression, parts) if placed else expression), places


def expression_text(expression: sympy.Expr) -> str:
    """The text that `parse_expression` reads back as the same expression.

    Except that products which SymPy distributes itself come back distributed, such as an
    unevaluated ``2*(x + 1)``.
    """
    text: str = FormulaPrinter().doprint(expression)
    return text


class FormulaPrinter(StrPrinter):  # type: ignore[misc]  # SymPy has no type hints
    def _print_Float(self, number: sympy.Float) -> str:
        return repr(float(number))

    def _print_Exp1(self, _: Any) -> str:
        return "exp(1)"


class _Reader:
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
                return self.call(node, depth)
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

    def call(self, node: ast.Call, depth: int) -> Any:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "diff":
            return self.derivative(node, node.func.value, node.args, depth)
        if not isinstance(node.func, ast.Name):
            raise self.fail(node, "is not understood.")
        name = node.func.id
        of = self.differentiated(node.func, name)
        if of is not None and (node.keywords or name not in self.fields or self.placed):
            return self.at_place(node, *of, depth)
        if node.keywords:
            if name in WORDS or name in self.symbols or not self.placed:
                raise self.fail(node, "is not understood.")
            own = name if "_" not in name else undeclared_field(name, self.fields)
            told = self.missing_field(own)
            raise self.fail(
                node, f"is not understood: {name} is not a field or its derivative.{told}"
            )
        if name in ("diff", "Derivative") and node.args:
            return self.derivative(node, node.args[0], node.args[1:], depth)
        if name == "Piecewise":
            pieces = [self.piece(argument, depth) for argument in node.args]
            return self.formed(node, self.former.pieces, pieces)
        if name in OF_VECTORS:
            return operated(self, node, name, depth)
        arguments = [self.number(argument, depth) for argument in node.args]
        field = self.fields.get(name) or self.fields.get(MARKED.get(name, ""))
        if field is not None:
            if tuple(arguments) != field.args:
                raise self.fail(node, f"stands for {field} only.")
            return field
        if isinstance(self.symbols.get(name), Sampled):
            return self.sampled(node, self.symbols[name], arguments)
        if name in RELATIONS:
            return self.formed(node, self.former.compared, RELATIONS[name], *arguments)
        if name in BY_NAME:
            return self.formed(node, self.former.operated, BY_NAME[name], arguments)
        function = FUNCTIONS.get(name) or ALIASES.get(name) or COMPLEX.get(name)
        if function is None:
            known = ", ".join(sorted(WORDS))
            near = did_you_mean(name, [*WORDS, *self.fields])
            raise self.fail(node, f"calls an unknown function{near}; known: {known}.")
        return self.formed(node, self.former.applied, function, arguments)

    def differentiated(self, node: ast.Name, name: str) -> tuple[sympy.Expr, sympy.Expr] | None:
        """The field that a name stands for or is a derivative of, and what the name means."""
        field = self.fields.get(name) or self.fields.get(MARKED.get(name, ""))
        if field is not None:
            return field, field
        if name in WORDS or name in self.symbols:
            return None
        made = self.formed(node, subscripted, name, self.fields)
        return None if made is None else (made[0], self.name(node))

    def at_place(
        self, node: ast.Call, field: sympy.Expr, meant: sympy.Expr, depth: int
    ) -> sympy.Expr:
        """A field or derivative at a place, ``u_x(x=0)`` or ``u(0, t)``: the place is noted."""
        values = [self.number(argument, depth) for argument in node.args]
        own = {symbol.name: symbol for symbol in field.args}
        if values and len(values) != len(own):
            raise self.fail(node, f"takes {len(own)} arguments, as {field}, or names: x=0.")
        at = dict(zip(field.args, values, strict=False))
        for item in node.keywords:
            symbol = own.get(item.arg or "")
            if symbol is None or symbol in at:
                known = ", ".join(own)
                near = did_you_mean(item.arg or "", own)
                raise self.fail(node, f"names {item.arg!r}{near}; {field.func} has {known}.")
            at[symbol] = self.number(item.value, depth)
        place = tuple((symbol, value) for symbol, value in at.items() if value != symbol)
        for _, value in place:
            if value.free_symbols or (value.has(sympy.Function) and not value.is_number):
                raise self.fail(node, f"stands for {field} only, or for it at a fixed place.")
        if not place:
            return meant
        if not self.placed:
            raise self.fail(node, f"stands for {field} only; places belong into conditions.")
        if self.places and self.places[0] != place:
            raise self.fail(node, "is at another place than what stands before it.")
        self.places = [place]
        return meant

    def sampled(self, node: ast.Call, own: Sampled, arguments: list[sympy.Expr]) -> sympy.Expr:
        """A sampled function at its arguments, which the orders of a derivative may follow."""
        count = len(own.at)
        orders = arguments[count:] or [sympy.S.Zero] * count
        if len(arguments) not in (count, 2 * count):
            raise self.fail(node, f"takes {count} arguments, as {own}.")
        if not all(order.is_Integer and 0 <= order <= MAX_ORDER for order in orders):
            raise self.fail(node, "has an order of a derivative that is not a whole number.")
        return self.formed(node, Sampled, own.samples, *arguments[:count], *orders)

    def piece(self, node: ast.expr, depth: int) -> tuple[sympy.Expr, Boolean]:
        match node:
            case ast.Tuple(elts=[value, condition]):
                return self.number(value, depth), self.boolean(condition, depth)
        raise self.fail(node, "is not a pair (value, condition).")

    def derivative(
        self, node: ast.Call, of: ast.expr, by: list[ast.expr], depth: int
    ) -> sympy.Expr:
        expression = self.number(of, depth)
        given = [
            tuple(self.number(part, depth) for part in item.elts)
            if isinstance(item, ast.Tuple)
            else self.number(item, depth)
            for item in by
        ]
        try:
            pairs = differentiations(given)
        except ProblemError as error:
            raise ProblemError(f"{self.where}: {error}") from None
        if not pairs:
            raise self.fail(node, "names no coordinate to differentiate by.")
        return differentiate(expression, pairs, self.where, self.budget)

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
