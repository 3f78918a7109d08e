"""What a problem file may hold: the one list that reading, the reference and editors go by."""

from dataclasses import dataclass
from typing import Any

_TEXT = {"type": "string"}
_NUMBER = {"type": "number"}
_FORMULA = {"type": ["string", "number"]}
_NAMES = {"type": "array", "items": {"type": "string"}}
_PLACE = {
    "oneOf": [
        {"const": "boundary"},
        {"type": "object"},
        {"type": "array", "items": {"type": ["object", "string"]}},
    ]
}


@dataclass(frozen=True)
class Entry:
    """One entry of a table.

    Attributes
    ----------
    name : str
    form : dict
        What it may be, as JSON schema.
    words : str
        What it means.
    required : bool
    """

    name: str
    form: dict[str, Any]
    words: str
    required: bool = False


UNKNOWN = (
    Entry("guess", _NUMBER, "First guess; the mean of a prior by default."),
    Entry(
        "bounds",
        {"type": "array", "minItems": 2, "maxItems": 2},
        "Lower and upper bound; leave out what has none.",
    ),
    Entry("positive", {"type": "boolean"}, "Keeps it positive at every step."),
    Entry(
        "prior",
        {
            "type": "object",
            "properties": {"mean": _NUMBER, "std": _NUMBER},
            "required": ["mean", "std"],
            "additionalProperties": False,
        },
        "A Gaussian prior: `{mean = 1.0, std = 0.2}`.",
    ),
)

CONDITION = (
    Entry("expression", _TEXT, "What must vanish, or an equation: `u_x = 0`.", True),
    Entry(
        "on",
        _PLACE,
        'Where: `{x = 0}`, several of them in a list, `"boundary"`, a part of the boundary of a '
        'shape `{part = "hole"}`, `{where = "x < 0.1"}`, or of another shape, which may be a curve '
        'inside, `{of = {shape = "disk", center = {x = 0, y = 0}, radius = 0.5}}`. Left out where '
        "the expression names its place itself, `u_x(x=0) = 0`, and for integrals.",
    ),
    Entry("weight", _NUMBER, "Relative to other conditions; 1 by default."),
)

PERIODIC = (
    Entry("periodic", _TEXT, "What has the same value at both ends.", True),
    Entry("along", _TEXT, "The coordinate.", True),
    Entry("weight", _NUMBER, "Relative to other conditions; 1 by default."),
)

OBSERVATION = (
    Entry("expression", _TEXT, "What was measured.", True),
    Entry("file", _TEXT, "A table beside the problem file: .csv, .parquet, or NetCDF (.nc)."),
    Entry(
        "columns",
        {"type": "object", "additionalProperties": _TEXT},
        "The names of columns that are called otherwise in the table: "
        '`{x = "position", value = "temperature", noise = "sigma"}`. By default each coordinate '
        "has a column of its name, and the values are in `value` or in one called as the field.",
    ),
    Entry("points", {"type": "array"}, "Points, instead of a file: one list of coordinates each."),
    Entry("values", {"type": "array", "items": _NUMBER}, "The values there."),
    Entry(
        "noise",
        {"type": ["number", "array"]},
        "Their standard deviation, or one for each value; estimated if left out.",
    ),
    Entry("weight", _NUMBER, "Relative to other observations; 1 by default."),
    Entry("loss", {"enum": ["square", "huber"]}, '`"huber"` limits the pull of outliers.'),
)

SAMPLING = (
    Entry("interior", {"type": "integer", "minimum": 1}, "Points of the equations."),
    Entry("boundary", {"type": "integer", "minimum": 1}, "Points of each condition."),
    Entry("rule", {"enum": ["sobol", "uniform", "latin", "grid"]}, "How they are drawn."),
)

WEIGHTS = (
    Entry("equations", _NUMBER, "The weight of all equations; 1 by default."),
    Entry("conditions", _NUMBER, "The weight of all conditions."),
    Entry("observations", _NUMBER, "The weight of all observations."),
)

