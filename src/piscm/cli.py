"""The command line: ``piscm list``, ``solve``, ``reproduce`` and ``bench``."""

import json
import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from piscm import zoo
from piscm.assemble.sampling import Sampling
from piscm.construct.methods import PISC1, PISC2, PISC3, Method
from piscm.march.options import Auto
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.result.solution import Solution
from piscm.result.storage import replacing, write_csv
from piscm.solve import solve
from piscm.text.problem_file import read_problem_file
from piscm.zoo.benchmark import Benchmark

app = typer.Typer(
    help="Differential equations solved by a network that is grown, not trained.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
messages = Console(stderr=True)

_FILE_WIDTH = 160
# In a file that does not say otherwise the paper's algorithms need no scale.
_FILE_OPTIONS = {"selection": "orthogonal", "candidates": 100}

METHODS: dict[str, Any] = {"auto": Auto, "pi-sc-i": PISC1, "pi-sc-ii": PISC2, "pi-sc-iii": PISC3}


@dataclass(frozen=True)
class Task:
    """What the command line solves: a benchmark of the zoo or a problem file."""

    name: str
    problem: Callable[[int], Problem]  # of a seed
    method: Method | Auto
    sampling: Sampling | None  # None leaves it to the method
    benchmark: Benchmark | None


def _version(wanted: bool) -> None:
    if wanted:
        print(f"piscm {version('piscm')}")
        raise typer.Exit


@app.callback()
def _options(
    wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


@app.command("list")
def list_problems() -> None:
    """List the problems of the zoo."""
    table = Table("name", "nodes", "scale", "points", "what it is", box=None)
    for name in zoo.names():
        item = zoo.load(name)
        points = f"{item.sampling.interior} + {item.sampling.boundary}"
        nodes, scale = (_text(item.options.get(key)) for key in ("max_nodes", "scale"))
        table.add_row(name, nodes, scale, points, item.title)
    Console().print(table)


@app.command("solve")
def solve_problem(
    name_or_file: Annotated[str, typer.Argument(help="A name from `piscm list`, or a TOML file.")],
    method: Annotated[
        str | None,
        typer.Option(
            help="auto, pi-sc-i, pi-sc-ii or pi-sc-iii. Left out, it is auto, or pi-sc-iii where "
            "--nodes or the [method] of a file ask for one network of some size."
        ),
    ] = None,
    nodes: Annotated[int | None, typer.Option(help="Hidden nodes (of auto: of a window).")] = None,
    tol: Annotated[float | None, typer.Option(help="The tolerance of the method.")] = None,
    observations: Annotated[
        int | None, typer.Option(help="Exact observations to give a problem of the zoo.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first trial.")] = 0,
    trials: Annotated[int, typer.Option(help="Number of trials, each with the next seed.")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a trial on standard output.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for solutions, tables and pictures.")
    ] = None,
) -> None:
    """Solve a problem of the zoo or of a file."""
    try:
        if trials < 1:
            raise ProblemError(f"--trials {trials}: give a whole number from 1 up.")
        if seed < 0:
            raise ProblemError(f"seed={seed}: give a whole number from 0 up.")
        method, task = _task(name_or_file, method, nodes, tol, observations)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        rows = []
        for number in range(trials):
            solution = _solved(task, seed + number)
            rows.append(_row(task, method, solution))
            if as_json:
                print(json.dumps(rows[-1]), flush=True)
            if out is not None:
                _write(task, solution, out / f"{task.name}-{method}-seed{solution.seed}")
            if not as_json and trials == 1:
                _print_one(solution, rows[-1])
        if not as_json and trials > 1:
            _print_many(rows)
        if out is not None:
            table = [_flat(row) for row in rows]
            write_csv(out / f"{task.name}-{method}-trials.csv", list(table[0]), table)
            messages.print(Text(f"Written to {out}"), soft_wrap=True)
    except (ProblemError, ImportError, OSError) as error:
        # Text, because a message may quote brackets that rich would take for its own.
        messages.print(Text.assemble(("error: ", "red"), str(error)), soft_wrap=True)
        raise typer.Exit(2) from None


@app.command("reproduce")
def reproduce_paper(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="all (the default), table-1 to table-6, figure-1 to figure-4."),
    ] = None,
    trials: Annotated[int, typer.Option(help="Trials of each row, each with the next seed.")] = 100,
    methods: Annotated[
        str, typer.Option(help="Only these rows, as pi-sc-iii,auto,pinn-deep.")
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed of the first trial.")] = 0,
    workers: Annotated[
        int | None, typer.Option(help="Processes; left out, as many as there are cores.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(help="Run on a Dask cluster: the address of its scheduler.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for trials and the report.")] = Path(
        "out/reproduction"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes: shows that it runs, not how well.")
    ] = False,
) -> None:
    """Run the paper's experiments again and report them beside its printed values.

    An interrupted run goes on where it stopped.
    """
    try:
        from piscm.paper.reproduce import reproduce

        names = [name.strip() for name in methods.split(",") if name.strip()]
        reproduce(
            what or (),
            out,
            trials=trials,
            seed=seed,
            methods=names,
            workers=workers,
            dask=dask,
            quick=quick,
        )
    except (ProblemError, ImportError, OSError, RuntimeError) as error:
        messages.print(Text.assemble(("error: ", "red"), str(error)), soft_wrap=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        messages.print("Interrupted. What was finished is kept: the same command goes on.")
        raise typer.Exit(130) from None


@app.command("bench")
def measure(
    out: Annotated[Path, typer.Option(help="Folder for tables and the picture.")] = Path("out"),
    trials: Annotated[int, typer.Option(help="Seeds of each algorithm.")] = 3,
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes: shows that it runs, not how fast.")
    ] = False,
    only: Annotated[
        list[str] | None, typer.Option(help="algorithms, growth or accuracy; may be repeated.")
    ] = None,
) -> None:
    """Measure speed, growth and accuracy, as ratios to fixed yardsticks in the same run."""
    try:
        from piscm.paper.bench import bench

        bench(out, trials, quick, only or ())
    except (ProblemError, ImportError, OSError) as error:
        messages.print(Text.assemble(("error: ", "red"), str(error)), soft_wrap=True)
        raise typer.Exit(2) from None


def _task(
    name: str, method: str | None, nodes: int | None, tol: float | None, observations: int | None
) -> tuple[str, Task]:
    """The name of the method, and what is to be done with it."""
    if method is not None and method not in METHODS:
        raise ProblemError(f"--method {method}: known methods are {', '.join(METHODS)}.")
    overrides: dict[str, Any] = {} if nodes is None else {"max_nodes": nodes}
    if tol is not None:
        overrides["tolerance"] = tol
    if name in zoo.names():
        method = method or ("auto" if nodes is None else "pi-sc-iii")
        item = zoo.load(name)
        count = item.observations if observations is None else observations
        item.observed(count)  # a wrong count is told before any work
        if method == "auto":
            return method, Task(
                name, lambda seed: item.observed(count, seed), Auto(**overrides), None, item
            )
        chosen = item.method(METHODS[method], **overrides)
        return method, Task(
            name, lambda seed: item.observed(count, seed), chosen, item.sampling, item
        )
    if not Path(name).is_file():
        known = ", ".join(zoo.names())
        raise ProblemError(f"{name!r} is neither a problem of the zoo ({known}) nor a file.")
    if observations is not None:
        raise ProblemError("--observations is for problems of the zoo; a file lists its own.")
    file = read_problem_file(name)
    method = method or ("pi-sc-iii" if file.options or nodes is not None else "auto")
    defaults = {} if method == "auto" else _FILE_OPTIONS
    try:
        chosen = METHODS[method](**{**defaults, **file.options, **overrides})
    except TypeError as error:
        raise ProblemError(f"[method] of {name}, for {method}: {error}.") from None
    return method, Task(Path(name).stem, lambda seed: file.problem, chosen, file.sampling, None)


def _solved(task: Task, seed: int) -> Solution:
    # The weights of a benchmark belong to the paper's algorithms.
    literal = task.benchmark is not None and isinstance(task.method, Method)
    weights = task.benchmark.weights if task.benchmark is not None and literal else None
    problem = task.problem(seed)
    return solve(problem, task.method, sampling=task.sampling, weights=weights, seed=seed)


def _number(value: float) -> float | None:
    """JSON knows no NaN."""
    return value if math.isfinite(value) else None


def _row(task: Task, method: str, solution: Solution) -> dict[str, Any]:
    truth = {} if task.benchmark is None else task.benchmark.truth
    rmse = None
    if task.benchmark is not None:
        rmse = _number(task.benchmark.rmse(solution, seed=solution.seed))
    return {
        "problem": task.name,
        "method": method,
        "seed": solution.seed,
        "nodes": solution.n_nodes,
        "residual": _number(solution.fitted_residual),
        "rmse": rmse,
        "seconds": solution.seconds,
        "status": solution.status.name.lower(),
        "unknowns": {
            name: {
                "value": item.value,
                "stderr": _number(item.stderr),
                "error": abs(item.value - truth[name]) if name in truth else None,
            }
            for name, item in solution.unknowns.items()
        },
    }


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with the unknowns as columns of their own, for a table."""
    flat = {key: value for key, value in row.items() if key != "unknowns"}
    for name, item in row["unknowns"].items():
        flat |= {f"{name} {key}": value for key, value in item.items()}
    return flat


def _narrow(row: dict[str, Any]) -> dict[str, Any]:
    """A row for a screen: of each unknown the error, or the value where the truth is not known."""
    narrow = {k: v for k, v in row.items() if k not in ("problem", "method", "unknowns")}
    for name, item in row["unknowns"].items():
        if item["error"] is None:
            narrow[name] = item["value"]
        else:
            narrow[f"{name} error"] = item["error"]
    return narrow


def _print_one(solution: Solution, row: dict[str, Any]) -> None:
    _ = solution.error_estimate  # the summary then has it too
    print(solution)
    if row["rmse"] is not None:
        print(f"  RMSE against the reference {row['rmse']:.3e}")
    for name, item in row["unknowns"].items():
        if item["error"] is not None:
            print(f"  error of {name} {item['error']:.3e}")


def _print_many(rows: list[dict[str, Any]]) -> None:
    flat = [_narrow(row) for row in rows]
    columns = list(flat[0])
    title = Text(f"{rows[0]['problem']}, {rows[0]['method']}")
    table = Table(*columns, box=None, title=title)
    for row in flat:
        table.add_row(*(_text(row[key]) for key in columns))
    medians = []
    for key in columns:
        values = [row[key] for row in flat]
        numeric = key != "seed" and all(isinstance(value, int | float) for value in values)
        medians.append(_text(statistics.median(values)) if numeric else "")
    table.add_section()
    table.add_row("median", *medians[1:])
    screen = Console()
    if not screen.is_terminal:  # in a file or a pipe no screen sets the width: cut no column
        screen = Console(width=_FILE_WIDTH)
    screen.print(table)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and value < 1e6 else f"{value:.2g}"
    return "" if value is None else str(value)


def _write(task: Task, solution: Solution, stem: Path) -> None:
    """The solution, its history as a table, and a picture of it."""
    from piscm import plots

    solution.save(stem.with_name(stem.name + ".npz"))
    names = solution.history.dtype.names or ()
    records = [dict(zip(names, record.tolist(), strict=True)) for record in solution.history]
    write_csv(stem.with_name(stem.name + "-history.csv"), names, records)
    reference = task.benchmark.reference if task.benchmark else None
    sections = task.benchmark.sections if task.benchmark else None
    figure = plots.overview(solution, reference=reference, sections=sections)
    with replacing(stem.with_name(stem.name + ".png")) as part:
        figure.savefig(part, dpi=110)
    plots.close(figure)
