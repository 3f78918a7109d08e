"""How many times as fast: ratios of times within one run, beside the same ratios of the paper."""

from dataclasses import dataclass

from piscm.paper.page import Block, Line, Section, Table, Text
from piscm.paper.printed import TITLES
from piscm.paper.summary import Row, Summary
from piscm.paper.words import ratio_text

DEEP = {
    "table-1": "pinn-deep",
    "table-2": "pinn-deep",
    "table-3": "vs-pinn-deep",
    "table-4": "pinn-deep",
    "table-5": "pinn-deep",
}
"""The gradient-trained method of each table that the paper measures speed against."""
_LINEAR = {"table-2": "pielm"}


@dataclass(frozen=True)
class Gain:
    """How many times as fast as a reference a row is; None where either is missing."""

    ours: float | None
    paper: float | None


def gain(summary: Summary, row: Row, reference: str) -> Gain:
    """The mean time of the reference under the same paradigm, in units of this row's."""
    own = summary.cell(row, "seconds")
    other = summary.find((row.table, reference, row.paradigm), "seconds")
    if other is None:
        return Gain(None, None)
    before, after = (None if c.paper is None else c.paper.mean for c in (other, own))
    return Gain(_quotient(other.mean, own.mean), _quotient(before, after))


def _quotient(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below else None


def times_section(summary: Summary) -> Section:
    """Every table that has a reference to be measured against."""
    blocks: list[Block] = [
        Text(
            "How many times as fast as the deep PINN (and as PIELM) each method was: mean time of "
            "the reference divided by mean time of the method, both in this run, beside the same "
            "quotient of the paper's times. Below 1 the reference is the faster one. The paper's "
            "workstation has a graphics card, and does not say which methods used it; here "
            "every trial has one core, so that a quotient may differ for that reason alone. Times "
            "include compiling, of JAX too."
        )
    ]
    for table in TITLES:
        for reference in (DEEP.get(table), _LINEAR.get(table)):
            if reference is not None:
                blocks += _table(summary, table, reference)
    if len(blocks) == 1:
        blocks.append(Text("No table with its reference was run."))
    return Section("Times within this run", blocks)


def _table(summary: Summary, table: str, reference: str) -> list[Table]:
    rows = summary.of(table)
    paradigms = list(dict.fromkeys(row.paradigm for row in rows))
    by_method: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_method.setdefault(row.method, {})[row.paradigm] = row
    lines = []
    for method, own in by_method.items():
        if method == reference:
            continue
        gains = [
            gain(summary, own[p], reference) if p in own else Gain(None, None) for p in paradigms
        ]
        if any(item.ours is not None for item in gains):
            label = next(iter(own.values())).label
            cells = [ratio_text(value) for item in gains for value in (item.ours, item.paper)]
            lines.append(Line([label, *cells]))
    if not lines:
        return []
    named = paradigms if len(paradigms) > 1 else [""]
    columns = [f"{whose} {name}".strip() for name in named for whose in ("Ours", "Paper")]
    label = next(iter(by_method[reference].values())).label
    caption = f"{TITLES[table].split(',')[0]}: times as fast as {label}"
    return [Table(["Method", *columns], lines, caption=caption)]


def key_gains(summary: Summary, method: str) -> list[Gain]:
    """A method against the deep PINN of every table, where both were run."""
    found = []
    for row in summary.rows:
        if row.method == method and row.table in DEEP:
            item = gain(summary, row, DEEP[row.table])
            if item.ours is not None:
                found.append(item)
    return found
