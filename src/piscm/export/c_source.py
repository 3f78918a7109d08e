"""A network as C99 source, for controllers: no library but math.h, no allocation, no state."""

from collections.abc import Sequence

import sympy
from sympy.printing.c import C99CodePrinter

from piscm.export.source import Plan, plan, polynomials, printed, safe
from piscm.network.network import Network
from piscm.problem.errors import ProblemError, brief

_WORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "main",
        "at",
        "orders",
    ]
)

_HEAD = """/* {title}
 *
 * Written by piscm. C99; link with -lm. Each function returns NAN outside of
 * {domain}, and where the problem was not solved.
 */
#include <math.h>

"""

_ACTIVATION = {
    "sin": """
static double {prefix}_sin(double z, int order)
{{
    double wave = order % 2 == 0 ? sin(z) : cos(z);
    return order % 4 < 2 ? wave : -wave;
}}
""",
    "tanh": """
static double {prefix}_tanh(double z, int order)
{{
    return {prefix}_polynomial({prefix}_tanh_powers[order], order + 2, tanh(z));
}}
""",
    "sigmoid": """
static double {prefix}_sigmoid(double z, int order)
{{
    double s = 0.5 + 0.5 * tanh(0.5 * z);
    return {prefix}_polynomial({prefix}_sigmoid_powers[order], order + 2, s);
}}
""",
    "gaussian": """
static double {prefix}_gaussian(double z, int order)
{{
    return {prefix}_polynomial({prefix}_gaussian_powers[order], order + 1, z) * exp(-z * z);
}}
""",
}

_HORNER = """
static double {prefix}_polynomial(const double *powers, int count, double z)
{{
    double total = 0.0;
    while (count-- > 0)
        total = total * z + powers[count];
    return total;
}}
"""

_BODY = """
static double {prefix}_value(int field, const int *orders, const double *at)
{{
    static const double low[{n}] = {low}, high[{n}] = {high};
    int window = 0, order = 0, node, j, k;
    double total = 0.0, lost = 0.0;
    for (j = 0; j < {n}; j++) {{
        if (!(at[j] >= low[j] && at[j] <= high[j]))
            return NAN;
        order += orders[j];
    }}
    if (!(at[{axis}] >= {solved_low} && at[{axis}] <= {solved_high}))
        return NAN;
    while (at[{axis}] > {prefix}_upper[window])
        window++;
    for (node = {prefix}_first[window]; node < {prefix}_first[window + 1]; node++) {{
        double z = {prefix}_bias[node], term = {prefix}_weight[node][field], sum;
        for (j = 0; j < {n}; j++) {{
            double slope = {prefix}_sees[field][j] ? {prefix}_hidden[node][j] : 0.0;
            z += slope * at[j];
            for (k = 0; k < orders[j]; k++)
                term *= slope;
        }}
        switch ({prefix}_kind[window]) {{
{cases}        }}
        /* Neumaier's sum: the terms are much larger than their sum. */
        sum = total + term;
        lost += fabs(total) >= fabs(term) ? (total - sum) + term : (term - sum) + total;
        total = sum;
    }}
    return total + lost;
}}
"""


def c_source(network: Network, derivatives: int, title: str, prefix: str = "piscm") -> str:
    """C source with a function for every derivative up to an order, and the unknowns."""
    if not prefix.isidentifier() or not prefix.isascii() or prefix in _WORDS:
        raise ProblemError(f"name={brief(prefix)}: give a name that C allows, as 'plant'.")
    made = plan(network, derivatives)
    domain = str(network.problem.domain).replace("*/", "")
    parts = [_HEAD.format(title=title.replace("*/", ""), domain=domain)]
    for symbol, value in zip(network.problem.unknowns, network.unknowns, strict=True):
        parts.append(f"const double {prefix}_{symbol.name} = {float(value)!r};\n")
    parts.append(_tables(made, prefix))
    rest = [name for name in made.activations if name != "sin"]
    parts += [_HORNER.format(prefix=prefix)] if rest else []
    for name in rest:
        powers = polynomials(name, made.highest)
        width = max(map(len, powers))
        rows = ",\n    ".join(_row([*row, *[0.0] * (width - len(row))]) for row in powers)
        parts.append(
            f"static const double {prefix}_{name}_powers[{len(powers)}][{width}] = {{\n"
            f"    {rows}\n}};\n"
        )
    parts += [_ACTIVATION[name].format(prefix=prefix) for name in made.activations]
    parts.append(_body(made, prefix))
    parts += [_function(made, number, prefix) for number in range(len(made.derivatives))]
    return "".join(parts)


