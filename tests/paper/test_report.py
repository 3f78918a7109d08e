"""The report of a reproduction, from invented trials."""

import csv
import re
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pytest
from scipy import stats

from piscm import PISC1, ProblemError, Sampling, plots, solve, zoo
from piscm.paper import notes, rows
from piscm.paper.comparisons import contests, times_section
from piscm.paper.experiment import Experiment
from piscm.paper.fields import field_data, squared_residuals
from piscm.paper.figures import growth_figure
from piscm.paper.overview import summary_section
from piscm.paper.page import Bullets, Mark, Page, Picture, Section, Table, Text
from piscm.paper.printed import PRINTED, Spread
from piscm.paper.report import summary_rows, write_report
from piscm.paper.store import Store
from piscm.paper.summary import Cell, Summary
from piscm.paper.tables import table_section
from piscm.paper.words import error_text, ours_text, paper_text, ratio_text, seconds_text

matplotlib.use("agg")

UN, SEMI = "unsupervised", "semi-supervised"
HOSTILE = "<script>alert('x')</script> | $_ $ `a` & \"b\" [c](d)\x00\ud800\nline"


def row(table, method, paradigm, label, kind, origin="paper"):
    return Experiment(method, label, kind, origin, table=table, paradigm=paradigm)


def trial(table, method, paradigm, seed=0, **measured):
    record = {"table": table, "method": method, "paradigm": paradigm, "seed": seed, "quick": False}
    return {**record, "rmse": 1e-3, "error": None, "cpu": 1.0, "status": "x", **measured}


EXPERIMENTS = (
    row("table-1", "pinn-deep", UN, "PINN (4×64)", "gradient"),
    row("table-1", "pinn-deep", SEMI, "PINN (4×64)", "gradient"),
    row("table-1", "random-features", UN, HOSTILE, "least squares", "ours"),
    row("table-1", "pi-sc-iii", UN, "PI-SC-III", "grown"),
    row("table-1", "pi-sc-iii", SEMI, "PI-SC-III", "grown"),
    row("table-1", "auto", UN, "Auto", "grown", "ours"),
    row("table-1", "scipy", UN, "SciPy", "classical", "ours"),
    row("table-2", "pielm", UN, "PIELM", "least squares"),
    row("table-4", "pi-sc-iii", "inverse", "PI-SC-III", "grown"),
    row("table-6", "pi-sc-iii-sine", SEMI, "Sine", "grown"),
    row("table-6", "pi-sc-iii-tanh", SEMI, "Hyperbolic tangent", "grown"),
)
RECORDS = (
    trial("table-1", "pinn-deep", UN, 0, rmse=5e-3, cpu=90.0),
    trial("table-1", "pinn-deep", UN, 1, rmse=6e-3, cpu=110.0),
    trial("table-1", "pinn-deep", UN, 2, rmse=None, cpu=None, failure=HOSTILE),
    trial("table-1", "random-features", UN, 0, rmse=4e-4, cpu=0.5),
    trial("table-1", "pi-sc-iii", UN, 0, rmse=2e-3, cpu=4.0),
    trial("table-1", "pi-sc-iii", UN, 1, rmse=1e-3, cpu=4.0),
    trial("table-1", "pi-sc-iii", UN, 2, rmse=9e-2, cpu=4.0),
    trial("table-1", "auto", UN, 0, rmse=1e-6, cpu=9.0),
    trial("table-1", "scipy", UN, 0, rmse=1e-3, cpu=0.01),
    trial("table-4", "pi-sc-iii", "inverse", 0, rmse=1e-4, error=0.0),
    trial("table-4", "pi-sc-iii", "inverse", 1, rmse=2e-4, error=1e-4),
    trial("table-6", "pi-sc-iii-sine", SEMI, 0, rmse=5e-4, residuals="1.0 0.1 0.01"),
    trial("table-6", "pi-sc-iii-sine", SEMI, 1, rmse=5e-4, residuals="2.0 0.2"),
    trial("table-9", "unheard-of", UN),
)


@pytest.fixture(scope="module")
def summary():
    return Summary(EXPERIMENTS, RECORDS)


def cell(summary, table, method, paradigm, quantity="rmse"):
    return summary.cells[f"{table}/{method}/{paradigm}", quantity]


def test_every_row_of_the_paper_is_there():
    count = {f"table-{n}": 0 for n in range(1, 7)}
    for key in PRINTED:
        table, _, paradigm = key.split("/")
        count[table] += 1
        assert paradigm in (("inverse",) if table in ("table-4", "table-5") else (UN, SEMI))
    assert list(count.values()) == [11, 12, 10, 5, 5, 3]


