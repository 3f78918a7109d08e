"""The commands and their options; the code behind them is loaded when they run."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from piscm.cli.exit_codes import EPILOG, INTERRUPTED
from piscm.cli.telling import say, told

app = typer.Typer(
    help="Differential equations solved by a network that is grown, not trained.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # brackets in a help text are words, not markup
)


def _problems(begun: str) -> list[str]:
    """Names of the zoo, for completion in a shell."""
    from piscm import zoo

    return [name for name in zoo.names() if name.startswith(begun)]


def _methods(begun: str) -> list[str]:
    from piscm.method_names import BASELINES, METHODS

    return [name for name in (*METHODS, *BASELINES) if name.startswith(begun.lower())]


# Options of all commands that solve: they replace what a file says.
MethodName = Annotated[
    str | None,
    typer.Option(
        help="auto, windows, patches, pi-sc-i, pi-sc-ii, pi-sc-iii or a baseline, in any case. "
        "Left out, it is that of the file; else auto, or pi-sc-iii where --nodes or the "
        "[method] of a file ask for one network of some size.",
        autocompletion=_methods,
    ),
]
Nodes = Annotated[int | None, typer.Option(help="Hidden nodes (of auto: of a window).")]
Tolerance = Annotated[float | None, typer.Option(help="The tolerance of the method.")]
Activation = Annotated[str | None, typer.Option(help="sin, tanh, sigmoid or gaussian nodes.")]
Seconds = Annotated[
    float | None, typer.Option(help="Each solve ends after this time with the best so far.")
]
# Options of commands that solve a file many times.
Workers = Annotated[int, typer.Option(help="Processes that solve at the same time.")]
Scheduler = Annotated[
    str | None, typer.Option(help="Solve on a Dask cluster: the address of its scheduler.")
]
JsonLines = Annotated[
    bool, typer.Option("--json", help="One JSON object a solve on standard output.")
]
Folder = Annotated[
    Path | None,
    typer.Option(help="Folder for the solutions; the same command goes on where it stopped."),
]


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
    from rich.console import Console
    from rich.table import Table

    from piscm import zoo
    from piscm.cli.output import text

    table = Table("name", "nodes", "scale", "points", "what it is", box=None)
    table.columns[0].no_wrap = True  # it is to be copied into a command
    for name in zoo.names():
        item = zoo.load(name)
        points = f"{item.sampling.interior} + {item.sampling.boundary}"
        nodes, scale = (text(item.options.get(key)) for key in ("max_nodes", "scale"))
        table.add_row(name, nodes, scale, points, item.title)
    Console().print(table)


@app.command("solve", epilog=EPILOG)
def solve_problem(
    name_or_file: Annotated[
        str,
        typer.Argument(help="A name from `piscm list`, or a TOML file.", autocompletion=_problems),
    ],
    method: MethodName = None,
    nodes: Nodes = None,
    tol: Tolerance = None,
    observations: Annotated[
        int | None, typer.Option(help="Exact observations to give a problem of the zoo.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first trial; that of the file, or 0.")
    ] = None,
    trials: Annotated[int, typer.Option(help="Number of trials, each with the next seed.")] = 1,
    max_seconds: Seconds = None,
    activation: Activation = None,
    workers: Annotated[
        int, typer.Option(help="Processes that work on the patches, or the trials of auto.")
    ] = 1,
    dask: Annotated[
        str | None,
        typer.Option(help="A Dask cluster works on them: the address of its scheduler."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a trial on standard output.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder for solutions, tables and pictures.")
    ] = None,
) -> None:
    """Solve a problem of the zoo or of a file."""
    try:
        with told():
            from piscm.cli.trials import run_trials

            code = run_trials(
                name_or_file,
                method,
                nodes,
                tol,
                observations,
                seed,
                trials,
                as_json,
                out,
                max_seconds,
                activation,
                workers,
                dask,
            )
    except KeyboardInterrupt:
        say("Interrupted before there was a result.")
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(code)


@app.command("sweep", epilog=EPILOG, short_help="Solve a file for many values of parameters.")
def sweep_file(
    file: Annotated[Path, typer.Argument(help="A problem file with parameters or unknowns.")],
    chosen: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="mu=0.5,1,2: the values of a parameter; repeat it for several parameters."
        ),
    ] = None,
    method: MethodName = None,
    nodes: Nodes = None,
    tol: Tolerance = None,
    activation: Activation = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of every solve; that of the file, or 0.")
    ] = None,
    max_seconds: Seconds = None,
    workers: Workers = 1,
    dask: Scheduler = None,
    as_json: JsonLines = False,
    out: Folder = None,
) -> None:
    """Solve the problem of a file for every combination of some values of its parameters."""
    try:
        with told():
            from piscm.cli.sweeps import How, run_sweep

            settings = (method, nodes, tol, activation, max_seconds)
            how = How(*settings, workers, dask, as_json, out)
            code = run_sweep(file, chosen or [], seed, how)
    except KeyboardInterrupt:
        say("Interrupted. What was finished is kept, if there is a folder (--out).")
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(code)


@app.command("ensemble", epilog=EPILOG, short_help="Solve a file for many seeds.")
def ensemble_of_file(
    file: Annotated[Path, typer.Argument(help="A problem file.")],
    seeds: Annotated[int, typer.Option(help="So many, from 0 up.")] = 8,
    bootstrap: Annotated[
        bool,
        typer.Option(
            "--bootstrap",
            help="Draw the data anew for each seed: the spread of the unknowns is theirs.",
        ),
    ] = False,
    method: MethodName = None,
    nodes: Nodes = None,
    tol: Tolerance = None,
    activation: Activation = None,
    max_seconds: Seconds = None,
    workers: Workers = 1,
    dask: Scheduler = None,
    as_json: JsonLines = False,
    out: Folder = None,
) -> None:
    """Solve the problem of a file once for each of many seeds, and tell the spread."""
    try:
        with told():
            from piscm.cli.sweeps import How, run_ensemble

            settings = (method, nodes, tol, activation, max_seconds)
            how = How(*settings, workers, dask, as_json, out)
            code = run_ensemble(file, seeds, bootstrap, how)
    except KeyboardInterrupt:
        say("Interrupted. What was finished is kept, if there is a folder (--out).")
        raise typer.Exit(INTERRUPTED) from None
    raise typer.Exit(code)


@app.command("reproduce", short_help="Run the paper's experiments again.")
def reproduce_paper(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="all (the default), table-1 to table-6, figure-1 to figure-4, times."),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            help="Trials of each row, each with the next seed; left out, rows are brought to 100, "
            "or fewer of what takes long."
        ),
    ] = None,
    methods: Annotated[
        str, typer.Option(help="Only these rows, as pi-sc-iii,auto,pinn-deep.")
    ] = "",
    seed: Annotated[
        int | None, typer.Option(help="Seed of the first trial; 0 if only --trials is given.")
    ] = None,
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

    An interrupted run goes on where it stopped. With --out docs/reproduction the committed page is
    made anew: rows that other code made are confirmed by a few trials, or run again.
    """
    try:
        with told(RuntimeError):
            from piscm.paper.reproduce import reproduce

            reproduce(
                what or (),
                out,
                trials=trials,
                seed=seed,
                methods=[name.strip() for name in methods.split(",") if name.strip()],
                workers=workers,
                dask=dask,
                quick=quick,
            )
    except KeyboardInterrupt:
        say("Interrupted. What was finished is kept: the same command goes on.")
        raise typer.Exit(INTERRUPTED) from None


@app.command("bench", short_help="Measure speed, growth and accuracy.")
def measure(
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            help="algorithms, growth, accuracy (all three if none is named), scale or model."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for tables and the picture.")] = Path("out"),
    trials: Annotated[int, typer.Option(help="Seeds of each algorithm.")] = 3,
    quick: Annotated[
        bool, typer.Option("--quick", help="Tiny sizes: shows that it runs, not how fast.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help="algorithms, growth, accuracy, scale or model; may be repeated."),
    ] = None,
) -> None:
    """Measure speed, growth and accuracy, as ratios to fixed yardsticks in the same run."""
    with told():
        from piscm.paper.bench import bench

        bench(out, trials, quick, [*(parts or ()), *(only or ())])
