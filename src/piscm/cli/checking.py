"""What was understood of a problem file, typeset, and what looks wrong in it."""

from math import inf
from pathlib import Path
from typing import Any

from piscm.assemble.marching import marching_coordinate
from piscm.assemble.scales import check_scales
from piscm.cli.typesetting import (
    conditions_typeset,
    domain_text,
    indented,
    integrated_over,
    regions_typeset,
    typeset,
)
from piscm.compile.blocks import compile_blocks
from piscm.compile.jumps import check_jumps
from piscm.files import ProblemFile, read_problem_file
from piscm.inference.counting import counting_text
from piscm.inference.obstacles import obstacles
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem


def checked_text(path: Path) -> str:
    """The whole report."""
    file = read_problem_file(path)
    problem, said = file.problem, file.problem.statement
    fields = ", ".join(map(str, problem.written_fields))
    lines = [f"{path}: a problem for {fields}", "", "domain"]
    if said is None:
        lines += [f"    {domain_text(problem.domain)}", ""]
    else:
        lines += [*regions_typeset(said), ""]
    equations = problem.equations if said is None else said.equations
    for number, equation in enumerate(equations, start=1):
        lines += [f"equation {number}", indented(typeset(equation, problem.domain))]
        lines += [f"    {line}" for line in integrated_over(equation)] + [""]
    lines += ["conditions", *conditions_typeset(problem), ""]
    observations = problem.observations if said is None else said.observations
    if observations:
        lines += ["observations", *(f"    {item}" for item in observations), ""]
    if problem.unknowns:
        lines += ["unknowns", *_unknowns(problem), ""]
    lines += [*_how(file), ""]
    doubts = _doubts(problem)
    lines += ["looks wrong:" if doubts else "nothing looks wrong"]
    lines += [f"    {text}" for text in doubts]
    return "\n".join(lines)


def _unknowns(problem: Problem) -> list[str]:
    made = []
    for symbol, guess in problem.unknowns.items():
        low, high = problem.bounds[symbol]
        bounds = "" if (low, high) == (-inf, inf) else f", between {low:g} and {high:g}"
        made.append(f"    {symbol}, first guess {guess:g}{bounds}")
    made += [f"    prior: {prior}" for prior in problem.priors]
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
    said = problem.statement
    for data in problem.observations if said is None else said.observations:
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
