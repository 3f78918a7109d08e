"""What code a row was made by: a hash of all that decides its numbers."""

import ast
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_CALLERS = ("piscm.solver", "piscm.asking")  # of all methods

BEFORE_A_METHOD = (
    *(f"piscm.{room}" for room in ("problem", "text", "compile", "result", "budget")),
    *_CALLERS,
    *(f"piscm.assemble.{name}" for name in ("marching", "sampling", "sites", "windows")),
)
"""What a problem passes before a method has it, and what describes a result: if `settings` hold the
numbers that a method is given, these modules need not be in the hash."""

BY_THEIR_NUMBERS = ("piscm.network.activations",)
"""Modules of which the numbers that they give are in the settings (`piscm.paper.given`)."""


def fingerprint(
    modules: Sequence[str], settings: dict[str, Any], without: Sequence[str] = ()
) -> str:
    """A hash of settings and of modules with all that they import from this package.

    Comments, docstrings and layout are left out: they change no number. What can call
    every method is not followed further; rooms and modules `without` are left out.
    """
    found = frozenset[str]().union(*(_reached(module, tuple(without)) for module in modules))
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode())
    for module in sorted(found):
        digest.update(f"{module}:{_code(module)}".encode())
    return digest.hexdigest()[:12]


def state() -> str:
    """A hash of all files of this package as they are."""
    digest = hashlib.sha256()
    for path in sorted(_ROOT.glob("piscm/**/*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _reached(module: str, without: tuple[str, ...]) -> frozenset[str]:
    """A module with all of this package that it imports, and that what it imports does."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if any(f"{name}.".startswith(f"{room}.") for room in without):
            continue
        if name not in found and _path(name) is not None:
            found.add(name)
            waiting += _imports(name) if name not in _CALLERS else ()
    return frozenset(found)


@cache
def _path(module: str) -> Path | None:
    base = _ROOT.joinpath(*module.split("."))
    files = (base.with_suffix(".py"), base / "__init__.py")
    return next((file for file in files if file.is_file()), None)


def _tree(module: str) -> ast.Module:
    path = _path(module)
    assert path is not None
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(module: str) -> tuple[str, ...]:
    return tuple(sorted(set(_imported(_tree(module)))))


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("piscm."):
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names)


@cache
def _code(module: str) -> str:
    tree = _tree(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and _documented(node):
            node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _documented(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> bool:
    return ast.get_docstring(node, clean=False) is not None
