"""Calls in a formula: functions, derivatives, pieces, sampled functions, fields at a place."""

import ast
from typing import TYPE_CHECKING, Any

import sympy
from sympy.logic.boolalg import Boolean

from piscm.problem.errors import ProblemError
from piscm.problem.expressions import differentiate
from piscm.problem.functions import ALIASES, COMPLEX, FUNCTIONS, MAX_ORDER, RELATIONS, WORDS
from piscm.problem.nearest import did_you_mean
from piscm.problem.operators import BY_NAME, OF_VECTORS
from piscm.problem.sampled import Sampled
from piscm.problem.symbols import differentiations
from piscm.text.source import MARKED
from piscm.text.subscripts import subscripted, undeclared_field
from piscm.text.vectors import operated

if TYPE_CHECKING:
    from piscm.text.syntax import Reader


def called(reader: "Reader", node: ast.Call, depth: int) -> Any:
    """What a call stands for."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "diff":
        return _derivative(reader, node, node.func.value, node.args, depth)
    if not isinstance(node.func, ast.Name):
        raise reader.fail(node, "is not understood.")
    name = node.func.id
    of = _differentiated(reader, node.func, name)
    if of is not None and (node.keywords or name not in reader.fields or reader.placed):
        return _at_place(reader, node, *of, depth)
    if node.keywords:
        if name in WORDS or name in reader.symbols or not reader.placed:
            raise reader.fail(node, "is not understood.")
        own = name if "_" not in name else undeclared_field(name, reader.fields)
        told = reader.missing_field(own)
        raise reader.fail(
            node, f"is not understood: {name} is not a field or its derivative.{told}"
        )
    if name in ("diff", "Derivative") and node.args:
        return _derivative(reader, node, node.args[0], node.args[1:], depth)
    if name == "Piecewise":
        pieces = [_piece(reader, argument, depth) for argument in node.args]
        return reader.formed(node, reader.former.pieces, pieces)
    if name in OF_VECTORS:
        return operated(reader, node, name, depth)
    arguments = [reader.number(argument, depth) for argument in node.args]
    field = reader.fields.get(name) or reader.fields.get(MARKED.get(name, ""))
    if field is not None:
        if tuple(arguments) != field.args:
            raise reader.fail(node, f"stands for {field} only.")
        return field
    if isinstance(reader.symbols.get(name), Sampled):
        return _sampled(reader, node, reader.symbols[name], arguments)
    if name in RELATIONS:
        return reader.formed(node, reader.former.compared, RELATIONS[name], *arguments)
    if name in BY_NAME:
        return reader.formed(node, reader.former.operated, BY_NAME[name], arguments)
    function = FUNCTIONS.get(name) or ALIASES.get(name) or COMPLEX.get(name)
    if function is None:
        known = ", ".join(sorted(WORDS))
        near = did_you_mean(name, [*WORDS, *reader.fields])
        raise reader.fail(node, f"calls an unknown function{near}; known: {known}.")
    return reader.formed(node, reader.former.applied, function, arguments)


def _differentiated(
    reader: "Reader", node: ast.Name, name: str
) -> tuple[sympy.Expr, sympy.Expr] | None:
    """The field that a name stands for or is a derivative of, and what the name means."""
    field = reader.fields.get(name) or reader.fields.get(MARKED.get(name, ""))
    if field is not None:
        return field, field
    if name in WORDS or name in reader.symbols:
        return None
    made = reader.formed(node, subscripted, name, reader.fields)
    return None if made is None else (made[0], reader.name(node))


def _at_place(
    reader: "Reader", node: ast.Call, field: sympy.Expr, meant: sympy.Expr, depth: int
) -> sympy.Expr:
    """A field or derivative at a place, ``u_x(x=0)`` or ``u(0, t)``: the place is noted."""
    values = [reader.number(argument, depth) for argument in node.args]
    own = {symbol.name: symbol for symbol in field.args}
    if values and len(values) != len(own):
        raise reader.fail(node, f"takes {len(own)} arguments, as {field}, or names: x=0.")
    at = dict(zip(field.args, values, strict=False))
    for item in node.keywords:
        symbol = own.get(item.arg or "")
        if symbol is None or symbol in at:
            known = ", ".join(own)
            near = did_you_mean(item.arg or "", own)
            raise reader.fail(node, f"names {item.arg!r}{near}; {field.func} has {known}.")
        at[symbol] = reader.number(item.value, depth)
    place = tuple((symbol, value) for symbol, value in at.items() if value != symbol)
    for _, value in place:
        if value.free_symbols or (value.has(sympy.Function) and not value.is_number):
            raise reader.fail(node, f"stands for {field} only, or for it at a fixed place.")
    if not place:
        return meant
    if not reader.placed:
        raise reader.fail(node, f"stands for {field} only; places belong into conditions.")
    if reader.places and reader.places[0] != place:
        raise reader.fail(node, "is at another place than what stands before it.")
    reader.places = [place]
    return meant


def _sampled(
    reader: "Reader", node: ast.Call, own: Sampled, arguments: list[sympy.Expr]
) -> sympy.Expr:
    """A sampled function at its arguments, which the orders of a derivative may follow."""
    count = len(own.at)
    orders = arguments[count:] or [sympy.S.Zero] * count
    if len(arguments) not in (count, 2 * count):
        raise reader.fail(node, f"takes {count} arguments, as {own}.")
    if not all(order.is_Integer and 0 <= order <= MAX_ORDER for order in orders):
        raise reader.fail(node, "has an order of a derivative that is not a whole number.")
    return reader.formed(node, Sampled, own.samples, *arguments[:count], *orders)


def _piece(reader: "Reader", node: ast.expr, depth: int) -> tuple[sympy.Expr, Boolean]:
    match node:
        case ast.Tuple(elts=[value, condition]):
            return reader.number(value, depth), reader.boolean(condition, depth)
    raise reader.fail(node, "is not a pair (value, condition).")


def _derivative(
    reader: "Reader", node: ast.Call, of: ast.expr, by: list[ast.expr], depth: int
) -> sympy.Expr:
    expression = reader.number(of, depth)
    given = [
        tuple(reader.number(part, depth) for part in item.elts)
        if isinstance(item, ast.Tuple)
        else reader.number(item, depth)
        for item in by
    ]
    try:
        pairs = differentiations(given)
    except ProblemError as error:
        raise ProblemError(f"{reader.where}: {error}") from None
    if not pairs:
        raise reader.fail(node, "names no coordinate to differentiate by.")
    return differentiate(expression, pairs, reader.where, reader.budget)
