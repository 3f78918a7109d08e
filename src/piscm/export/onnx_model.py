"""A network as an ONNX model: a function of vectors of coordinates, in double precision."""

from typing import Any

import numpy as np

from piscm.export.onnx_graph import Graph
from piscm.export.plain import Plain, Window
from piscm.export.source import Derivative, plan, polynomials

# Old enough for every runtime that is in use; nothing newer is needed.
_OPSET, _IR_VERSION = 17, 8


def onnx_model(plain: Plain, derivatives: int, title: str) -> Any:
    """The model: an input for each coordinate, an output for each derivative up to an order."""
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install 'piscm[onnx]'") from None
    made = plan(plain, derivatives)
    graph = Graph(plain.problem.domain.coordinates)
    found = [(item.name, _output(graph, plain, item)) for item in made.derivatives]
    helper, vector = onnx.helper, (onnx.TensorProto.DOUBLE, ["points"])
    nodes = [
        helper.make_node(operator, inputs, [output], **attributes)
        for operator, inputs, output, attributes in graph.operators
    ]
    nodes += [helper.make_node("Identity", [inner], [name]) for name, inner in found]
    body = helper.make_graph(
        nodes,
        "piscm",
        [helper.make_tensor_value_info(name, *vector) for name in made.coordinates],
        [helper.make_tensor_value_info(name, *vector) for name, _ in found],
        [onnx.numpy_helper.from_array(array, name) for name, array in graph.constants.items()],
        doc_string=title,
    )
    model = helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
        producer_name="piscm",
    )
    helper.set_model_props(model, {name: repr(v) for name, v in plain.unknowns.items()})
    onnx.checker.check_model(model)
    return model


def _output(graph: Graph, plain: Plain, item: Derivative) -> str:
    """A derivative of a field as the user wrote it; NaN where the problem was not solved."""
    cases, otherwise = [], ""
    for case in item.cases:
        value = _field(graph, plain, case.field, item.orders)
        if case.start != 0:
            value = graph.apply("Add", value, graph.expression(case.start))
        if case.inside is None:
            otherwise = value
        else:
            cases.append((value, graph.expression(case.inside)))
    value = graph.by_cases(cases, otherwise)
    return graph.apply("Where", _solved(graph, plain), value, graph.constant(np.nan))


def _field(graph: Graph, plain: Plain, field: int, orders: tuple[int, ...]) -> str:
    """The nodes of the window that is responsible for each point."""
    values = [_sum(graph, plain, window, field, orders) for window in plain.windows]
    if len(values) == 1:
        return values[0]
    window = _window(graph, plain)
    cases = [
        (value, graph.apply("Equal", window, graph.constant(number, np.int64)))
        for number, value in enumerate(values[:-1])
    ]
    return graph.by_cases(cases, values[-1])


def _window(graph: Graph, plain: Plain) -> str:
    """The number of each point's window."""
    cell = graph.constant(0, np.int64)
    beside, above = graph.constant([1], np.int64), "Greater"
    if plain.cells.upward:
        above = "GreaterOrEqual"
    for symbol, edges in zip(plain.problem.domain.coordinates, plain.cells.edges, strict=True):
        if edges:
            column = graph.apply("Unsqueeze", symbol.name, beside)
            passed = graph.apply(above, column, graph.constant(edges))
            counted = graph.apply("Cast", passed, to=7)  # int64
            count = graph.apply("ReduceSum", counted, beside, keepdims=0)
            times = graph.constant(len(edges) + 1, np.int64)
            cell = graph.apply("Add", graph.apply("Mul", cell, times), count)
    return graph.apply("Gather", graph.constant(plain.cells.owner, np.int64), cell)


def _sum(graph: Graph, plain: Plain, window: Window, field: int, orders: tuple[int, ...]) -> str:
    """The weighted nodes of a window."""
    beside, hidden = graph.constant([1], np.int64), window.hidden[field]
    names = [symbol.name for symbol in plain.problem.domain.coordinates]
    columns = [graph.apply("Unsqueeze", name, beside) for name in names]
    points = graph.apply("Concat", *columns, axis=1)
    product = graph.apply("MatMul", points, graph.constant(hidden.T))
    inner = graph.apply("Add", product, graph.constant(window.biases[field]))
    nodes = _activation(graph, window.activation, sum(orders), inner)
    weights = window.weights[:, field] * np.prod(hidden ** np.array(orders), axis=1)
    return graph.apply("MatMul", nodes, graph.constant(weights))


def _activation(graph: Graph, name: str, order: int, inner: str) -> str:
    """A derivative of an activation."""
    if name == "sin":
        wave = graph.apply("Sin" if order % 2 == 0 else "Cos", inner)
        return wave if order % 4 < 2 else graph.apply("Neg", wave)
    coefficients = polynomials(name, order)[order]
    if name == "gaussian":
        bump = graph.apply("Exp", graph.apply("Neg", graph.apply("Mul", inner, inner)))
        return graph.apply("Mul", _polynomial(graph, coefficients, inner), bump)
    return _polynomial(graph, coefficients, graph.apply(name.capitalize(), inner))


def _polynomial(graph: Graph, coefficients: list[float], at: str) -> str:
    *lower, highest = coefficients
    total = graph.constant(highest)
    for coefficient in reversed(lower):
        total = graph.apply("Mul", total, at)
        if coefficient:
            total = graph.apply("Add", total, graph.constant(coefficient))
    return total


def _solved(graph: Graph, plain: Plain) -> str:
    """Whether points lie in the domain's box, and where the problem was solved."""
    box = plain.problem.domain.bounding_box
    names = [symbol.name for symbol in box.coordinates]
    ends = list(zip(names, box.lower, box.upper, strict=True))
    ends.append((names[plain.axis], *plain.solved))
    sides = []
    for name, low, high in ends:
        sides.append(graph.apply("GreaterOrEqual", name, graph.constant(low)))
        sides.append(graph.apply("LessOrEqual", name, graph.constant(high)))
    inside, *rest = sides
    for side in rest:
        inside = graph.apply("And", inside, side)
    return inside
