"""Where patches that follow layers are cut: what is rough there takes no end of nodes.

Conditions on two faces leave a singularity at the corner between them, mild as it may be. Thin
patches follow it.
"""

import numpy as np
from numpy.typing import NDArray

from piscm.patches.grid import Cell, Grid

Floats = NDArray[np.float64]

# The cells that have this share of all squares are cut, ...
_SHARE = 0.9
# ... if they lie in corners of the box, or are no more than this fraction of all.
_FEW = 1 / 6


def rough_cells(grid: Grid, energies: Floats, in_corners: bool) -> list[Cell]:
    """The cells that hold nearly all of the squared residual: those of corners, or very few others.

    Parameters
    ----------
    grid : Grid
    energies : ndarray, shape (cells,)
        The squared residual of each.
    in_corners : bool
        Whether only cells in corners are looked at.
    """
    ends = [{0, count - 1} for count in grid.shape]
    at_end = [all(i in own for i, own in zip(cell, ends, strict=True)) for cell in grid.cells]
    corners = np.array(at_end)
    if in_corners:
        energies = np.where(corners, energies, 0.0)
    order = np.argsort(energies)[::-1]
    least = 1 + int(np.searchsorted(np.cumsum(energies[order]), _SHARE * energies.sum()))
    worst = order[:least]
    most = len(grid) - 1 if corners[worst].all() else _FEW * len(grid)
    return [grid.cells[number] for number in worst] if least <= most else []
