"""What a notebook shows: problems typeset, solutions with a picture, progress in one line."""

import re
import sys
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
import sympy
from builders import solved_in_no_time

from piscm import (
    PISC3,
    Box,
    Condition,
    Disk,
    Observations,
    Periodic,
    Problem,
    Sampling,
    coordinates,
    field,
    integral,
    solve,
    unknown,
    zoo,
)
from piscm.problem.typeset import formula

x, t, s = coordinates("x t s")
u, v = field("u", x, t), field("v", t)
k = unknown("k", positive=True)
DECAY = Problem(
    Box({t: (0, 1)}),
    [v.diff(t) + k * v],
    [Condition(v - 1, on={t: 0})],
    unknowns={k: 0.5},
    observations=[Observations(v, [0.5, 1.0], np.exp([-0.5, -1.0]))],
)
METHOD = PISC3(max_nodes=10, selection="orthogonal", candidates=20)


def text_of(html):
    return re.sub(r"\s+", "", "".join(ElementTree.fromstring(html).itertext()))


def test_derivatives_are_subscripts():
    shown = formula(u.diff(t) - 3 * u * u.diff(x, 2), zero=True)
    root = ElementTree.fromstring(shown)
    assert root.get("displaystyle") == "true"
    assert text_of(shown).endswith("=0")
    assert "uxx" in text_of(shown)
    assert "−" in text_of(shown)


def test_names_of_several_letters_are_kept_apart():
    prey, rate = field("prey", t), unknown("rate")
    assert "·" in text_of(formula(rate * prey))
    assert "·" not in text_of(formula(unknown("mu") * v))


def test_what_the_printer_lacks_is_text():
    long = sum(sympy.sin(n * x) for n in range(300))
    for expression in (long, integral(v.subs(t, s), over=(s, 0, t))):
        assert ElementTree.fromstring(formula(expression)).tag == "code"


def test_a_problem_says_all_that_it_holds():
    shown = text_of(DECAY._repr_html_())
    for part in ("t∈[0,1]", "v−1=0ont=0", "observedat2points", "kunknown,firstguess0.5,above0"):
        assert part in shown
    ring = Disk({x: 0, t: 0}, 1, name="rim")
    other = Problem(ring, [u.diff(x)], [Condition(u, on=ring.boundary("rim"))])
    assert "onrim" in text_of(other._repr_html_())
    tied = Problem(Box({x: (0, 1), t: (0, 1)}), [u.diff(t)], [Periodic(u, along=x)])
    assert "periodicalongx" in text_of(tied._repr_html_())


@pytest.mark.parametrize("name", zoo.names())
def test_every_problem_of_the_zoo_is_shown(name):
    ElementTree.fromstring(zoo.load(name).problem._repr_html_())


@pytest.mark.parametrize("picture", [True, False])
def test_a_solution_says_how_good_it_is(picture, monkeypatch):
    if not picture:
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    solution = solve(DECAY, METHOD, sampling=Sampling(40), tol=1e-3)
    shown = solution._repr_html_()
    assert solution.status.value in shown
    assert f"{solution.unknowns['k'].value:.6g}" in shown
    assert ("data:image/png;base64," in shown) is picture


def test_a_map_of_a_system_in_two_dimensions():
    w = field("w", x, t)
    problem = Problem(
        Box({x: (0, 1), t: (0, 1)}),
        [u.diff(t) - w, w.diff(t) + u],
        [Condition(u - 1, on={t: 0}), Condition(w, on={t: 0})],
    )
    solution = solve(problem, METHOD, sampling=Sampling(60, 20))
    assert "data:image/png" in solution._repr_html_()


def test_factors_of_singular_functions_are_no_unknowns_of_a_notebook():
    steep = Problem(DECAY.domain, [v.diff(t) + v], DECAY.conditions, singular={v: [sympy.sqrt(t)]})
    shown = solved_in_no_time(steep)._repr_html_()
    assert "<strong>Solution</strong> for v(t)" in shown
    assert "singular" not in shown


def test_progress_in_a_notebook_is_one_line_that_goes_away(monkeypatch):
    shown = []
    handle = SimpleNamespace(update=shown.append)
    display = ModuleType("IPython.display")
    display.HTML = str
    display.display = lambda html, display_id: shown.append(html) or handle
    package = ModuleType("IPython")
    package.get_ipython = type("ZMQInteractiveShell", (), {})
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr("piscm.result.notebook._SECONDS", 0.0)
    solve(DECAY, METHOD, sampling=Sampling(40))
    assert any("10 of 10 nodes, residual" in line for line in shown)
    assert shown[-1] == ""
