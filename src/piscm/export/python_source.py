"""A network as the source of a Python module that imports nothing but `math`."""

import sympy
from sympy.printing.pycode import PythonCodePrinter

from piscm.export.plain import Plain
from piscm.export.source import Plan, plan, polynomials, printed, returns, safe

_HEAD = '''"""{title}

Written by piscm; needs Python alone. Each function takes numbers and returns a number: NaN outside
of {domain}, and where the problem was not solved.
"""

import math

'''

_BODY = '''

def _window(at):
    """The nodes that are responsible for a point."""
    cell = 0
    for value, edges in zip(at, _EDGES):
        cell = cell * (len(edges) + 1) + sum(value SIGN edge for edge in edges)
    return _WINDOWS[_OWNER[cell]]


def _value(field, orders, at):
    """A derivative of a field: weighted derivatives of the nodes, summed without round-off."""
    if not all(low <= value <= high for value, (low, high) in zip(at, _BOUNDS)):
        return math.nan
    if not _SOLVED[0] <= at[_AXIS] <= _SOLVED[1]:
        return math.nan
    order, terms = sum(orders), []
    activation, hidden, biases, weights = _window(at)
    for inner, bias, weight in zip(hidden[field], biases[field], weights[field]):
        z = bias
        for slope, value, times in zip(inner, at, orders):
            z += slope * value
            if times:
                weight *= slope**times
        terms.append(weight * activation(z, order))
    return math.fsum(terms)

'''

_ACTIVATIONS = {
    "sin": """

def _sin(z, order):
    wave = math.sin(z) if order % 2 == 0 else math.cos(z)
    return wave if order % 4 < 2 else -wave
""",
    "tanh": """

def _tanh(z, order):
    return _polynomial(_TANH[order], math.tanh(z))
""",
    "sigmoid": """

def _sigmoid(z, order):
    return _polynomial(_SIGMOID[order], 0.5 + 0.5 * math.tanh(0.5 * z))
""",
    "gaussian": """

def _gaussian(z, order):
    return _polynomial(_GAUSSIAN[order], z) * math.exp(-z * z)
""",
}

_HORNER = """

def _polynomial(coefficients, z):
    total = 0.0
    for coefficient in reversed(coefficients):
        total = total * z + coefficient
    return total
"""


def python_source(plain: Plain, derivatives: int, title: str) -> str:
    """The source of a module with a function for every derivative up to an order."""
    made = plan(plain, derivatives)
    domain = str(plain.problem.domain).replace("\\", "/").replace('"""', "'")
    parts = [_HEAD.format(title=title, domain=domain), _numbers(made)]
    rest = [name for name in made.activations if name != "sin"]
    for name in rest:
        parts.append(f"_{name.upper()} = {polynomials(name, made.highest)!r}\n")
    parts += [_HORNER] if rest else []
    parts += [_ACTIVATIONS[name] for name in made.activations]
    parts += [
        "\n\n",
        _windows(made),
        _BODY.replace("SIGN", ">=" if plain.cells.upward else ">"),
        *(_function(made, i) for i in range(len(made.derivatives))),
    ]
    return "".join(parts)


def _numbers(made: Plan) -> str:
    plain = made.plain
    box = plain.problem.domain.bounding_box
    bounds = [(float(low), float(high)) for low, high in zip(box.lower, box.upper, strict=True)]
    low, high = map(_float, plain.solved)
    edges = tuple(tuple(map(float, own)) for own in plain.cells.edges)
    lines = [
        f"_BOUNDS = {bounds!r}\n",
        f"_AXIS = {plain.axis}\n",
        f"_SOLVED = ({low}, {high})\n",
        f"_EDGES = {edges!r}\n",
        f"_OWNER = {tuple(map(int, plain.cells.owner))!r}\n",
    ]
    names = safe(list(plain.unknowns), ("math",))
    lines += [f"{name} = {v!r}\n" for name, v in zip(names, plain.unknowns.values(), strict=True)]
    return "".join(lines)


def _float(number: float) -> str:
    return repr(number) if abs(number) < float("inf") else f"float('{number}')"


def _windows(made: Plan) -> str:
    rows = []
    for window in made.plain.windows:
        arrays = (window.hidden, window.biases, window.weights.T)
        numbers = ",\n        ".join(repr(array.tolist()) for array in arrays)
        rows.append(f"    (\n        _{window.activation},\n        {numbers},\n    ),\n")
    return f"_WINDOWS = [\n{''.join(rows)}]\n"


def _function(made: Plan, number: int) -> str:
    item = made.derivatives[number]
    names = safe(made.coordinates, ("math",))
    symbols = made.plain.problem.domain.coordinates
    renamed = dict(zip(symbols, map(sympy.Symbol, names), strict=True))
    printer = PythonCodePrinter({"fully_qualified_modules": True, "strict": False})
    arguments = ", ".join(names)

    def text(expression: sympy.Basic) -> str:
        return printed(expression.xreplace(renamed), printer.doprint, "Python")

    def value(field: int) -> str:
        return f"_value({field}, {item.orders!r}, ({arguments},))"

    body = returns(item, text, value, "if {}:", "")
    own = safe([item.name], ("math",))[0]
    return f"\ndef {own}({arguments}):\n{body}\n"
