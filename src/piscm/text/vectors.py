"""Vectors in text: what stands inside ``div(k*grad(u))``, ``curl((u, v))``, ``dot(a, b)``."""

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sympy

from piscm.problem.expressions import check_parts
from piscm.problem.operators import OF_VECTORS
from piscm.problem.systems import CoordinateSystem

if TYPE_CHECKING:
    from piscm.text.syntax import Reader


def operated(reader: "Reader", node: ast.Call, name: str, depth: int) -> Any:
    """An operator on scalars and vectors: a scalar, or a matrix of one column."""
    arguments = [_argument(reader, argument, depth) for argument in node.args]
    for argument in arguments:
        if not isinstance(argument, CoordinateSystem):
            for part in _parts(argument):
                # Twice by each coordinate; in curvilinear coordinates a little more.
                reader.budget.spend(2 * check_parts(part, reader.where), reader.where)
    made = reader.formed(node, OF_VECTORS[name], *arguments)
    for part in _parts(made):
        check_parts(part, reader.where)
    return made


def _parts(value: Any) -> Sequence[sympy.Expr]:
    return list(value) if isinstance(value, sympy.MatrixBase) else [value]


def _argument(reader: "Reader", node: ast.expr, depth: int) -> Any:
    """A vector if it is written as one, else a scalar."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return sympy.ImmutableMatrix([reader.number(part, depth + 1) for part in parts])
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in OF_VECTORS:
            return operated(reader, node, name, depth + 1)
        case ast.UnaryOp(op=ast.USub(), operand=inner) if _is_vector(inner):
            return -_argument(reader, inner, depth + 1)
        case ast.BinOp(op=ast.Add() | ast.Sub() as op, left=left, right=right) if _is_vector(node):
            both = [_argument(reader, side, depth + 1) for side in (left, right)]
            if not all(isinstance(side, sympy.MatrixBase) for side in both):
                raise reader.fail(node, "adds a vector and a number.")
            if both[0].shape != both[1].shape:
                raise reader.fail(node, "adds vectors with different numbers of components.")
            return both[0] + both[1] if isinstance(op, ast.Add) else both[0] - both[1]
        case ast.BinOp(op=ast.Mult() | ast.Div() as op, left=left, right=right) if _is_vector(node):
            return _scaled(reader, node, left, right, isinstance(op, ast.Div), depth)
    return reader.number(node, depth + 1)


def _scaled(
    reader: "Reader", node: ast.expr, left: ast.expr, right: ast.expr, divided: bool, depth: int
) -> Any:
    if _is_vector(left) and _is_vector(right):
        raise reader.fail(node, "multiplies two vectors; write dot(a, b).")
    if divided and _is_vector(right):
        raise reader.fail(node, "divides by a vector.")
    vector, scalar = (left, right) if _is_vector(left) else (right, left)
    factor = reader.number(scalar, depth + 1)
    factor = 1 / factor if divided else factor
    return _argument(reader, vector, depth + 1) * factor


def _is_vector(node: ast.expr) -> bool:
    """Whether an expression is written as a vector."""
    match node:
        case ast.Tuple() | ast.List():
            return True
        case ast.Call(func=ast.Name(id="grad")):
            return True
        case ast.Call(func=ast.Name(id="curl"), args=[first, *over]):
            # In the plane the curl is a number.
            parts = len(first.elts) if isinstance(first, ast.Tuple | ast.List) else len(over)
            return parts == 3 or any(
                isinstance(own, ast.Call)
                and isinstance(own.func, ast.Name)
                and own.func.id in ("cylindrical", "spherical")
                for own in over
            )
        case ast.Call(func=ast.Name(id="laplacian"), args=[first, *_]):
            return _is_vector(first)
        case ast.UnaryOp(operand=inner):
            return _is_vector(inner)
        case ast.BinOp(left=left, right=right):
            return _is_vector(left) or _is_vector(right)
    return False
