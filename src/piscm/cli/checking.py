"""What was understood of a problem file, typeset, and what looks wrong in it."""

from pathlib import Path
from typing import Any

import sympy
from sympy.core.function import AppliedUndef

from piscm.assemble.marching import marching_coordinate
from piscm.assemble.scales import check_scales
from piscm.compile.blocks import compile_blocks
from piscm.compile.jumps import check_jumps
from piscm.files import ProblemFile, read_problem_file
from piscm.inference.counting import counting_text
from piscm.inference.obstacles import obstacles
from piscm.problem.errors import ProblemError, brief, printable
from piscm.problem.problem import Problem

_WIDTH = 100


def checked_text(path: Path) -> str:
    """The whole report."""
    file = read_problem_file(path)
    problem = file.problem
    lines = [f"{path}: a problem for {', '.join(map(str, problem.fields))} on {problem.domain}", ""]
    for number, equation in enumerate(problem.equations, start=1):
        lines += [f"equation {number}", _indented(_typeset(equation)), ""]
    lines += ["conditions", *(f"    {printable(str(item))}" for item in problem.conditions), ""]
    if problem.observations:
        lines += ["observations", *(f"    {item}" for item in problem.observations), ""]
    if problem.unknowns:
        lines += ["unknowns", *_unknowns(problem), ""]
    lines += [*_how(file), ""]
    doubts = _doubts(problem)
    lines += ["looks wrong:" if doubts else "nothing looks wrong"]
    lines += [f"    {text}" for text in doubts]
    return "\n".join(lines)


def _typeset(equation: sympy.Expr) -> str:
    """An equation in several lines; fields by their names alone."""
    table = {
        item: sympy.Function(str(item.func))(*item.args) for item in equation.atoms(AppliedUndef)
    }
    text: str = sympy.pretty(
        sympy.Eq(equation.xreplace(table), 0, evaluate=False),
        use_unicode=True,
        num_columns=_WIDTH,
        wrap_line=True,
    )
    return text


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _unknowns(problem: Problem) -> list[str]:
    made = []
    for symbol, guess in problem.unknowns.items():
        low, high = problem.bounds[symbol]
        made.append(f"    {symbol}, first guess {guess:g}, between {low:g} and {high:g}")
    return made


def _how(file: ProblemFile) -> list[str]:
    method = type(file.method).__name__ if file.method is not None else "Auto"
    along = marching_coordinate(file.problem)
    march = f"; windows can follow each other along {along}" if along is not None else ""
    lines = [f"solved by {method}{march}"]
    if file.sampling is not None:
        lines.append(
            f"points: {file.sampling.interior} inside, {file.sampling.boundary} a condition"
        )
    for name, value in {**file.run, **file.weights}.items():
        lines.append(f"{name} = {value}")
    for item, start in file.initial.items():
        lines.append(f"{item} starts at {brief(start)}")
    return lines


def _doubts(problem: Problem) -> list[str]:
    """What a person should look at again."""
    doubts: list[str] = []
    missing = counting_text(problem)
    if missing:
        doubts.append(f"conditions seem to be missing: {missing}")
    if problem.unknowns and not problem.observations:
        names = ", ".join(map(str, problem.unknowns))
        doubts.append(f"there are no observations to tell {names} from")
    if len(problem.fields) > len(problem.equations):
        doubts.append(f"{len(problem.fields)} fields have {len(problem.equations)} equations")
    for data in problem.observations:
        if len(data.values) <= len(problem.unknowns):  # type: ignore[arg-type]  # an array
            doubts.append(f"{data}: hardly more than there are unknowns")
    used: set[Any] = set().union(*(e.free_symbols for e in problem.equations))
    for symbol in problem.domain.coordinates:
        if symbol not in used:
            doubts.append(f"no equation holds {symbol}")
    for check in (_jumps, _scales):
        try:
            check(problem)
        except ProblemError as error:
            doubts.append(str(error))
    return [*doubts, *obstacles(problem)]


def _jumps(problem: Problem) -> None:
    check_jumps(problem.domain, compile_blocks(problem), problem.fields)


def _scales(problem: Problem) -> None:
    check_scales(problem.domain, compile_blocks(problem))
