"""Methods by name, with options as a file or the command line has them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import sympy

from piscm.fit.pisc import PISC1, PISC2, PISC3
from piscm.march.methods import Auto
from piscm.march.patched import Patches
from piscm.march.policy import MarchPolicy
from piscm.march.windowed import Windows
from piscm.problem.errors import NAME, FormulaError, ProblemError, brief
from piscm.problem.nearest import did_you_mean
from piscm.result.method import Method
from piscm.text.keys import at, at_option

METHODS: dict[str, type[Method]] = {
    "auto": Auto,
    "windows": Windows,
    "patches": Patches,
    "pi-sc-i": PISC1,
    "pi-sc-ii": PISC2,
    "pi-sc-iii": PISC3,
}
"""Methods by the names that files and the command line have for them."""

BASELINES = {
    "pielm": "PIELM",
    "pinn": "PINN",
    "piscn": "PISCN",
    "random-features": "RandomFeatures",
}
"""The same for methods of others, which are loaded when they are named."""

_ALSO = {
    "pisc1": "pi-sc-i",
    "pisc2": "pi-sc-ii",
    "pisc3": "pi-sc-iii",
    "randomfeatures": "random-features",
}

# Defaults for files, with which the paper's algorithms need no scale.
OPTIONS: Mapping[str, Any] = {"selection": "orthogonal", "candidates": 100}


def method_name(given: str) -> str:
    """A name of a method, however it is written."""
    if not isinstance(given, str):
        raise ProblemError(f"The method is {brief(given, 40)}; give its name as text.")
    plain = re.sub(r"[\s_]+", "-", given.strip().lower())
    plain = _ALSO.get(plain.replace("-", ""), plain)
    known = [*METHODS, *BASELINES]
    if plain not in known:
        near = did_you_mean(plain, known)
        raise ProblemError(
            f"The method {brief(given, 40)} is not known{near}; known methods are "
            f"{', '.join(known)}."
        )
    return plain


def method_class(name: str) -> type[Method]:
    """The class of a method, by any of its names."""
    name = method_name(name)
    if name in METHODS:
        return METHODS[name]
    from piscm.baselines import BASELINES as OTHERS

    return OTHERS[BASELINES[name]]


def make_method(
    name: str, options: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]
) -> Method:
    """A method with options as a file has them: text for coordinates, tables for what is inside."""
    kind = method_class(name)
    given = dict(options)
    known = [item.name for item in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    for key in given:
        if key not in known:
            with at(str(key)):
                near = did_you_mean(str(key), known)
                raise FormulaError(
                    f"[method] {name} has no option {brief(key, 40)}{near}; known: "
                    f"{', '.join(known)}.",
                    NAME,
                )
    if kind is Windows:
        given = _windows(given, coordinates)
    elif kind is Patches:
        given = _patches(given, coordinates)
    elif isinstance(given.get("policy"), Mapping):
        given["policy"] = MarchPolicy(**given["policy"])
    if issubclass(kind, PISC1 | PISC2 | PISC3):
        given = {**OPTIONS, **given}
    for key in ("ranges", "contractions", "dampings"):
        if isinstance(given.get(key), list):
            given[key] = tuple(given[key])
    with at_option(given, "method"):
        return kind(**given)


def _windows(given: dict[str, Any], coordinates: Sequence[sympy.Symbol]) -> dict[str, Any]:
    named = {symbol.name: symbol for symbol in coordinates}
    name = given.get("coordinate")
    if not isinstance(name, str) or name not in named:
        with at("coordinate"):
            raise ProblemError(
                f"coordinate is {brief(name, 40)}{did_you_mean(str(name), named)}; name one of "
                f"{', '.join(named)}."
            )
    return _with_inner({**given, "coordinate": named[name]}, coordinates)


def _patches(given: dict[str, Any], coordinates: Sequence[sympy.Symbol]) -> dict[str, Any]:
    if isinstance(given.get("count"), Mapping):
        named = {symbol.name: symbol for symbol in coordinates}
        for name in given["count"]:
            if name not in named:
                with at("count", name):
                    raise ProblemError(f"{name!r} is not a coordinate{did_you_mean(name, named)}.")
        given = {**given, "count": {named[key]: own for key, own in given["count"].items()}}
    return _with_inner(given, coordinates)


def _with_inner(given: dict[str, Any], coordinates: Sequence[sympy.Symbol]) -> dict[str, Any]:
    """The method of each window or patch, from its table."""
    if "method" not in given:
        return given
    with at("method"):
        inner = dict(given["method"]) if isinstance(given["method"], Mapping) else {}
        return {**given, "method": make_method(inner.pop("name", "auto"), inner, coordinates)}
