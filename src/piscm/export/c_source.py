"""A network as C99 source, for controllers: no library but math.h, no allocation, no state."""

from collections.abc import Sequence

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.printing.c import C99CodePrinter

from piscm.export.plain import Plain
from piscm.export.source import Plan, plan, polynomials, printed, returns, safe
from piscm.problem.errors import ProblemError, brief

Floats = NDArray[np.float64]

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
static int {prefix}_window(const double *at)
{{
    int cell = 0, j, k;
    for (j = 0; j < {n}; j++) {{
        cell *= {prefix}_edges[j + 1] - {prefix}_edges[j] + 1;
        for (k = {prefix}_edges[j]; k < {prefix}_edges[j + 1]; k++)
            cell += at[j] {sign} {prefix}_edge[k];
    }}
    return {prefix}_owner[cell];
}}

static double {prefix}_value(int field, const int *orders, const double *at)
{{
    static const double low[{n}] = {low}, high[{n}] = {high};
    int window, order = 0, node, j, k;
    double total = 0.0, lost = 0.0;
    for (j = 0; j < {n}; j++) {{
        if (!(at[j] >= low[j] && at[j] <= high[j]))
            return NAN;
        order += orders[j];
    }}
    if (!(at[{axis}] >= {solved_low} && at[{axis}] <= {solved_high}))
        return NAN;
    window = {prefix}_window(at);
    for (node = {prefix}_first[window]; node < {prefix}_first[window + 1]; node++) {{
        double z = {prefix}_bias[field][node], term = {prefix}_weight[node][field], sum;
        for (j = 0; j < {n}; j++) {{
            double slope = {prefix}_hidden[field][node][j];
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


def c_source(plain: Plain, derivatives: int, title: str, prefix: str = "piscm") -> str:
    """C source with a function for every derivative up to an order, and the unknowns."""
    if not prefix.isidentifier() or not prefix.isascii() or prefix in _WORDS:
        raise ProblemError(f"name={brief(prefix)}: give a name that C allows, as 'plant'.")
    made = plan(plain, derivatives)
    domain = str(plain.problem.domain).replace("*/", "")
    parts = [_HEAD.format(title=title.replace("*/", ""), domain=domain)]
    for own, value in plain.unknowns.items():
        parts.append(f"const double {prefix}_{own} = {value!r};\n")
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
    plain, windows = made.plain, made.plain.windows
    counts = [len(window.weights) for window in windows]
    first = [sum(counts[:number]) for number in range(len(counts) + 1)]
    n, fields = plain.problem.domain.dimension, len(plain.problem.fields)
    total = max(1, first[-1])
    hidden = _joined([window.hidden for window in windows], (fields, n), 1)
    biases = _joined([window.biases for window in windows], (fields,), 1)
    weights = _joined([window.weights for window in windows], (fields,), 0)
    kinds = [made.activations.index(window.activation) for window in windows]
    edges = plain.cells.edges
    ends = [sum(len(own) for own in edges[:number]) for number in range(n + 1)]
    each = [float(edge) for own in edges for edge in own] or [0.0]
    owner = list(map(int, plain.cells.owner))
    return (
        f"static const double {prefix}_edge[{len(each)}] = {_row(each)};\n"
        f"static const int {prefix}_edges[{n + 1}] = {_row(ends)};\n"
        f"static const int {prefix}_owner[{len(owner)}] = {_row(owner)};\n"
        f"static const int {prefix}_first[{len(first)}] = {_row(first)};\n"
        f"static const int {prefix}_kind[{len(kinds)}] = {_row(kinds)};\n"
        f"static const double {prefix}_bias[{fields}][{total}] = {_nested(biases)};\n"
        f"static const double {prefix}_hidden[{fields}][{total}][{n}] = {_nested(hidden)};\n"
        f"static const double {prefix}_weight[{total}][{fields}] = {_nested(weights)};\n"
    )


def _joined(arrays: Sequence[Floats], rest: tuple[int, ...], axis: int) -> Floats:
    """The nodes of all windows; C has no empty arrays, so one that counts for nothing if none."""
    joined = np.concatenate(arrays, axis=axis)
    if joined.shape[axis]:
        return joined
    return np.zeros((*rest[:axis], 1, *rest[axis:]))


def _nested(array: Floats) -> str:
    """An array as C writes it, a line for each innermost row."""
    if array.ndim == 1:
        return _row(array.tolist())
    return "{\n" + ",\n".join(map(_nested, array)) + "\n}"


def _row(numbers: Sequence[float]) -> str:
    return "{" + ", ".join(repr(number) for number in numbers) + "}"


def _double(number: float) -> str:
    if abs(number) < float("inf"):
        return repr(number)
    return "INFINITY" if number > 0 else "-INFINITY"


def _body(made: Plan, prefix: str) -> str:
    plain = made.plain
    box = plain.problem.domain.bounding_box
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
        axis=plain.axis,
        solved_low=_double(plain.solved[0]),
        solved_high=_double(plain.solved[1]),
        sign=">=" if plain.cells.upward else ">",
        cases=cases,
    )


def _function(made: Plan, number: int, prefix: str) -> str:
    item = made.derivatives[number]
    names = safe(made.coordinates, _WORDS)
    symbols = made.plain.problem.domain.coordinates
    renamed = dict(zip(symbols, map(sympy.Symbol, names), strict=True))
    printer = C99CodePrinter({"strict": False})

    def text(expression: sympy.Basic) -> str:
        return printed(expression.xreplace(renamed), printer.doprint, "C")

    def value(field: int) -> str:
        return f"{prefix}_value({field}, orders, at)"

    body = returns(item, text, value, "if ({})", ";")
    arguments = ", ".join(f"double {name}" for name in names)
    return (
        f"\ndouble {prefix}_{item.name}({arguments})\n{{\n"
        f"    const double at[{len(names)}] = {{{', '.join(names)}}};\n"
        f"    const int orders[{len(names)}] = {_row(item.orders)};\n"
        f"{body}}}\n"
    )