@pytest.mark.parametrize(
    ("key", "rmse", "others"),
    [
        (f"table-1/piscn/{SEMI}", (7.58e-2, 2.59e-2), {"seconds": (13.8, 0.37)}),
        (f"table-1/pi-sc-iii/{SEMI}", (5.92e-4, 1.76e-4), {"seconds": (1.64, 0.04)}),
        (f"table-2/pielm/{UN}", (9.09e-3, 3.83e-3), {"seconds": (0.02, 0.0)}),
        (f"table-3/vs-pinn-deep/{SEMI}", (7.75e-2, 0.106), {"seconds": (71.6, 1.35)}),
        (
            "table-5/pinn-shallow/inverse",
            (0.282, 0.127),
            {"seconds": (50.6, 1.19), "error": (10.9, 2.87)},
        ),
        (f"table-6/pi-sc-iii-sigmoid/{SEMI}", (1.68e-2, 7.96e-3), {}),
    ],
)
def test_printed_values(key, rmse, others):
    assert PRINTED[key] == {"rmse": rmse, **others}


def test_every_printed_row_is_run():
    assert set(PRINTED) <= {row.key for row in rows.EXPERIMENTS}


def test_errors_and_times_are_plausible():
    for printed in PRINTED.values():
        assert 0 < printed["rmse"].mean < 1
        assert "seconds" not in printed or 0.02 <= printed["seconds"].mean <= 105


def test_statistics_are_those_of_numpy(summary):
    found, values = cell(summary, "table-1", "pi-sc-iii", UN), [2e-3, 1e-3, 9e-2]
    assert found.values == tuple(values)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.sd == pytest.approx(np.std(values, ddof=1))
    assert found.median == 2e-3
    assert found.ratio == pytest.approx(np.mean(values) / 1.93e-3)
    assert found.deviations == pytest.approx((np.mean(values) - 1.93e-3) / 9.86e-4)
    assert found.failed == 0


def test_a_failed_trial_counts_but_is_in_no_mean(summary):
    for quantity, mean in (("rmse", 5.5e-3), ("cpu", 100.0)):
        found = cell(summary, "table-1", "pinn-deep", UN, quantity)
        assert (found.failed, found.mean) == (1, pytest.approx(mean))


def test_values_that_are_no_numbers_count_as_failed():
    records = [trial(*key_un("pinn-deep"), n, rmse=v) for n, v in enumerate([np.nan, np.inf, 1e-3])]
    found = cell(Summary(EXPERIMENTS, records), *key_un("pinn-deep"))
    assert (found.values, found.failed) == ((1e-3,), 2)


def key_un(method):
    return "table-1", method, UN


def test_rows_without_trials_and_single_trials(summary):
    empty = cell(summary, "table-1", "pinn-deep", SEMI)
    assert (empty.mean, empty.sd, empty.median, empty.ratio) == (None, None, None, None)
    assert empty.verdict == "not run"
    assert ours_text(empty) == "–"
    single = cell(summary, "table-1", "auto", UN)
    assert single.sd is None
    assert ours_text(single) == "1.00e-6"
    assert single.verdict == "not in the paper"


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([1.1, 0.9, 1.0, 1.05], "same"),
        ([1.3, 1.31, 1.29], "worse"),
        ([0.7, 0.71, 0.69], "better"),
        ([1.3, 0.8, 1.9], "same"),  # far off, but three such trials say little
        ([1.3], "one trial"),
    ],
)
def test_the_verdict_is_that_of_welch(values, verdict):
    row = EXPERIMENTS[3]
    cell = Cell(row, "rmse", Spread(1.0, 0.2), tuple(values), 0, False)
    assert cell.verdict == verdict
    if len(values) > 1:
        found = stats.ttest_ind_from_stats(
            cell.mean, cell.sd, len(values), 1.0, 0.2, 100, equal_var=False
        )
        assert cell.difference == pytest.approx(found.statistic)
        assert (found.pvalue > 0.05) == (verdict == "same")


def test_stale_rows_are_shown_as_stale():
    key = f"table-1/pi-sc-iii/{UN}"
    records = [trial("table-1", "pi-sc-iii", UN, n, code="old") for n in range(3)]
    summary = Summary(EXPERIMENTS, records, {key: "new"})
    assert summary.stale == {key}
    assert "? stale" in Page("", [table_section(summary, "table-1")]).markdown()
    assert "1 rows are stale" in Page("", [summary_section(summary)]).markdown()
    assert Summary(EXPERIMENTS, records, {key: "old"}).stale == set()


