"""A problem as the text of a problem file, with formulas as people write them."""

from collections.abc import Mapping
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.problem.problem import Problem
from piscm.text.document import problem_to_document
from piscm.text.printing import FormulaPrinter
from piscm.text.subscripts import subscripted
from piscm.text.toml import to_toml

_TABLES = (
    "domain",
    "fields",
    "unknowns",
    "samples",
    "regions",
    "method",
    "sampling",
    "initial",
    "solve",
    "units",
)


def problem_text(problem: Problem, more: Mapping[str, Any] | None = None) -> str:
    """The problem as TOML; `more` are further tables, as {"sampling": {"interior": 500}}."""
    taken = {s.name for s in (*problem.domain.coordinates, *problem.unknowns)}
    printer = ReadablePrinter({str(item.func): item for item in problem.written_fields}, taken)
    document = problem_to_document(problem, printer.doprint)
    document["conditions"] = [_short(item) for item in document["conditions"]]
    document["observations"] = [_short(item) for item in document["observations"]]
    document["unknowns"] = {
        name: _short_unknown(item) for name, item in document["unknowns"].items()
    }
    order = (
        "complex",
        "equations",
        "conditions",
        "observations",
        "interface",
        "region",
        "singular",
        *_TABLES,
    )
    full = {**document, **(more or {})}
    # An empty table of singular functions forbids them, and is kept.
    kept = {
        name: full[name]
        for name in order
        if full.get(name) or (name == "singular" and name in full)
    }
    return to_toml(kept, _TABLES)


def _short(item: dict[str, Any]) -> dict[str, Any]:
    """Without what is so by default."""
    default = {"weight": 1.0, "loss": "square", "noise": None}
    kept = {k: v for k, v in item.items() if not (k in default and v == default[k])}
    if isinstance(kept.get("on"), list) and len(kept["on"]) == 1:
        kept["on"] = kept["on"][0]
    return kept


def _short_unknown(item: dict[str, Any]) -> Any:
    low, high = item["bounds"]
    kept: dict[str, Any] = {"guess": item["guess"]}
    if (low, high) != (None, None) and not (item["positive"] and low == 0 and high is None):
        # TOML has no null; an infinite bound is none.
        infinite = float("inf")
        kept["bounds"] = [-infinite if low is None else low, infinite if high is None else high]
    if item["positive"]:
        kept["positive"] = True
    if item.get("prior") is not None:
        kept["prior"] = item["prior"]
    return kept["guess"] if list(kept) == ["guess"] else kept


class ReadablePrinter(FormulaPrinter):
    """Prints fields by their names and derivatives with subscripts."""

    def __init__(self, fields: Mapping[str, sympy.Expr], taken: set[str]) -> None:
        super().__init__()
        self._fields, self._taken = fields, taken

    def _print_Function(self, part: Any) -> str:
        own = self._fields.get(str(part.func))
        if isinstance(part, AppliedUndef) and own == part:
            return str(part.func)
        text: str = super()._print_Function(part)
        return text

    def _print_Derivative(self, part: sympy.Derivative) -> str:
        inner = part.expr
        if isinstance(inner, AppliedUndef) and self._fields.get(str(inner.func)) == inner:
            by = "".join(symbol.name * int(count) for symbol, count in part.variable_count)
            name = f"{inner.func}_{by}"
            if name not in self._taken and self._reads_back(name, part):
                return name
        text: str = super()._print_Derivative(part)
        return text

    def _reads_back(self, name: str, part: sympy.Derivative) -> bool:
        try:
            found = subscripted(name, self._fields)
        except Exception:
            return False
        return found is not None and found[0].diff(*found[1]) == part
