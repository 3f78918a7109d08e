"""Every block of the README runs, to the numbers beside it; every command in it is one."""

import ast
import importlib.util
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from piscm.cli import app

TEXT = (Path(__file__).parents[2] / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, flags=re.MULTILINE | re.DOTALL)
PYTHON = [code for language, code in BLOCKS if language == "python"]
COMMANDS = [
    line.split("#")[0].strip()
    for language, code in BLOCKS
    if language != "python"
    for line in code.splitlines()
    if line.startswith("piscm ")
]
NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


def promised(code):
    """For every call of print the numbers that its comment promises."""
    lines = code.splitlines()
    for node in ast.parse(code).body:
        call = getattr(node, "value", None)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "print":
            _, _, comment = lines[node.end_lineno - 1].partition("  # ")
            _, _, numbers = comment.partition(": ")
            yield NUMBER.findall(numbers)


def agrees(number, printed):
    """Whether one of the printed numbers is the promised one, in as many digits as it has."""
    digits = len(number.partition(".")[2])
    return any(f"{float(other):.{digits}f}" == number for other in NUMBER.findall(printed))


def test_there_are_blocks_to_run():
    assert len(PYTHON) >= 1
    assert len(COMMANDS) >= 3
    assert all(language in ("", "python") for language, _ in BLOCKS)


@pytest.mark.parametrize("number", range(len(PYTHON)))
def test_a_block_runs_to_what_it_promises(number):
    code, printed = PYTHON[number], []
    names = {"print": lambda *values: printed.append(" ".join(map(str, values)))}
    exec(compile(code, "README.md", "exec"), names)
    wanted = list(promised(code))
    assert len(printed) == len(wanted) > 0
    for numbers, text in zip(wanted, printed, strict=True):
        for one in numbers:
            assert agrees(one, text), f"{one} is promised, and there is {text}"
    assert any(wanted)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_is_known(line):
    _, name, *arguments = shlex.split(line)
    commands = get_command(app).commands
    assert name in commands
    # What the command does not know is an error here, before anything is done.
    commands[name].make_context(name, arguments)


def test_modules_that_the_readme_runs_are_there():
    modules = re.findall(r"python -m (piscm[\w.]*)", TEXT)
    assert modules
    for module in modules:
        assert importlib.util.find_spec(module) is not None


def test_files_that_the_readme_links_to_are_there():
    root = Path(__file__).parents[2]
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        if "://" not in link:
            assert (root / link).exists(), link


def test_targets_of_make_are_there():
    targets = (Path(__file__).parents[2] / "Makefile").read_text()
    named = set(re.findall(r"(?:^|`)make (\w+)", TEXT, flags=re.MULTILINE))
    assert named
    for name in named:
        assert re.search(rf"^{name}:", targets, flags=re.MULTILINE), name


def test_results_are_those_of_the_page_of_figures():
    figures = (Path(__file__).parents[2] / "docs" / "figures.md").read_text().splitlines()
    rows = [line for line in TEXT.split("## The paper")[0].splitlines() if line.startswith("| ")]
    assert len(rows) >= 5  # that of the paper is compared with what is stored
    assert set(rows) <= set(figures)
