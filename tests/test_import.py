"""What is loaded when: nobody pays for what is not used."""

import subprocess
import sys

import piscm


def modules_after(statement):
    """The modules that a fresh interpreter has after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_piscm_loads_nothing_heavy():
    loaded = modules_after("import piscm")
    assert not loaded & {"sympy", "numpy", "scipy", "matplotlib", "jax", "piscm.zoo", "rich"}


def test_the_names_that_solve_load_no_more_than_they_need():
    loaded = modules_after("from piscm import Box, Condition, Problem, field, load, solve")
    unwanted = {"scipy.stats", "scipy.linalg", "matplotlib", "jax", "rich", "dask", "xarray"}
    assert not loaded & (unwanted | {"piscm.zoo", "piscm.plots", "piscm.baselines", "piscm.paper"})


def test_help_on_the_command_line_loads_no_sympy():
    loaded = modules_after(
        "from typer.testing import CliRunner; from piscm.cli import app; "
        "assert CliRunner().invoke(app, ['--help']).exit_code == 0"
    )
    assert not loaded & {"sympy", "numpy", "scipy"}


def test_every_public_name_is_there():
    for name in piscm.__all__:
        assert getattr(piscm, name) is not None
        assert name in dir(piscm)
    assert not hasattr(piscm, "no_such_name")
