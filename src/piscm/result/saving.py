"""A solution as arrays and plain data in one file, without pickle."""

from dataclasses import asdict
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from piscm.result.archive import write_archive
from piscm.text.document import problem_to_document
from piscm.text.printing import expression_text

if TYPE_CHECKING:
    from piscm.result.solution import Solution

FORMAT = 4
"""The format version of saved files."""

POINTS = "points_"
"""How the names of the arrays of points begin in a file."""


def save(solution: "Solution", path: str | PathLike[str]) -> None:
    """Write everything, with the problem, to one ``.npz`` file."""
    network = solution.network
    arrays = {
        **network.arrays,
        "unknowns": network.unknowns,
        "history": np.asarray(solution.history),
    }
    arrays |= {f"{POINTS}{kind}": array for kind, array in solution.points.items()}
    if solution.uncertainty is not None:
        arrays["error_factor"] = solution.uncertainty.factor
        arrays["undetermined"] = solution.uncertainty.undetermined
    plain = {
        "format": FORMAT,
        "problem": problem_to_document(solution.problem),
        "initial": {
            str(solution.problem.fields[index].func): expression_text(expression)
            for index, expression in network.start.expressions.items()
        },
        "method": solution.method.document(),
        "network": {"kind": type(network).__name__, **network.layout},
        "sampling": asdict(solution.sampling),
        "seed": int(solution.seed),
        "status": solution.status.name,
        "residual": solution.fitted_residual,
        "block_residuals": [asdict(block) for block in solution.block_residuals],
        "seconds": solution.seconds,
        "tried": list(solution.tried),
        "error": None if solution.known_error is None else asdict(solution.known_error),
        "noise": None if solution.uncertainty is None else dict(solution.uncertainty.noise),
        "remarks": list(solution.remarks),
        "points": list(solution.points),
        "units": dict(solution.units),
    }
    write_archive(path, arrays, plain)