SOLVE = (
    Entry("tol", _NUMBER, "The tolerance of the method."),
    Entry("seed", {"type": "integer", "minimum": 0}, "The same seed gives the same result."),
    Entry("max_seconds", _NUMBER, "The run ends after this time with the best so far."),
    Entry("max_memory", _NUMBER, "Bytes that the run may take."),
)

REGION = (
    Entry("name", _TEXT, "Its name; region_1 and so on by default."),
    Entry(
        "domain",
        {"type": "object"},
        'As the domain of a problem; cells of a mesh file as well: `{shape = "mesh", coordinates = '
        '["x", "y"], file = "plate.msh", group = "steel"}`.',
        True,
    ),
    Entry(
        "values",
        {"type": "object"},
        'Values of symbols there: `k = 2`, or `k = "1 + x"`, which is a function of x under '
        "derivatives too.",
    ),
    Entry("singular", {"type": "object"}, "Functions added to its fields, as below."),
)

SAMPLES = (
    Entry("file", _TEXT, "A table beside the problem file: .csv, .parquet, or NetCDF (.nc)."),
    Entry(
        "columns",
        {"type": "object", "additionalProperties": _TEXT},
        "The names of columns that are called otherwise in the table. By default each coordinate "
        "has a column of its name, and the values are in `value` or in one called as the function.",
    ),
    Entry("of", _NAMES, "Its coordinates; all of the domain by default."),
    Entry("axes", {"type": "array"}, "Instead of a file: the points along each coordinate."),
    Entry("values", {"type": "array"}, "The values on the grid of these points."),
    Entry("degree", {"type": "integer"}, "Of the spline through them; 5 by default."),
    Entry("scattered", {"type": "array"}, "Where values were known before they were on a grid."),
)

PROBLEM = (
    Entry(
        "domain",
        {"type": "object"},
        'Bounds of each coordinate, `x = [0, "2*pi"]`, or a shape: `shape = "disk"`, '
        '`"rectangle"`, `"polygon"`, ... A `"mesh"` or `"polygon"` may have a `file` beside the '
        "problem file (STL, OBJ, PLY, .msh, ...; GeoJSON or WKT), of which `group` is one physical "
        "group of cells. Required without regions.",
    ),
    Entry(
        "equations",
        {"type": "array", "items": _TEXT, "minItems": 1},
        'Equations, or expressions that must vanish: `"u_t + u*u_x = nu*u_xx"`.',
        True,
    ),
    Entry(
        "conditions",
        {"type": "array"},
        'Conditions: texts that name their place, `"u(x=0) = 0"`, `"u = 0 on boundary"`, '
        '`"u(x=0) = u(x=1)"` (periodic), or tables.',
    ),
    Entry("observations", {"type": "array"}, "Measured values, a table for each set."),
    Entry(
        "constants",
        {"type": "object", "additionalProperties": _FORMULA},
        'Numbers by name, for use everywhere: `nu = "0.01/pi"`.',
    ),
    Entry(
        "parameters",
        {"type": "object", "additionalProperties": _FORMULA},
        "The same, for what `piscm sweep` is to vary.",
    ),
    Entry(
        "expressions",
        {"type": "object", "additionalProperties": _FORMULA},
        "Expressions by name, for use in equations, conditions and each other: "
        '`q = "sin(pi*x)*exp(-t)"`.',
    ),
    Entry(
        "samples",
        {"type": "object"},
        'Functions known by numbers, for use in formulas: `k = {file = "soil.csv"}`.',
    ),
    Entry(
        "fields",
        {"type": "object", "additionalProperties": _NAMES},
        'The fields and their coordinates, `u = ["x", "t"]`; left out, there is one, u, of all.',
    ),
    Entry(
        "complex",
        _NAMES,
        "Fields with complex values; `I`, `re`, `im`, `conjugate` and `abs` are known then.",
    ),
    Entry("unknowns", {"type": "object"}, "Parameters to be found: a first guess, or a table."),
    Entry("regions", {"type": "object"}, "Regions by name, for `integral(u, name)`."),
    Entry(
        "region",
        {"type": "array"},
        "Parts that lie side by side, each with its domain and values, instead of one domain.",
    ),
    Entry(
        "interface",
        {"type": "array"},
        'What is continuous where they meet, `"k*normal_derivative(u)"`, or by how much it jumps: '
        '`{of = "u", jump = 1}`.',
    ),
    Entry(
        "singular",
        {"type": "object", "additionalProperties": _NAMES},
        "Functions added to a field with unknown factors, as at a corner.",
    ),
    Entry(
        "initial",
        {"type": "object", "additionalProperties": _FORMULA},
        'Starting values of fields: `u = "1 - x^2"`.',
    ),
    Entry("method", {"type": "object"}, "How it is solved: a name, and options of the method."),
    Entry("sampling", {"type": "object"}, "How many points there are."),
    Entry("weights", {"type": "object"}, "Weights of equations, conditions and observations."),
    Entry("solve", {"type": "object"}, "Tolerance, seed and limits of a run."),
    Entry(
        "units",
        {"type": "object", "additionalProperties": _TEXT},
        "Units of coordinates, fields and unknowns, for the labels of pictures.",
    ),
)