def test_a_quick_run_is_not_judged():
    records = [trial("table-1", "pi-sc-iii", UN, rmse=1.0, quick=True)]
    summary = Summary(EXPERIMENTS, records)
    assert cell(summary, "table-1", "pi-sc-iii", UN).verdict == "quick run"
    text = Page("", [summary_section(summary)]).markdown()
    assert "A quick run" in text
    assert "Most accurate" not in text


def test_times_are_beside_the_papers(summary):
    text = Page("", [times_section(summary)]).markdown()
    assert "| PI-SC-III | 4.00 ± 0.00 | 1.44 ± 0.04 | – | 25 | 3 |" in text


def test_the_literal_algorithm_is_compared_seed_by_seed():
    ours = [trial("table-1", "pi-sc-iii", UN, n, rmse=1e-3 * (n + 1), cpu=1.0) for n in range(3)]
    plain = [
        trial("table-1", "literal", UN, 0, rmse=1e-3 * (1 + 1e-8), cpu=4.0),
        trial("table-1", "literal", UN, 2, rmse=3.1e-3, cpu=6.0),
        trial("table-1", "literal", UN, 7, rmse=1.0, cpu=1.0),  # nothing to compare it with
    ]
    text = Page("", [times_section(Summary(rows.EXPERIMENTS, ours + plain))]).markdown()
    assert "In 1 of 2 runs PI-SC-III gave the error of the literal algorithm" in text
    assert "to 1e-6, in 1/5 (Van der Pol oscillator) of its CPU time" in text


def test_worse_rows_are_explained(monkeypatch):
    records = [trial("table-1", "pi-sc-iii", UN, n, rmse=1e-2 + 1e-4 * n) for n in range(3)]
    summary = Summary(EXPERIMENTS, records)

    def told():
        return Page("", [table_section(summary, "table-1")]).markdown()

    assert "Open: we do not know why." in told()
    monkeypatch.setitem(notes.WHY, f"table-1/pi-sc-iii/{UN}", "One trial went astray.")
    assert "PI-SC-III, unsupervised: RMSE 5.2 times the printed one, beyond one" in told()
    assert "One trial went astray." in told()
    assert "Open" not in told()


def test_a_row_that_failed_altogether_is_marked():
    records = [trial("table-1", "pi-sc-iii", UN, rmse=None, cpu=None, failure="no")]
    summary = Summary(EXPERIMENTS, records)
    assert "✕ failed" in Page("", [table_section(summary, "table-1")]).markdown()
    assert "means: 1 failed." in Page("", [summary_section(summary)]).markdown()


def test_contests_go_by_the_median(summary):
    first = contests(summary)[0]
    assert [e.row.method for e in first.entries][:2] == ["auto", "random-features"]
    assert {e.row.method for e in first.front} == {"auto", "random-features", "scipy"}
    assert [c.quantity for c in contests(summary) if c.paradigm == "inverse"] == ["error", "rmse"]


def test_residuals_are_squared_and_the_last_is_kept():
    squares = squared_residuals([r for r in RECORDS if r["method"] == "pi-sc-iii-sine"])
    assert squares == pytest.approx(np.array([[1.0, 0.01, 1e-4], [4.0, 0.04, 0.04]]))
    assert squared_residuals([{"residuals": None}, {}]) is None
    assert growth_figure([]) is None


def test_numbers_as_text():
    errors = {1.93e-3: "1.93e-3", 37.2: "3.72e1", 0.0: "0.00e0", None: "–"}
    times = {0.00123: "0.00123", 0.0123: "0.012", 0.53: "0.53", 21.34: "21.3", 104.6: "105"}
    ratios = {1.0: "1.0", 0.921: "0.92", 9.99: "10", 1234.5: "1,234", 1e-5: "1.00e-5"}
    for write, expected in ((error_text, errors), (seconds_text, times), (ratio_text, ratios)):
        assert [write(value) for value in expected] == list(expected.values())
    assert paper_text("cpu", Spread(0.02, 0.0)) == "0.02 ± 0.00"
    assert paper_text("cpu", Spread(105.0, 1.38)) == "105 ± 1.38"


class Balanced(HTMLParser):
    """Reads a page and holds it to closing what it opens."""

    VOID = ("meta", "img")

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.words, self.attributes = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def read_html(text):
    parser = Balanced()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser


def test_hostile_text_is_only_text():
    blocks = [
        Text(HOSTILE),
        Bullets([HOSTILE]),
        Table([HOSTILE, "b"], [[Mark(HOSTILE, "bad"), HOSTILE]], caption=HOSTILE),
        Picture("p", HOSTILE, [b"png"]),
    ]
    page = Page(HOSTILE, [Section(HOSTILE, blocks)])
    parser = read_html(page.html())
    assert "script" not in parser.seen
    assert sum("<script>alert('x')</script>" in words for words in parser.words) >= 8
    markdown = page.markdown()
    assert "<script>" not in markdown
    assert "\x00" not in markdown
    assert len(set(map(pipes, markdown_tables(markdown)[0]))) == 1
    markdown.encode()


def markdown_tables(text):
    """Every table as its lines."""
    return [t.splitlines() for t in re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)]


def pipes(line):
    return len(re.findall(r"(?<!\\)\|", line))


@pytest.fixture(scope="module")
def solution():
    item = zoo.load("helmholtz")
    method, sampling = PISC1(max_nodes=3, scale=5.0), Sampling(interior=30, boundary=5)
    return solve(item.problem, method, sampling=sampling)


@pytest.fixture(scope="module")
def folder(tmp_path_factory, solution):
    path = tmp_path_factory.mktemp("report")
    data = field_data(solution, zoo.load("helmholtz"))
    Store(path).write("table-2/any", {"seed": 0, "figure": data}, "figure-2")
    write_report(path, Summary(EXPERIMENTS, RECORDS), HOSTILE)
    return path


def test_the_page_is_whole_and_alone(folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    parser = read_html(text)
    links = [value for tag, name, value in parser.attributes if (tag, name) == ("a", "href")]
    targets = {value for tag, name, value in parser.attributes if (tag, name) == ("h2", "id")}
    assert targets == {link.removeprefix("#") for link in links}
    assert len(targets) == len(links)
    sources = [value for _, name, value in parser.attributes if name == "src"]
    assert len(sources) == 5  # four panels of Figure 2, and Figure 4
    assert all(value.startswith("data:image/png;base64,iVBOR") for value in sources)
    assert "http" not in re.sub(r'src="[^"]*"', "", text)
    assert "No trial of this table was run." in text
    assert "2 of 3" in text


def test_markdown_says_the_same_with_pictures_beside_it(folder):
    text = (folder / "report.md").read_text(encoding="utf-8")
    names = re.findall(r"\]\(figures/([\w-]+\.png)\)", text)
    assert len(names) == 5
    for name in names:
        assert (folder / "figures" / name).read_bytes().startswith(b"\x89PNG")
    for lines in markdown_tables(text):
        assert len(set(map(pipes, lines))) == 1
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", (folder / "report.html").read_text("utf-8"))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == titles


def test_tables_as_csv(folder, summary):
    with open(folder / "trials.csv", newline="", encoding="utf-8") as file:
        trials = list(csv.DictReader(file))
    assert len(trials) == len(RECORDS) - 1  # without the one of no experiment
    for read, record in zip(trials, (r for r in RECORDS if r["table"] == "table-1"), strict=False):
        assert read["rmse"] == ("" if record["rmse"] is None else repr(record["rmse"]))
    with open(folder / "summary.csv", newline="", encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    for read, row in zip(cells, summary_rows(summary), strict=True):
        assert read["mean"] == ("" if row["mean"] is None else repr(row["mean"]))
        assert read["verdict"] == row["verdict"]


def test_pictures_are_the_same_bytes_each_time_and_nothing_is_left_over(folder, summary):
    again = growth_figure(summary.records("table-6"))
    assert again == (folder / "figures" / "figure-4.png").read_bytes()
    assert not list(folder.rglob(".*"))


def test_nothing_run_is_a_report_too(tmp_path):
    write_report(tmp_path, Summary(EXPERIMENTS, []), "")
    parser = read_html((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "img" not in parser.seen
    assert "There is nothing to report yet." in parser.words
    write_report(tmp_path, Summary([], []), "")


def test_a_field_can_have_either_coordinate_across(solution):
    u, figure = solution.problem.fields[0], matplotlib.figure.Figure()
    for across, ax in zip(("x", "y"), figure.subplots(1, 2), strict=True):
        plots.field_map(solution, u, across=across, ax=ax)
        assert ax.get_xlabel() == f"${across}$"
    first, second = (ax.collections[0].get_array().reshape(161, 161) for ax in figure.axes[:2])
    assert np.array_equal(first, second.T)
    with pytest.raises(ProblemError, match="'t' is not a free coordinate: x, y"):
        plots.field_map(solution, across="t")
