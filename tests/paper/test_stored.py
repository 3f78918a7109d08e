"""What is stored is what today's code gives."""

import csv
from pathlib import Path
from statistics import median

import pytest

from piscm.paper.confirmation import COLUMNS, adopt, record_of
from piscm.paper.experiment import key_of
from piscm.paper.store import Store, _defect
from piscm.paper.trial import run_trial

ROOT = Path(__file__).parents[2]
METHODS = ("pi-sc-i", "pi-sc-ii", "pi-sc-iii")
PROBLEMS = {"Van der Pol": "table-1", "Helmholtz": "table-2", "Allen–Cahn": "table-3"}
INVERSE = {"Van der Pol, μ": "table-4", "Helmholtz, k²": "table-5"}
SIGNS = {"better": "▼", "same": "●", "worse": "▲"}


def stored(name):
    with open(ROOT / "docs" / "reproduction" / name, encoding="utf-8") as file:
        return list(csv.DictReader(file))


BARS = {
    "table-1/pi-sc-iii/unsupervised": 2.9e-3,  # the paper: 1.93e-3
    "table-1/pi-sc-iii/semi-supervised": 8e-4,  # 5.92e-4
    "table-2/pi-sc-iii/unsupervised": 1.5e-6,  # 1.02e-6
    "table-2/pi-sc-iii/semi-supervised": 1.5e-6,  # 1.04e-6
    "table-3/pi-sc-iii/unsupervised": 7e-3,  # 6.16e-3
    "table-3/pi-sc-iii/semi-supervised": 1.9e-3,  # 1.57e-3
    "table-4/pi-sc-iii/inverse": 1.8e-3,  # 6.0e-4
}
"""Of each row that is judged here one trial is run anew below."""


def errors(key, column="rmse"):
    return [float(row[column]) for row in stored("trials.csv") if key_of(row) == key]


@pytest.mark.parametrize(("key", "bar"), BARS.items())
def test_medians_at_the_papers_settings(key, bar):
    assert len(errors(key)) >= 5
    assert median(errors(key)) <= bar


def test_the_parameter_of_van_der_pol_at_the_papers_settings():
    """Paper: 5.1e-4."""
    assert median(errors("table-4/pi-sc-iii/inverse", "error")) <= 1e-3


def test_the_parameter_of_van_der_pol_by_default():
    assert median(errors("table-4/auto/inverse", "error")) <= 1e-6


def test_the_order_of_the_three_algorithms():
    """Paper: 3.88e-1, 1.30e-2 and 1.93e-3."""
    found = [median(errors(f"table-1/{method}/unsupervised")) for method in METHODS]
    assert 0.1 < found[0] < 0.6
    assert 4e-3 < found[1] < 4e-2
    assert found[0] > found[1] > found[2]


def test_runs_are_those_of_the_literal_algorithm():
    """Three problems with and without data, ten seeds each; the rest part where two candidates tie.

    A row of another code than today's is stale, and the report says so.
    """
    found = {}
    for row in stored("trials.csv"):
        if row["method"] in ("literal", "pi-sc-iii"):
            case = row["table"], row["paradigm"], row["seed"]
            found.setdefault(case, {})[row["method"]] = float(row["rmse"])
    pairs = [pair for pair in found.values() if len(pair) == 2]
    assert len(pairs) == 60
    same = [pair["pi-sc-iii"] == pytest.approx(pair["literal"], rel=1e-6) for pair in pairs]
    assert sum(same) >= 57