TABLES: dict[str, tuple[Entry, ...]] = {
    "problem": PROBLEM,
    "region": REGION,
    "unknown": UNKNOWN,
    "condition": CONDITION,
    "periodic condition": PERIODIC,
    "observation": OBSERVATION,
    "sampled function": SAMPLES,
    "sampling": SAMPLING,
    "weights": WEIGHTS,
    "solve": SOLVE,
}


def names(entries: tuple[Entry, ...]) -> tuple[str, ...]:
    """The names of entries."""
    return tuple(entry.name for entry in entries)


def table_schema(entries: tuple[Entry, ...]) -> dict[str, Any]:
    """A table as JSON schema."""
    return {
        "type": "object",
        "properties": {entry.name: {**entry.form, "description": entry.words} for entry in entries},
        "required": [entry.name for entry in entries if entry.required],
        "additionalProperties": False,
    }


def json_schema(method: dict[str, Any] | None = None) -> dict[str, Any]:
    """The whole file as JSON schema, for editors; `method` is that of the method table."""
    schema = table_schema(PROBLEM)
    own = schema["properties"]
    condition = {"anyOf": [_TEXT, table_schema(CONDITION), table_schema(PERIODIC)]}
    own["conditions"]["items"] = condition
    own["observations"]["items"] = table_schema(OBSERVATION)
    own["samples"]["additionalProperties"] = table_schema(SAMPLES)
    own["region"]["items"] = table_schema(REGION)
    own["unknowns"]["additionalProperties"] = {"anyOf": [_NUMBER, table_schema(UNKNOWN)]}
    for name, entries in (("sampling", SAMPLING), ("weights", WEIGHTS), ("solve", SOLVE)):
        own[name] = {**own[name], **table_schema(entries)}
    if method is not None:
        own["method"] = {**own["method"], **method}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "piscm problem file",
        **schema,
    }


def reference(methods: str = "") -> str:
    """The same as a page in Markdown."""
    lines = ["# Problem files: reference", "", _WORDS, ""]
    for title, entries in TABLES.items():
        lines += [f"## {_HEADINGS[title]}", "", "| entry | meaning |", "|---|---|"]
        for entry in entries:
            words = entry.words.replace("|", "\\|") + (" **Required.**" if entry.required else "")
            lines.append(f"| `{entry.name}` | {words} |")
        lines.append("")
    return "\n".join([*lines, methods]).rstrip() + "\n"


_HEADINGS = {
    "problem": "The file",
    "region": "A region",
    "unknown": "An unknown",
    "condition": "A condition",
    "periodic condition": "A periodic condition",
    "observation": "A set of observations",
    "sampled function": "A sampled function",
    "sampling": "Sampling",
    "weights": "Weights",
    "solve": "Solve",
}

_WORDS = (
    "A problem file is TOML. Everything that the Python interface can say about a problem has a\n"
    "place in it. `piscm new` writes a commented one to start from, `piscm check FILE` shows what\n"
    "was understood, `piscm solve FILE` solves it, `piscm schema` prints a JSON schema for\n"
    "editors. Texts are parsed, never evaluated."
)
