"""Wrong calls of the public names: ``python -m edge.calls``, or ``--count 600 --seed 7`` of them.

Each call is right but for one argument. It may be taken, or refused by a `ProblemError` (or by
Python itself, where a name or a number of arguments is wrong); any other end is a fault.
"""

import argparse
import contextlib
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sympy

import piscm
from piscm import PISC3, Box, Condition, Problem, ProblemError, Sampling, coordinates, field

x, y, z, t = coordinates("x y z t")
u, w = field("u", x), field("w", x, y)
k = piscm.unknown("k")
LINE, SQUARE = Box({x: (0, 1)}), Box({x: (0, 1), y: (0, 1)})
BEND = Problem(LINE, [u.diff(x, 2) + 1], [Condition(u, on="boundary")])
QUICK = PISC3(max_nodes=3, candidates=5)
FEW = Sampling(interior=8, boundary=4)
TRIANGLE = [[0, 0], [1, 0], [0, 1]]
CUBE = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), [[0, 2, 1], [0, 1, 3], [0, 3, 2]])
CIRCLE = np.stack([np.cos(np.arange(40) * np.pi / 20), np.sin(np.arange(40) * np.pi / 20)], axis=-1)
FAULTS = ("raw", "wordy")
FUNCTIONS = ("make", "callback", "progress")  # what they raise is their own


def garbage() -> list[Any]:
    """What people hand over by mistake, and what they hand over to break things."""
    itself: list[Any] = []
    itself.append(itself)
    return [
        *(None, True, 0, -1, 1.5, 10**400, -(10**400), np.nan, np.inf, -np.inf, 1j, 2**63),
        *("", "x", "u", "a b", "\x1b[2J", "\0", "a" * 100_000, "__import__('os')", b"x", "1e999"),
        *(
            [],
            {},
            (),
            set(),
            [None],
            {None: None},
            {x: 1},
            {x: (1, 0)},
            {"x": (0, 1)},
            [[1], [1, 2]],
        ),
        *({x: (0, np.nan)}, {x: [0, 1, 2]}, {t: (0, 1)}, [x, x], (x, y, z, t), itself, range(3)),
        *(np.zeros(0), np.zeros((2, 3)), np.array(["a"]), np.array([None]), np.zeros((1, 1, 1, 1))),
        *(x, u, u.func, sympy.Symbol("q"), sympy.zoo, sympy.nan, sympy.I, x < 1, sympy.Eq(u, 1)),
        *(sympy.Integral(u, x), sympy.Matrix([[1, x]]), sympy.Function("f"), u.diff(x), sympy.true),
        *(
            int,
            len,
            lambda: None,
            object(),
            BEND,
            LINE,
            SQUARE,
            QUICK,
            FEW,
            Condition(u, on={x: 0}),
        ),
        *(Path("missing"), Path(), sys, Ellipsis, NotImplemented, float, Exception("x"), slice(3)),
    ]


Calls = dict[str, tuple[Callable[..., Any], dict[str, Any]]]


def right_calls(folder: Path) -> Calls:
    """Calls that are right, by name: what is called, and with which arguments."""
    made = (_of_problems(), _of_methods(), _of_shapes(folder), _of_formulas(), _of_runs(folder))
    return {name: own for calls in made for name, own in calls.items()}


def _of_problems() -> Calls:
    data = {"expression": u, "points": [0.5], "values": [0.1], "weight": 1.0, "noise": None}
    whole = {"domain": LINE, "equations": [u.diff(x, 2) + 1], "conditions": BEND.conditions}
    whole |= {"unknowns": None, "observations": (), "regions": None, "interface": None}
    return {
        "coordinates": (coordinates, {"names": "x"}),
        "field": (
            lambda name, of, complex: field(name, of, complex=complex),
            {"name": "u", "of": x, "complex": False},
        ),
        "unknown": (piscm.unknown, {"names": "k", "positive": False}),
        "Box": (Box, {"bounds": {x: (0, 1)}}),
        "Condition": (Condition, {"expression": u, "on": {x: 0}, "weight": 1.0}),
        "Periodic": (piscm.Periodic, {"expression": u, "along": x, "weight": 1.0}),
        "Observations": (piscm.Observations, {**data, "loss": "square", "columns": None}),
        "Prior": (piscm.Prior, {"mean": 1, "std": 1, "guess": None, "low": None, "high": None}),
        "Problem": (Problem, {**whole, "singular": None}),
        "Region": (piscm.Region, {"domain": LINE, "values": {k: 1}, "singular": None, "name": "a"}),
        "Sampling": (Sampling, {"interior": 8, "boundary": 4, "rule": "sobol"}),
    }