@pytest.mark.slow
@pytest.mark.parametrize(
    "key",
    [
        *BARS,
        "table-1/pi-sc-i/unsupervised",
        "table-1/pi-sc-ii/unsupervised",
        "table-3/pi-sc-i/unsupervised",
        "table-5/pi-sc-ii/inverse",
        "table-6/pi-sc-iii-sine/semi-supervised",
        "table-1/random-features/semi-supervised",
        "table-2/pielm/unsupervised",
        "table-3/scipy/unsupervised",
        "table-4/scipy-fine/inverse",
    ],
)
def test_stored_trials_come_out_again(key):
    row = [row for row in stored("trials.csv") if key_of(row) == key][1]
    found = run_trial(key, int(row["seed"]), quick=False)
    # Other machines have other round-off, and a run of 500 nodes may amplify it; the tanh nodes of
    # PIELM are all but dependent, which costs some digits more.
    digits = 1e-2 if "pielm" in key else 1e-4
    assert found["rmse"] == pytest.approx(float(row["rmse"]), rel=digits)


def test_every_stored_trial_says_what_made_it():
    rows = stored("trials.csv")
    assert set(rows[0]) == set(COLUMNS)
    assert all(row["code"] for row in rows)


def test_every_stored_trial_is_sound():
    for row in stored("trials.csv"):
        record = record_of(row)
        assert _defect(record, "{table}/{method}-{paradigm}-seed{seed}".format(**record)) == ""


def test_stored_trials_are_taken_back(tmp_path, capsys):
    lines = (ROOT / "docs" / "reproduction" / "trials.csv").read_text("utf-8").splitlines(True)
    some = lines[1::50]
    (tmp_path / "trials.csv").write_text("".join([lines[0], *some]), "utf-8")
    store = Store(tmp_path)
    adopt(store, {}.get)
    assert len(list(store.records())) == len(some)
    assert capsys.readouterr().err == ""


def test_the_table_of_the_readme_is_the_stored_one():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in table_of_readme():
        assert line in text.splitlines()


def test_the_count_of_the_readme_is_the_stored_one():
    cells = [row for row in stored("summary.csv") if row["method"].startswith("pi-sc-")]
    within = [row["within"] == "True" for row in cells if row["verdict"] in SIGNS]
    told = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f"{sum(within)} of {len(within)} mean errors" in told


@pytest.mark.parametrize(
    ("label", "method"),
    [
        ("random features, same width and scale", "random-features"),
        ("PI-SC-III, paper's settings", "pi-sc-iii"),
        ("`solve(problem)`, nothing tuned", "auto"),
        ("SciPy, asked for 1e-9", "scipy-fine"),
    ],
)
def test_medians_of_the_page_of_figures_are_the_stored_ones(label, method):
    lines = (ROOT / "docs" / "figures.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith(f"| {label} |")]
    told = [cell.split(" / ")[0] for cell in line.strip("| ").split(" | ")[1:]]
    rows = [(table, "unsupervised", "rmse") for table in PROBLEMS.values()]
    rows += [(table, "inverse", "error") for table in INVERSE.values()]
    wanted = [median(errors(f"{table}/{method}/{how}", what)) for table, how, what in rows]
    assert told == [f"{value:.1e}".replace("e-0", "e-") for value in wanted]


def table_of_readme():
    """Problem by problem the three methods, ours with the verdict and in brackets the paper's."""
    cells = {
        (row["table"], row["method"], row["paradigm"], row["quantity"]): row
        for row in stored("summary.csv")
    }
    rows = [
        (name + more, table, paradigm, "rmse")
        for name, table in PROBLEMS.items()
        for more, paradigm in (("", "unsupervised"), (" +100", "semi-supervised"))
    ]
    rows += [(name, table, "inverse", "error") for name, table in INVERSE.items()]
    for title, table, paradigm, quantity in rows:
        entries = []
        for method in METHODS:
            row = cells[table, method, paradigm, quantity]
            ours, paper = spread(row["mean"], row["sd"]), spread(row["paper_mean"], row["paper_sd"])
            entries.append(f"{SIGNS[row['verdict']]} {ours} ({paper})")
        yield f"| {title} | {' | '.join(entries)} |"


def spread(mean, sd):
    digits, power = f"{float(mean):.1e}".split("e")
    return f"{digits} ± {float(sd) / 10 ** int(power):.1f}e{int(power)}"