def _tables(made: Plan, prefix: str) -> str:
    network, problem = made.network, made.network.problem
    counts = [len(window.biases) for window in made.windows]
    first = [sum(counts[:number]) for number in range(len(counts) + 1)]
    total, n, fields = max(1, first[-1]), problem.domain.dimension, len(problem.fields)
    hidden = network.nodes.weights.tolist() or [[0.0] * n]
    biases = network.nodes.biases.tolist() or [0.0]
    weights = network.weights.tolist() or [[0.0] * fields]
    sees = [[int(s in item.args) for s in problem.domain.coordinates] for item in problem.fields]
    kinds = [made.activations.index(window.activation) for window in made.windows]
    uppers = ", ".join(_double(window.upper) for window in made.windows)
    return (
        f"static const double {prefix}_upper[{len(counts)}] = {{{uppers}}};\n"
        f"static const int {prefix}_first[{len(first)}] = {{{', '.join(map(str, first))}}};\n"
        f"static const int {prefix}_kind[{len(kinds)}] = {{{', '.join(map(str, kinds))}}};\n"
        f"static const int {prefix}_sees[{fields}][{n}] = {{{', '.join(map(_row, sees))}}};\n"
        f"static const double {prefix}_bias[{total}] = {_row(biases)};\n"
        f"static const double {prefix}_hidden[{total}][{n}] = {{\n    "
        + ",\n    ".join(map(_row, hidden))
        + f"\n}};\nstatic const double {prefix}_weight[{total}][{fields}] = {{\n    "
        + ",\n    ".join(map(_row, weights))
        + "\n};\n"
    )


def _row(numbers: Sequence[float]) -> str:
    return "{" + ", ".join(repr(number) for number in numbers) + "}"


def _double(number: float) -> str:
    if abs(number) < float("inf"):
        return repr(number)
    return "INFINITY" if number > 0 else "-INFINITY"


def _body(made: Plan, prefix: str) -> str:
    box, network = made.network.problem.domain.bounding_box, made.network
    cases = "".join(
        f"        case {number}:\n            term *= {prefix}_{name}(z, order);\n"
        "            break;\n"
        for number, name in enumerate(made.activations)
    )
    return _BODY.format(
        prefix=prefix,
        n=len(made.coordinates),
        low=_row([float(value) for value in box.lower]),
        high=_row([float(value) for value in box.upper]),
        axis=made.axis,
        solved_low=_double(float(network.solved_down_to)),
        solved_high=_double(float(network.solved_up_to)),
        cases=cases,
    )


def _function(made: Plan, number: int, prefix: str) -> str:
    item = made.derivatives[number]
    names = safe(made.coordinates, _WORDS)
    symbols = made.network.problem.domain.coordinates
    renamed = dict(zip(symbols, map(sympy.Symbol, names), strict=True))
    start = item.start.xreplace(renamed)
    printer = C99CodePrinter({"strict": False})
    added = "" if start == 0 else f" + {printed(start, printer.doprint, 'C')}"
    arguments = ", ".join(f"double {name}" for name in names)
    return (
        f"\ndouble {prefix}_{item.name}({arguments})\n{{\n"
        f"    const double at[{len(names)}] = {{{', '.join(names)}}};\n"
        f"    const int orders[{len(names)}] = {_row(item.orders)};\n"
        f"    return {prefix}_value({item.field}, orders, at){added};\n}}\n"
    )
