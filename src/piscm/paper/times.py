"""How many times as fast: ratios of times within one run, beside the same ratios of the paper."""

from typing import NamedTuple

from piscm.paper.experiment import Experiment
from piscm.paper.page import Block, Line, Section, Table, Text
from piscm.paper.printed import TITLES
from piscm.paper.summary import Summary, paradigms_of, quotient
from piscm.paper.words import ratio_text

REFERENCES = {
    "table-1": ("pinn-deep",),
    "table-2": ("pinn-deep", "pielm"),
    "table-3": ("vs-pinn-deep",),
    "table-4": ("pinn-deep",),
    "table-5": ("pinn-deep",),
}
"""What the paper measures speed against in each table: first a deep network."""


class Gain(NamedTuple):
    """How many times as fast as a reference a row is; None where either is missing."""

    ours: float | None = None
    paper: float | None = None


def gain(summary: Summary, row: Experiment, reference: str) -> Gain:
    """The mean time of the reference under the same paradigm, in units of this row's."""
    own = summary.cells[row.key, "seconds"]
    other = summary.cells.get((f"{row.table}/{reference}/{row.paradigm}", "seconds"))
    if other is None:
        return Gain()
    printed = quotient(other.paper and other.paper.mean, own.paper and own.paper.mean)
    return Gain(quotient(other.mean, own.mean), printed)


def key_gains(summary: Summary, method: str) -> list[Gain]:
    """A method against the deep PINN of every table, where both were run."""
    rows = [row for row in summary.rows if row.method == method and row.table in REFERENCES]
    gains = [gain(summary, row, REFERENCES[row.table][0]) for row in rows]
    return [item for item in gains if item.ours is not None]


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
    for table, references in REFERENCES.items():
        for reference in references:
            blocks += _table(summary, table, reference)
    if len(blocks) == 1:
        blocks.append(Text("No table with its reference was run."))
    return Section("Times within this run", blocks)


def _table(summary: Summary, table: str, reference: str) -> list[Table]:
    rows = summary.of(table)
    paradigms = paradigms_of(rows)
    labels = {row.method: row.label for row in rows}
    gains = {(row.method, row.paradigm): gain(summary, row, reference) for row in rows}
    lines = []
    for method, label in labels.items():
        own = [gains.get((method, paradigm), Gain()) for paradigm in paradigms]
        if method != reference and any(item.ours is not None for item in own):
            lines.append(Line([label, *(ratio_text(value) for item in own for value in item)]))
    if not lines:
        return []
    shown = paradigms if len(paradigms) > 1 else [""]
    columns = [f"{whose} {name}".strip() for name in shown for whose in ("Ours", "Paper")]
    caption = f"{TITLES[table].split(',')[0]}: times as fast as {labels[reference]}"
    return [Table(["Method", *columns], lines, caption=caption)]
