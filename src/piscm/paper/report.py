"""The report of a reproduction: one HTML page, the same in Markdown, and the numbers as CSV."""

import re
from pathlib import Path
from typing import Any

from piscm import zoo
from piscm.paper.comparisons import times_section
from piscm.paper.confirmation import COLUMNS
from piscm.paper.experiment import BENCHMARKS, FIGURES
from piscm.paper.figures import field_panels, growth_figure
from piscm.paper.overview import run_section, summary_section
from piscm.paper.page import FIGURES as FIGURE_FOLDER
from piscm.paper.page import Block, Bullets, Page, Picture, Section, Text, printable
from piscm.paper.printed import TITLES, problem_of
from piscm.paper.summary import Summary
from piscm.paper.tables import table_section
from piscm.text.files import read_csv, write_csv
from piscm.text.replacing import replacing

# The coordinate across, which for Allen–Cahn is not the problem's first.
_ACROSS = {"figure-1": "t", "figure-2": "x", "figure-3": "t"}
_ROW = ("table", "method", "paradigm", "label", "kind", "origin")
_OURS = ("quantity", "mean", "sd", "median", "failed", "ratio", "difference")
_CELL = (*_ROW, *_OURS, "paper_mean", "paper_sd", "trials", "within", "verdict")


def write_report(
    folder: Path, summary: Summary, versions: str, times: Summary | None = None
) -> None:
    """Write ``report.html``, ``report.md`` with ``figures/``, ``trials.csv`` and ``summary.csv``.

    Times are those of a run of their own, if there is one. Figures 1 to 3 are drawn from the data
    in ``figures/``. Older files are replaced one by one, each as a whole.
    """
    page = report_page(summary, versions, folder / FIGURE_FOLDER, times)
    (folder / FIGURE_FOLDER).mkdir(exist_ok=True)
    files = {
        f"{FIGURE_FOLDER}/{name}.png": data
        for section in page.sections
        for block in section.blocks
        if isinstance(block, Picture)
        for name, data in block.files.items()
    }
    files |= {"report.md": page.markdown().encode(), "report.html": page.html().encode()}
    for name, content in files.items():
        with replacing(folder / name) as part:
            part.write_bytes(content)
    write_csv(folder / "trials.csv", list(COLUMNS), trial_rows(summary))
    write_csv(folder / "summary.csv", _CELL, summary_rows(summary))


def report_page(
    summary: Summary, versions: str, figures: Path, times: Summary | None = None
) -> Page:
    """All that the report says; what compares methods is left out where their sizes are tiny."""
    reading, worth, paper_read = _prose()
    return Page(
        "PI-SCM: the tables and figures of the paper, reproduced",
        [
            summary_section(summary),
            run_section(summary, versions),
            reading,
            *(table_section(summary, table) for table in TITLES),
            *([] if summary.quick else [times_section(summary, times)]),
            *(_field_section(name, figures) for name in _ACROSS),
            _growth_section(summary),
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


def _field_section(name: str, figures: Path) -> Section:
    table = FIGURES[name]
    heading = f"Figure {name[-1]}: {problem_of(table)}"
    path = figures / f"{name}.csv"
    if not path.exists():
        return Section(heading, [Text("No solution of this problem was kept.")])
    item = zoo.load(BENCHMARKS[table])
    assert item.sections is not None
    columns = [symbol.name for symbol in item.problem.domain.coordinates]
    data = read_csv(path, [*columns, "predicted", "reference"])
    coordinate, (first, second) = item.sections
    caption = (
        f"{problem_of(table)} by semi-supervised PI-SC-III, the first seed: predicted state, its "
        f"absolute error on a logarithmic scale, and cross sections at {coordinate} = {first:g} "
        f"and {coordinate} = {second:g}. The data are in {FIGURE_FOLDER}/{name}.csv."
    )
    return Section(
        heading, [Picture(name, caption, field_panels(data, _ACROSS[name], item.sections))]
    )


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
    return Section(heading, [Picture("figure-4", caption, [picture])])


def trial_rows(summary: Summary) -> list[dict[str, Any]]:
    """Every trial, so that it can be read back."""
    trials = (record for own in summary.trials.values() for record in own)
    return [{name: _plain(record.get(name)) for name in COLUMNS} for record in trials]


def summary_rows(summary: Summary) -> list[dict[str, Any]]:
    """Every cell of every table."""
    return [
        {
            **{name: _plain(getattr(cell.row, name)) for name in _ROW},
            **{name: getattr(cell, name) for name in _OURS},
            "paper_mean": cell.paper and cell.paper.mean,
            "paper_sd": cell.paper and cell.paper.sd,
            "trials": len(cell.values),
            "within": "" if cell.paper is None or cell.quantity == "cpu" else cell.within,
            "verdict": "" if cell.quantity == "cpu" else cell.verdict,
        }
        for cell in summary.cells.values()
    ]


def _plain(value: Any) -> Any:
    return printable(value) if isinstance(value, str) else value