def _of_methods() -> Calls:
    growth = {"max_nodes": 3, "scale": None, "ranges": (1, 2), "candidates": 5, "activation": "sin"}
    growth |= {"selection": "local", "block": 10, "tolerance": 0.0, "truncation": 1e-10}
    growth |= {"dampings": (1.0, 0.5), "steps": (1.0, 0.0), "max_seconds": None}
    return {
        "PISC1": (piscm.PISC1, growth),
        "PISC2": (piscm.PISC2, {**growth, "window": 20}),
        "PISC3": (PISC3, growth),
        "Auto": (
            piscm.Auto,
            {"tolerance": 1e-2, "max_nodes": 9, "activation": None, "policy": piscm.MarchPolicy()},
        ),
        "MarchPolicy": (piscm.MarchPolicy, {"trial": 100, "aim": 0.5, "inherits": True}),
        "Eigenmode": (piscm.Eigenmode, {"number": 1, "count": 1, "tolerance": 1e-3}),
        "Windows": (piscm.Windows, {"coordinate": x, "count": 2, "method": QUICK}),
        "Patches": (piscm.Patches, {"count": {x: 2}, "method": None}),
        "Local": (piscm.Local, {"ranges": (1,), "candidates": 5, "dampings": (1.0,)}),
        "Orthogonal": (piscm.Orthogonal, {"ranges": (1,), "candidates": 5, "block": 10}),
    }


def _of_shapes(folder: Path) -> Calls:
    shape = {"center": {x: 0, y: 0}, "radius": 1, "name": None}
    block = {"bounds": {x: (0, 1), y: (0, 1)}, "name": None}
    return {
        "Ball": (piscm.Ball, {**shape, "center": {x: 0, y: 0, z: 0}}),
        "Disk": (piscm.Disk, shape),
        "Ellipse": (
            piscm.Ellipse,
            {"center": {x: 0, y: 0}, "radii": (1, 2), "angle": 0, "name": None},
        ),
        "Cylinder": (piscm.Cylinder, {**shape, "center": {x: 0, y: 0, z: (0, 1)}}),
        "Brick": (piscm.Brick, block),
        "Rectangle": (piscm.Rectangle, block),
        "Interval": (piscm.Interval, {"coordinate": x, "low": 0, "high": 1, "name": None}),
        "Polygon": (
            piscm.Polygon,
            {"coordinates": (x, y), "outline": TRIANGLE, "holes": (), "name": None, "parts": None},
        ),
        "PointCloud": (
            piscm.PointCloud,
            {"coordinates": (x, y), "boundary": CIRCLE, "normals": CIRCLE, "name": None},
        ),
        "Mesh": (
            piscm.Mesh,
            {"coordinates": (x, y, z), "surface": _solid(), "name": None, "groups": None},
        ),
        "read_mesh": (piscm.read_mesh, {"coordinates": (x, y, z), "path": folder / "none.stl"}),
    }


def _of_formulas() -> Calls:
    system = {"r": x, "phi": y}
    return {
        "polar": (piscm.polar, system),
        "cylindrical": (piscm.cylindrical, {**system, "z": z}),
        "spherical": (piscm.spherical, {"r": x, "theta": y, "phi": z}),
        "polar_power": (_positional(piscm.polar_power), {"x": x, "y": y, "power": 0.5, "phase": 0}),
        "singular_functions": (
            piscm.singular_functions,
            {"shape": piscm.Polygon((x, y), TRIANGLE)},
        ),
        "grad": (
            lambda expression, over: piscm.grad(expression, over),
            {"expression": u, "over": x},
        ),
        "div": (lambda vector, over: piscm.div(vector, *over), {"vector": [w, w], "over": (x, y)}),
        "curl": (
            lambda vector, over: piscm.curl(vector, *over),
            {"vector": [w, w], "over": (x, y)},
        ),
        "laplacian": (
            lambda expression, over: piscm.laplacian(expression, over),
            {"expression": u, "over": x},
        ),
        "dot": (piscm.dot, {"a": [w, 1], "b": [1, w]}),
        "integral": (piscm.integral, {"expression": u, "over": x}),
        "here": (_positional(piscm.here), {"expression": x}),
        "normal": (_positional(piscm.normal), {"coordinate": x}),
        "normal_derivative": (piscm.normal_derivative, {"expression": w}),
        "sampled": (
            piscm.sampled,
            {"name": "f", "on": {x: [0, 0.2, 0.4, 0.6, 0.8, 1]}, "values": [0.0] * 6, "degree": 3},
        ),
    }


