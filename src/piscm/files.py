"""Problem files as a whole: the problem, and how it is to be solved."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from inspect import cleandoc
from os import PathLike
from typing import Any

import sympy

from piscm.assemble.sampling import Sampling
from piscm.march.methods import Auto
from piscm.method_names import BASELINES, METHODS, make_method, method_name
from piscm.problem.problem import Problem
from piscm.result.method import Method
from piscm.result.solution import Solution
from piscm.solver import solve
from piscm.text.keys import at, at_option
from piscm.text.problem_file import read_content
from piscm.text.schema import json_schema, reference


@dataclass(frozen=True)
class ProblemFile:
    """A problem and how it is to be solved, as a problem file says it.

    Attributes
    ----------
    problem : Problem
    method : Method or None
        None leaves it to `solve`.
    sampling : Sampling or None
    weights : dict of str to float
    initial : dict of fields to expressions
    run : dict
        Of [solve]: `tol`, `seed`, `max_seconds`, `max_memory`, as far as they are given.
    units : dict of str to str
    options : dict
        The table [method] as it is written.
    path : str
    """

    problem: Problem
    method: Method | None
    sampling: Sampling | None
    weights: Mapping[str, float]
    initial: Mapping[sympy.Expr, sympy.Expr]
    run: Mapping[str, Any]
    units: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict)
    path: str = ""

    def solve(self, **options: Any) -> Solution:
        """Solve as the file says; options of `piscm.solve` replace those of the file."""
        own: dict[str, Any] = {
            "method": self.method,
            "sampling": self.sampling,
            "weights": dict(self.weights) or None,
            "initial": dict(self.initial) or None,
            **self.run,
        }
        solution = solve(self.problem, **{**own, **options})
        return replace(solution, units=dict(self.units))


def read_problem_file(
    path: str | PathLike[str],
    constants: Mapping[str, Any] | None = None,
    *,
    method: str | None = None,
    **options: Any,
) -> ProblemFile:
    """Read a problem file; all mistakes in it are one `ProblemError`, each with line and column.

    Parameters
    ----------
    path : str or path
    constants : mapping of str to float or str, optional
        Values that replace those of [constants] and [parameters], or make unknowns known: a
        parameter study from one file.
    method : str, optional
        The name of another method than the file's.
    **options
        Options of the method, which replace the file's.

    Examples
    --------
    >>> import piscm, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "decay.toml"
    >>> _ = path.write_text('''
    ... equations = ["u_t = -k*u"]
    ... conditions = ["u(t=0) = 1"]
    ... domain = {t = [0, 1]}
    ... constants = {k = 2}
    ... ''')
    >>> file = piscm.read_problem_file(path, constants={"k": 1})
    >>> round(float(file.solve(tol=1e-6)(t=1)), 5)
    0.36788
    """
    content = read_content(path, constants)
    made, sampling = None, None
    own = {key: value for key, value in content.method.items() if key != "name"}
    named = method or content.method.get("name") or _implied({**own, **options})
    with content.mistakes.at("method"):
        if named is not None:
            with at(*(["name"] if "name" in content.method and method is None else [])):
                named = method_name(named)
            same = method is None or method_name(content.method.get("name", method)) == named
            made = make_method(named, {**(own if same else {}), **options}, content.coordinates)
            if content.problem is not None:
                made.check(content.problem)
    with content.mistakes.at("sampling"):
        if content.sampling:
            with at_option(content.sampling, "sampling"):
                sampling = Sampling(**content.sampling)
    content.raise_all()
    assert content.problem is not None
    return ProblemFile(
        content.problem,
        made,
        sampling,
        content.weights,
        content.initial,
        content.run,
        content.units,
        content.method,
        content.path,
    )


def _implied(options: Mapping[str, Any]) -> str | None:
    """The method that options without a name are of."""
    if not options:
        return None
    known = {item.name for item in fields(Auto)}
    return "auto" if set(options) <= known - {"max_nodes"} else "pi-sc-iii"


# --- the reference, generated ---------------------------------------------------------------------

_FORMS = {"int": "integer", "float": "number", "str": "string", "bool": "boolean"}


def schema() -> dict[str, Any]:
    """The JSON schema of problem files, for editors."""
    properties: dict[str, Any] = {
        "name": {
            "anyOf": [{"enum": [*METHODS, *BASELINES]}, {"type": "string"}],  # in any case
            "description": "The method; auto by default.",
        }
    }
    for name in METHODS:
        for item in fields(METHODS[name]):  # type: ignore[arg-type]  # a dataclass
            kind = str(getattr(item.type, "__name__", item.type))
            forms = [form for word, form in _FORMS.items() if re.search(rf"\b{word}\b", kind)]
            properties.setdefault(
                item.name, {"type": forms} if forms and not re.search("Any|tuple", kind) else {}
            )
    return json_schema({"properties": properties})


def reference_page() -> str:
    """The reference of problem files in Markdown."""
    lines = ["## Methods", "", "`name` in `[method]` is one of these, in any case.", ""]
    for name, kind in METHODS.items():
        lines += [f"### {name}", "", cleandoc(kind.__doc__ or "").split("\n")[0], ""]
        lines += ["| option | default |", "|---|---|"]
        for item in fields(kind):  # type: ignore[arg-type]  # a dataclass
            lines.append(f"| `{item.name}` | {_default(item)} |")
        lines.append("")
    lines += [f"Methods of others: {', '.join(f'`{name}`' for name in BASELINES)}."]
    return reference("\n".join(lines))


def _default(item: Any) -> str:
    from dataclasses import MISSING

    if item.default is not MISSING:
        return f"`{item.default!r}`"
    if item.default_factory is not MISSING and not is_dataclass(item.default_factory):
        return f"`{item.default_factory()!r}`"
    return "chosen" if item.default_factory is not MISSING else "required"
