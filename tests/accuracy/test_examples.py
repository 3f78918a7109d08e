"""Every example runs, and to the number it promises."""

import importlib.util
from pathlib import Path

import pytest

from piscm import solve
from piscm.text.problem_file import read_problem_file

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.main()


def test_pendulum():
    assert run("pendulum") == pytest.approx(-2, abs=1e-6)


@pytest.mark.slow
def test_long_time():
    assert run("long_time") < 1e-5


def test_heat_with_data():
    assert run("heat_with_data") < 1e-5


def test_one_parameter():
    assert run("one_parameter") < 3


@pytest.mark.slow
def test_several_parameters():
    assert run("several_parameters") < 4


def test_unknown_function():
    assert run("unknown_function") < 1e-6


def test_not_identifiable():
    assert "rate, strength (only their combination rate*strength)" in run("not_identifiable")


def test_burgers_file():
    file = read_problem_file(EXAMPLES / "burgers.toml")
    assert file.options == {"max_nodes": 200, "scale": 12.0}
    assert len(file.problem.conditions) == 2


@pytest.mark.slow
def test_plate_with_hole():
    assert run("plate_with_hole") < 1e-3


def test_integral_equation():
    assert run("integral_equation") < 1e-6


def test_disk_in_polar():
    assert run("disk_in_polar") < 1e-6


def test_drum():
    assert run("drum") < 1e-5


def test_quantum_well():
    assert run("quantum_well") < 1e-6


@pytest.mark.slow
def test_two_materials():
    assert run("two_materials") < 1e-5


@pytest.mark.slow
def test_unknown_inclusion():
    assert run("unknown_inclusion") < 3


@pytest.mark.slow
def test_l_shape():
    assert run("l_shape") < 1e-4


def test_two_rods_file():
    file = read_problem_file(EXAMPLES / "two_rods.toml")
    found = solve(file.problem).unknowns["a"]
    assert found.value == pytest.approx(4, rel=1e-6)


def test_plate_file():
    file = read_problem_file(EXAMPLES / "plate.toml")
    assert file.problem.domain.parts[-1] == "hole"
    assert len(file.problem.conditions) == 3


def test_every_example_has_a_test():
    text = Path(__file__).read_text()
    for path in EXAMPLES.iterdir():
        assert path.name.startswith("__") or path.stem in text