def _of_runs(folder: Path) -> Calls:
    solution = piscm.solve(BEND, QUICK, sampling=FEW)
    path = folder / "saved.npz"
    solution.save(path)
    quick = {"problem": BEND, "method": QUICK, "sampling": FEW, "max_seconds": 1.0}
    options = {name: None for name in ("tol", "weights", "initial", "progress", "max_memory")}
    return {
        "solve": (piscm.solve, {**quick, **options, "seed": 0, "callback": None, "throw": False}),
        "eigenpairs": (
            piscm.eigenpairs,
            {
                "problem": _modes(),
                "count": 1,
                "tol": 0.1,
                "sampling": FEW,
                "seed": 0,
                "max_seconds": 1.0,
            },
        ),
        "ensemble": (
            piscm.ensemble,
            {
                "problem": BEND,
                "seeds": 1,
                "bootstrap": False,
                "store": None,
                "retries": 0,
                "method": QUICK,
                "sampling": FEW,
            },
        ),
        "sweep": (
            piscm.sweep,
            {
                "make": _made,
                "values": {"a": [1.0]},
                "store": None,
                "warm": None,
                "retries": 0,
                "method": QUICK,
                "sampling": FEW,
            },
        ),
        "load": (piscm.load, {"path": path}),
        "read_problem_file": (
            piscm.read_problem_file,
            {"path": folder / "none.toml", "constants": None, "method": None},
        ),
        "zoo.load": (piscm.zoo.load, {"name": "van-der-pol"}),
        "solution": (lambda what, at: solution(what, x=at), {"what": u, "at": 0.5}),
        "solution.std": (lambda what, at: solution.std(what, x=at), {"what": u, "at": 0.5}),
        "solution.integral": (
            lambda what, over: solution.integral(what, over=over),
            {"what": u, "over": x},
        ),
        "solution.residual": (solution.residual, {"points": [[0.5]]}),
        "solution.save": (solution.save, {"path": folder / "again.npz"}),
    }


def _positional(function: Any) -> Callable[..., Any]:
    return lambda **given: function(*given.values())


def _solid() -> Any:
    vertices, faces = CUBE
    return vertices, [*faces, [1, 2, 3]]


def _modes() -> Problem:
    return Problem(LINE, [u.diff(x, 2) + k * u], [Condition(u, on="boundary")], {k: 9})


def _made(a: float) -> Problem:
    return Problem(LINE, [u.diff(x, 2) + a], [Condition(u, on="boundary")])


def wrong_calls(folder: Path) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every right call with each of its arguments wrong, and with one too many."""
    for name, (call, arguments) in right_calls(folder).items():
        for argument in arguments:
            for number, wrong in enumerate(garbage()):
                if callable(wrong) and argument in FUNCTIONS:
                    continue
                changed = {**arguments, argument: wrong}
                yield (
                    f"{name}({argument}=#{number} {_shown(wrong)})",
                    lambda c=call, a=changed: c(**a),
                )
        yield f"{name}(extra=)", lambda c=call, a=arguments: c(**a, extra_and_unknown=1)


def _shown(wrong: Any) -> str:
    return "10**400" if isinstance(wrong, int) and abs(wrong) > 2**70 else repr(wrong)[:30]


def outcome(call: Callable[[], Any]) -> tuple[str, str]:
    """How a call ends, and in which words."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except ProblemError as error:
        return ("refused" if len(str(error)) < 1000 else "wordy"), str(error)
    except TypeError as error:  # Python's own, of a call that does not fit the signature
        own = (
            "os.PathLike" in str(error)
            or "takes exactly" in str(error)
            or "unexpected keyword argument" in str(error)
        )
        raw = not own and len(traceback.extract_tb(error.__traceback__)) > 3
        return ("raw" if raw else "refused"), f"TypeError {error}"
    except OSError as error:
        return ("refused" if str(error) else "raw"), f"{error!r}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return "raw", f"{type(error).__name__} {error} at {where.filename[-40:]}:{where.lineno}"
    return "taken", ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m edge.calls")
    parser.add_argument("--count", type=int, default=0, help="a random choice of so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="calls whose text holds this")
    parser.add_argument("--taken", action="store_true", help="show what was taken, too")
    asked = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        calls = [own for own in wrong_calls(Path(folder)) if asked.only in own[0]]
        if asked.count:
            calls = random.Random(asked.seed).sample(calls, asked.count)
        for text, call in calls:
            began = time.process_time()
            how, words = outcome(call)
            spent = time.process_time() - began
            counts[how] += 1
            counts["slow"] += spent > 2.0
            if how in FAULTS or spent > 2.0 or (asked.taken and how == "taken"):
                print(f"{how:7} {spent:5.1f} s {text}: {words[:300]}", flush=True)
    print(f"{len(calls)} wrong calls: {dict(counts)}, {time.process_time():.0f} CPU s")
    return int(any(counts[fault] for fault in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
