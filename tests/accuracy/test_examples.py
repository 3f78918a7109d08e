"""Every example is pinned to a number: by an assertion at its end, which `make docs` runs."""

import ast
from pathlib import Path

import pytest

from piscm import solve
from piscm.files import read_problem_file

EXAMPLES = Path(__file__).parents[2] / "examples"
GALLERY = sorted(EXAMPLES.glob("*/*.py"))


def test_there_are_two_dozen():
    assert len(GALLERY) >= 24


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_is_a_page_with_a_picture_and_a_number(path):
    tree = ast.parse(path.read_text())
    title, line, *_ = ast.get_docstring(tree).splitlines()
    assert set(line) == {"="}
    assert len(line) >= len(title)
    assert isinstance(tree.body[-1], ast.Assert | ast.For)
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    assert "plt." in path.read_text()


def test_burgers_file():
    file = read_problem_file(EXAMPLES / "burgers.toml")
    assert file.options == {"max_nodes": 200, "scale": 12.0}
    assert len(file.problem.conditions) == 2


def test_two_rods_file():
    file = read_problem_file(EXAMPLES / "two_rods.toml")
    found = solve(file.problem).unknowns["a"]
    assert found.value == pytest.approx(4, rel=1e-6)


def test_plate_file():
    file = read_problem_file(EXAMPLES / "plate.toml")
    assert file.problem.domain.parts[-1] == "hole"
    assert len(file.problem.conditions) == 3
