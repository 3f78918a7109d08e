"""Problem files: a problem in TOML, with its data in tables next to it if needed.

equations = ["u_t = k*u_xx"]
conditions = ["u(t=0) = sin(pi*x)", "u(x=0) = 0", "u(x=1) = 0"]
observations = [{expression = "u", file = "measured.csv"}]   # columns x, t, value

[domain]
x = [0, 1]
t = [0, "pi/4"]

[unknowns]
k = 0.5

[method]
name = "auto"
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import sympy

from piscm.problem.errors import (
    NAME,
    FormulaError,
    KeyedProblemError,
    ProblemError,
    printable,
    shortened,
)
from piscm.problem.nearest import did_you_mean
from piscm.problem.problem import Problem
from piscm.text.declarations import Declarations
from piscm.text.entries import checked_table, known_only
from piscm.text.files import read_toml
from piscm.text.keys import at
from piscm.text.mistakes import Mistakes
from piscm.text.positions import Positions
from piscm.text.reading import read_document
from piscm.text.schema import PROBLEM, SAMPLING, SOLVE, WEIGHTS, names

_MOST_SHOWN = 20
_WIDEST = 100


@dataclass(frozen=True)
class Content:
    """What a problem file holds, with all mistakes found in it so far.

    Attributes
    ----------
    problem : Problem or None
        None if there are mistakes.
    method, sampling, weights, run : dict
        The tables of these names; `run` is [solve].
    initial : dict of fields to expressions
    units : dict of str to str
    mistakes : Mistakes
    path, text : str
    coordinates : tuple of sympy.Symbol
        As far as they are known.
    """

    problem: Problem | None
    method: Mapping[str, Any]
    sampling: Mapping[str, Any]
    weights: Mapping[str, Any]
    run: Mapping[str, Any]
    initial: Mapping[sympy.Expr, sympy.Expr]
    units: Mapping[str, str]
    mistakes: Mistakes
    path: str
    text: str
    coordinates: tuple[sympy.Symbol, ...] = ()

    def raise_all(self) -> None:
        """Raise one `ProblemError` that tells all mistakes, if there are any."""
        if self.mistakes:
            raise ProblemError(_told(self.path, self.text, self.mistakes))


def read_content(path: str | PathLike[str], constants: Mapping[str, Any] | None = None) -> Content:
    """Read a problem file; mistakes in it are noted, not raised.

    Parameters
    ----------
    path : str or path
    constants : mapping of str to float or str, optional
        Values that replace those of [constants] and [parameters], or make unknowns known.
    """
    document, text = read_toml(path)
    mistakes = Mistakes()
    with mistakes.at():
        _check_numbers(document)
    for name in [name for name in document if name not in names(PROBLEM)]:
        with mistakes.at(name):
            known = names(PROBLEM)
            raise FormulaError(
                f"The problem has an entry {shortened(repr(name), 40)}{did_you_mean(name, known)}; "
                f"known: {', '.join(known)}.",
                NAME,
            )
    if constants:
        _replace_constants(document, constants, path)
    tables = {
        name: _table(document, name, entries, mistakes)
        for name, entries in (
            ("method", None),
            ("sampling", SAMPLING),
            ("weights", WEIGHTS),
            ("solve", SOLVE),
            ("units", None),
        )
    }
    declared = Declarations(mistakes, Path(path).parent)
    problem = read_document(document, declared)
    initial = _initial(document, declared)
    return Content(
        problem,
        tables["method"],
        tables["sampling"],
        tables["weights"],
        tables["solve"],
        initial,
        {name: str(unit) for name, unit in tables["units"].items()},
        mistakes,
        str(path),
        text,
        () if declared.domain is None else declared.domain.coordinates,
    )


def read_problem(path: str | PathLike[str]) -> Problem:
    """The problem of a file; all mistakes in it are told at once."""
    content = read_content(path)
    content.raise_all()
    assert content.problem is not None
    return content.problem


_NUMBERS = ("constants", "parameters", "unknowns")


def _replace_constants(document: Any, values: Mapping[str, Any], path: Any) -> None:
    """Other numbers for constants; an unknown that is given one is known from then on."""
    tables = {key: document.get(key, {}) for key in _NUMBERS}
    tables = {key: own for key, own in tables.items() if isinstance(own, dict)}
    for name, value in values.items():
        own = next((key for key, table in tables.items() if name in table), None)
        if own is None:
            known = [name for table in tables.values() for name in table]
            near = did_you_mean(name, known)
            raise ProblemError(
                f"{path} has no parameter {name!r} to set{near}: those of [constants], "
                f"[parameters] and [unknowns] can be ({', '.join(known) or 'none'})."
            )
        if own == "unknowns":
            del tables[own][name]
            document.setdefault("constants", {})[name] = value
        else:
            tables[own][name] = value


def _table(document: Mapping[str, Any], name: str, entries: Any, mistakes: Mistakes) -> Any:
    with mistakes.at(name):
        given = document.get(name, {})
        if not isinstance(given, dict):
            raise ProblemError(f"[{name}] is not a table.")
        if entries is not None:
            known_only(given, names(entries), f"[{name}]")
        return given
    return {}


def _initial(document: Mapping[str, Any], declared: Declarations) -> dict[sympy.Expr, sympy.Expr]:
    made: dict[sympy.Expr, sympy.Expr] = {}
    mistakes = declared.mistakes
    with mistakes.at("initial"):
        for name, text in checked_table(document.get("initial", {}), "initial").items():
            with mistakes.at("initial", name):
                if name not in declared.fields:
                    near = did_you_mean(name, declared.fields)
                    known = ", ".join(declared.fields)
                    raise ProblemError(f"{name!r} is not a field{near}; known: {known}.")
                words = text if isinstance(text, str) else repr(text)
                made[declared.fields[name]] = declared.parse(words, f"The starting value of {name}")
    return made


def _check_numbers(value: Any) -> None:
    """Refuse whole numbers beyond any float, which nobody means and Python does not even print."""
    inner: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    elif isinstance(value, int) and value.bit_length() > 1023:
        raise ProblemError("It is too large a number.")
    for key, item in inner:
        with at(key):
            _check_numbers(item)


# --- how mistakes are told ----------------------------------------------------------------------


def _told(path: str, text: str, mistakes: Mistakes) -> str:
    positions = Positions(text)
    ordered = sorted(mistakes.found, key=lambda error: positions.of(error.key).begin)
    parts = [_one(path, text, positions, error) for error in ordered[:_MOST_SHOWN]]
    if len(mistakes.found) == 1:
        return parts[0]
    more = len(mistakes.found) - len(parts)
    last = [f"and {more} more."] if more else []
    return "\n\n".join([f"{path} has {len(mistakes.found)} mistakes.", *parts, *last])


def _one(path: str, text: str, positions: Positions, error: KeyedProblemError) -> str:
    """A mistake with the file, line, column and key, and the line with a caret under it."""
    listed = [f"[{part}]" if isinstance(part, int) else f".{printable(part)}" for part in error.key]
    key = shortened("".join(listed).removeprefix("."), 80)
    place = positions.of(error.key, None if error.span == NAME else error.span)
    if error.span == NAME:
        place = positions.name(error.key) or place
    begin = text.rfind("\n", 0, place.begin) + 1
    end = text.find("\n", place.begin)
    line = text[begin : len(text) if end < 0 else end].rstrip("\r")
    number, column = text.count("\n", 0, place.begin) + 1, place.begin - begin
    words = f"{path}, line {number}, column {column + 1}"
    words += f", {key}: {error}" if key else f": {error}"
    if not key:
        return f"{path}: {error}"
    first = max(0, column - _WIDEST // 2)
    shown = printable(line[first : first + _WIDEST].expandtabs(1))
    length = max(1, min(place.end - place.begin, len(shown) - (column - first)))
    margin = f"{number:>5} | "
    below = f"{' ' * (len(margin) - 2)}| {' ' * (column - first)}{'^' * length}"
    return f"{words}\n{margin}{shown}\n{below}"
