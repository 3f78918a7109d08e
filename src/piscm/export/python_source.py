"""A network as the source of a Python module that imports nothing but `math`."""

import sympy
from sympy.printing.pycode import PythonCodePrinter

from piscm.export.source import Plan, plan, polynomials, printed, safe
from piscm.network.network import Network

_HEAD = '''"""{title}

Written by piscm; needs Python alone. Each function takes numbers and returns a number: NaN outside
of {domain}, and where the problem was not solved.
"""

import math

'''

_BODY = '''

def _value(field, orders, at):
    """A derivative of a field: weighted derivatives of the nodes, summed without round-off."""
    if not all(low <= value <= high for value, (low, high) in zip(at, _BOUNDS)):
        return math.nan
    if not _SOLVED[0] <= at[_AXIS] <= _SOLVED[1]:
        return math.nan
    order, terms = sum(orders), []
    for upper, activation, hidden, biases, weights in _WINDOWS:
        if at[_AXIS] <= upper:
            break
    for inner, bias, weight in zip(hidden[field], biases, weights[field]):
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


def python_source(network: Network, derivatives: int, title: str) -> str:
    """The source of a module with a function for every derivative up to an order."""
    made = plan(network, derivatives)
    domain = str(network.problem.domain).replace("\\", "/").replace('"""', "'")
    parts = [_HEAD.format(title=title, domain=domain), _numbers(made)]
    rest = [name for name in made.activations if name != "sin"]
    for name in rest:
        parts.append(f"_{name.upper()} = {polynomials(name, made.highest)!r}\n")
    parts += [_HORNER] if rest else []
    parts += [_ACTIVATIONS[name] for name in made.activations]
    parts += [
        "\n\n",
        _windows(made),
        _BODY,
        *(_function(made, i) for i in range(len(made.derivatives))),
    ]
    return "".join(parts)


def _numbers(made: Plan) -> str:
    network = made.network
    box = network.problem.domain.bounding_box
    bounds = [(float(low), float(high)) for low, high in zip(box.lower, box.upper, strict=True)]
    lines = [f"_BOUNDS = {bounds!r}\n", f"_AXIS = {made.axis}\n"]
    low, high = (_float(float(end)) for end in (network.solved_down_to, network.solved_up_to))
    lines.append(f"_SOLVED = ({low}, {high})\n")
    names = safe([symbol.name for symbol in network.problem.unknowns], ("math",))
    lines += [f"{name} = {float(v)!r}\n" for name, v in zip(names, network.unknowns, strict=True)]
    return "".join(lines)


def _float(number: float) -> str:
    return repr(number) if abs(number) < float("inf") else f"float('{number}')"


def _windows(made: Plan) -> str:
    fields, rows = range(len(made.network.problem.fields)), []
    for window in made.windows:
        hidden = [made.hidden(window, field) for field in fields]
        numbers = f"{hidden!r},\n        {window.biases.tolist()!r},\n        "
        rows.append(
            f"    (\n        {_float(window.upper)},\n        _{window.activation},\n        "
            f"{numbers}{window.weights.T.tolist()!r},\n    ),\n"
        )
    return f"_WINDOWS = [\n{''.join(rows)}]\n"


def _function(made: Plan, number: int) -> str:
    item = made.derivatives[number]
    names = safe(made.coordinates, ("math",))
    symbols = made.network.problem.domain.coordinates
    renamed = dict(zip(symbols, map(sympy.Symbol, names), strict=True))
    start = item.start.xreplace(renamed)
    printer = PythonCodePrinter({"fully_qualified_modules": True, "strict": False})
    added = "" if start == 0 else f" + {printed(start, printer.doprint, 'Python')}"
    arguments = ", ".join(names)
    own = safe([item.name], ("math",))[0]
    point = f"({arguments},)"
    return (
        f"\ndef {own}({arguments}):\n"
        f"    return _value({item.field}, {item.orders!r}, {point}){added}\n\n"
    )
