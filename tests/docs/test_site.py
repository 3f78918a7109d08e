"""The site: what is not run when it is built is looked at here."""

import ast
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import piscm
from piscm.cli import app
from piscm.files import read_problem_file

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    path.relative_to(DOCS).as_posix(): path.read_text()
    for path in sorted(DOCS.rglob("*.md"))
    if not {"_build", "gallery", "api"} & set(path.relative_to(DOCS).parts)
}
# A page of the reproduction is generated, and has tests of its own.
WRITTEN = {name: text for name, text in PAGES.items() if not name.startswith("reproduction/")}
BLOCKS = [
    (name, language, code)
    for name, text in WRITTEN.items()
    for language, code in re.findall(r"^```(\S*)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
]
# Programs of others, shown beside ours. Nothing can run MATLAB's here, and the page says so.
DEEPXDE, MATLAB = ("coming-from/deepxde.md", "python"), ("coming-from/matlab.md", "matlab")


def test_every_block_is_run_or_of_another_program():
    assert len(BLOCKS) > 50
    for name, language, code in BLOCKS:
        known = language in ("", "{code-cell}", "{toctree}", "toml", "text", "{eval-rst}")
        assert known or (name, language) in (DEEPXDE, MATLAB), (
            f"{name} has a block of {language}: {code[:60]}"
        )


@pytest.mark.slow
def test_the_block_of_deepxde_runs():
    """In a process of its own: the backend is chosen when it is imported, and it warns."""
    (code,) = [c for n, language, c in BLOCKS if (n, language) == DEEPXDE]
    code = code.replace("iterations=15000", "iterations=10")
    assert "iterations=10)" in code
    settings = {"DDE_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "MPLBACKEND": "agg"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (value,) = re.findall(r"^\[\[(.*)\]\]$", done.stdout, re.MULTILINE)
    assert abs(float(value)) < 2  # it has only begun to train


def test_pages_with_cells_are_run():
    for name, text in WRITTEN.items():
        if "```{code-cell}" in text:
            assert text.startswith("---\nfile_format: mystnb\n"), name


@pytest.mark.parametrize(
    ("name", "code"), [(n, c) for n, language, c in BLOCKS if language in ("python", "{code-cell}")]
)
def test_code_is_python(name, code):
    lines = code.splitlines()
    while lines and lines[0].startswith(":"):
        del lines[0]
    ast.parse("\n".join(lines))


@pytest.mark.parametrize(
    ("name", "code"), [(n, c) for n, language, c in BLOCKS if language == "toml"]
)
def test_problem_files_are_read(name, code, tmp_path):
    for other, text in files_of(PAGES[name]).items():
        (tmp_path / other).write_text(text)
    path = tmp_path / "problem.toml"
    path.write_text(code)
    assert read_problem_file(path).problem.fields


def files_of(page):
    """The files that a page shows: blocks after a line that ends in the name of one."""
    named = r"`(\w[\w-]*\.(?:toml|csv))`[^`\n]*:\n\n```(?:toml|text)\n(.*?)^```$"
    return dict(re.findall(named, page, re.MULTILINE | re.DOTALL))


def test_mistakes_are_told_as_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = PAGES["problem-files.md"]
    right = files_of(page)["burgers.toml"]
    wrong = right.replace("nu*u_xx", "k*u_xx").replace("u(x=1)", "u(y=1)")
    Path("burgers.toml").write_text(wrong)
    with pytest.raises(piscm.ProblemError) as told:
        read_problem_file("burgers.toml")
    assert f"```text\n{str(told.value).strip()}\n```" in page


SHELL = {
    name: [
        line.split(" #")[0].strip()
        for own, language, code in BLOCKS
        if own == name and language == ""
        for line in code.splitlines()
        if line.startswith("piscm ")
    ]
    for name in WRITTEN
}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, lines in SHELL.items() if lines])
def test_commands_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for other, text in files_of(PAGES[name]).items():
        (tmp_path / other).write_text(text)
    for line in SHELL[name]:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        # Nothing failed in 21 to 24: noise is left, or no tolerance was asked for.
        assert done.exit_code in (0, 21, 22, 23, 24), (line, done.output, done.exception)


def test_commands_in_sentences_are_known():
    said = {
        line
        for text in WRITTEN.values()
        for line in re.findall(r"`(piscm [^`\n]*)`", text)
        if "[" not in line
    }
    commands = get_command(app).commands
    for line in said:
        _, name, *arguments = shlex.split(line)
        if name.startswith("-") or name == "COMMAND":
            continue
        assert name in commands, line
        if "--help" not in arguments:
            commands[name].make_context(name, arguments, resilient_parsing=True)


def test_every_status_has_its_section():
    text = PAGES["did-not-converge.md"]
    headings = " ".join(re.findall(r"^## (.*)$", text, re.MULTILINE))
    for status in piscm.Status:
        assert re.search(rf"\b{status.name}\b", headings), status
        assert f"`{status.name}`" in text, status


def test_every_public_name_is_in_the_reference():
    spec = importlib.util.spec_from_file_location("api_page", DOCS / "_ext" / "api_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = module.page()
    for name in piscm.__all__:
        assert re.search(rf"piscm\.{name}\b", page), name


def test_everything_public_has_a_docstring():
    for name in piscm.__all__:
        assert (getattr(piscm, name).__doc__ or "").strip(), name


def test_nothing_is_loaded_from_elsewhere():
    for path in (DOCS / "_static").iterdir():
        assert "http" not in path.read_text().replace("http://www.w3.org", "")
