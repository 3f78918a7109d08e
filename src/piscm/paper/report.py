"""The report of a reproduction: one HTML page, the same in Markdown, and the numbers as CSV."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from piscm import Solution, zoo
from piscm.paper.comparisons import REFERENCES, times_section, winners_section
from piscm.paper.experiment import BENCHMARKS, FIGURES, Experiment
from piscm.paper.figures import field_figure, growth_figure
from piscm.paper.overview import run_section, summary_section
from piscm.paper.page import FIGURES as FIGURE_FOLDER
from piscm.paper.page import Block, Bullets, Page, Picture, Section, Text, printable
from piscm.paper.printed import TITLES, problem_of
from piscm.paper.scatter import scatter_figure
from piscm.paper.store import Record
from piscm.paper.summary import Summary
from piscm.paper.tables import table_section
from piscm.text.files import write_csv
from piscm.text.replacing import replacing

# The coordinate across, which for Allen–Cahn is not the problem's first.
_ACROSS = {"figure-1": "t", "figure-2": "x", "figure-3": "t"}
_NAMES = ("table", "method", "paradigm")
_MEASURED = ("rmse", "error", "seconds", "nodes", "residual", "status", "failure", "quick")
_TRIAL = (*_NAMES, "seed", *_MEASURED, "commit")
_ROW = (*_NAMES, "label", "kind", "origin", "quantity")
_OURS = ("mean", "sd", "median")
_CELL = (*_ROW, "paper_mean", "paper_sd", *_OURS, "trials", "failed", "ratio", "verdict")


def write_report(
    folder: Path,
    experiments: Iterable[Experiment],
    records: Iterable[Record],
    facts: Mapping[str, Any],
    solutions: Mapping[str, Solution],
) -> None:
    """Write ``report.html``, ``report.md`` with ``figures/``, ``trials.csv`` and ``summary.csv``.

    The facts are what to say of the run and the machine. The solutions are those that the figures
    of "table-1" to "table-3" show. Older files are replaced one by one, each as a whole.
    """
    summary = Summary(experiments, records)
    page = report_page(summary, facts, solutions)
    (folder / FIGURE_FOLDER).mkdir(exist_ok=True)
    files = {
        f"{FIGURE_FOLDER}/{block.name}.png": block.data
        for section in page.sections
        for block in section.blocks
        if isinstance(block, Picture)
    }
    files |= {"report.md": page.markdown().encode(), "report.html": page.html().encode()}
    for name, content in files.items():
        with replacing(folder / name) as part:
            part.write_bytes(content)
    for name, columns, rows in (
        ("trials.csv", _TRIAL, trial_rows(summary)),
        ("summary.csv", _CELL, summary_rows(summary)),
    ):
        write_csv(folder / name, columns, [{k: _plain(v) for k, v in r.items()} for r in rows])


def _plain(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value


def report_page(
    summary: Summary, facts: Mapping[str, Any], solutions: Mapping[str, Solution]
) -> Page:
    """All that the report says; what compares methods is left out where their sizes are tiny."""
    reading, worth, paper_read = _prose()
    quick = summary.quick
    return Page(
        "PI-SCM: the tables and figures of the paper, reproduced",
        [
            summary_section(summary),
            run_section(summary, facts),
            reading,
            *(table_section(summary, table) for table in TITLES),
            *([] if quick else [times_section(summary)]),
            *(_field_section(name, solutions) for name in _ACROSS),
            _growth_section(summary),
            _scatter_section(summary),
            *([] if quick else [winners_section(summary)]),
            worth,
            paper_read,
        ],
    )


def _prose() -> tuple[Section, Section, Section]:
    """How to read the tables, what a network is worth, and how the paper was read."""
    text = Path(__file__).with_name("prose.md").read_text(encoding="utf-8")
    reading, worth, paper_read = (_section(part) for part in text.split("## ")[1:])
    return reading, worth, paper_read


def _section(text: str) -> Section:
    title, *blocks = text.strip().split("\n\n")
    return Section(title, [_block(block) for block in blocks])


def _block(text: str) -> Block:
    first, *items = (" ".join(part.split()) for part in re.split("^- ", text, flags=re.MULTILINE))
    return Bullets(items) if items else Text(first)


def _field_section(name: str, solutions: Mapping[str, Solution]) -> Section:
    table = FIGURES[name]
    heading = f"Figure {name[-1]}: {problem_of(table)}"
    solution = solutions.get(table)
    if solution is None:
        return Section(heading, [Text("No solution of this problem was kept.")])
    benchmark = zoo.load(BENCHMARKS[table])
    assert benchmark.sections is not None
    coordinate, (first, second) = benchmark.sections
    caption = (
        f"{problem_of(table)} by semi-supervised PI-SC-III with {solution.n_nodes} nodes, seed "
        f"{solution.seed}. Top: predicted state and absolute error. Bottom: cross sections at "
        f"{coordinate} = {first:g} and {coordinate} = {second:g}, over the reference."
    )
    picture = field_figure(solution, benchmark, _ACROSS[name])
    return Section(heading, [Picture(name, caption, picture)])


def _growth_section(summary: Summary) -> Section:
    heading = "Figure 4: residual against nodes, by activation"
    picture = growth_figure(summary.records("table-6"))
    if picture is None:
        return Section(heading, [Text("No trial of Table VI was run.")])
    caption = (
        "Mean of the squared residual E² over the trials against the number of accepted nodes, "
        "PI-SC-III, semi-supervised Van der Pol; shaded from the smallest to the largest trial. A "
        "trial that ended early keeps its last residual. The paper prints no numbers for it."
    )
    return Section(heading, [Picture("figure-4", caption, picture)])


def _scatter_section(summary: Summary) -> Section:
    blocks: list[Block] = []
    for table in REFERENCES:
        picture = scatter_figure(summary, table)
        if picture is not None:
            caption = (
                f"{TITLES[table]}. One point a trial; hollow, larger marks are the paper's own "
                "means, taken on its machine."
            )
            blocks.append(Picture(f"accuracy-{table}", caption, picture))
    return Section("Accuracy against time", blocks or [Text("No trial of Tables I to V was run.")])


def trial_rows(summary: Summary) -> list[dict[str, Any]]:
    """Every trial without its long lists."""
    trials = (record for own in summary.trials.values() for record in own)
    return [{name: record.get(name) for name in _TRIAL} for record in trials]


def summary_rows(summary: Summary) -> list[dict[str, Any]]:
    """Every cell of every table."""
    return [
        {
            **{name: getattr(cell.row, name) for name in _ROW[:-1]},
            **{name: getattr(cell, name) for name in ("quantity", *_OURS, "failed", "ratio")},
            "paper_mean": cell.paper and cell.paper.mean,
            "paper_sd": cell.paper and cell.paper.sd,
            "trials": len(cell.values),
            "verdict": "" if cell.quantity == "seconds" else cell.verdict,
        }
        for cell in summary.cells.values()
    ]
