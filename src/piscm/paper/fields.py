"""The data behind the figures: a field on a grid, and residuals while a network grows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from piscm import Solution
from piscm.paper.store import Record
from piscm.zoo.benchmark import Benchmark

Floats = NDArray[np.float64]

RESIDUAL_STEP = 20
"""Every so many nodes the residual is written down."""
# Points along the coordinate of the cross sections, which lie on the grid, and along the other.
_ACROSS_SECTIONS, _ALONG_SECTIONS = 41, 81


def field_data(solution: Solution, item: Benchmark) -> list[Record]:
    """Predicted and reference values on a grid, point by point."""
    assert item.sections is not None
    box = item.problem.domain.bounding_box
    names = [symbol.name for symbol in box.coordinates]
    counts = [_ACROSS_SECTIONS if name == item.sections[0] else _ALONG_SECTIONS for name in names]
    spans = zip(box.lower, box.upper, counts, strict=True)
    axes = np.meshgrid(*(np.linspace(*span) for span in spans), indexing="ij")
    points = dict(zip(names, (axis.ravel() for axis in axes), strict=True))
    columns = {**points, "predicted": solution(**points), "reference": item.reference(**points)}
    lines = zip(*(np.asarray(column).ravel() for column in columns.values()), strict=True)
    return [
        dict(zip(columns, (f"{number:.6g}" for number in line[:-2]), strict=False))
        | {"predicted": f"{line[-2]:.9g}", "reference": f"{line[-1]:.9g}"}
        for line in lines
    ]


def thinned(residuals: Floats) -> str:
    """Every so many of the residuals, and the last one, as text."""
    return " ".join(f"{value:.3e}" for value in [*residuals[::RESIDUAL_STEP], residuals[-1]])


def squared_residuals(records: Sequence[Record]) -> Floats | None:
    """E² by trial and (every so many) node; a trial that ended early keeps its last one."""
    curves = [
        np.square([float(word) for word in record["residuals"].split()])
        for record in records
        if record.get("residuals")
    ]
    if not curves:
        return None
    longest = max(map(len, curves))
    return np.array([np.pad(curve, (0, longest - len(curve)), "edge") for curve in curves])
