"""A solution as arrays and tables: xarray, pandas, VTK."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.export.vtk import write_series, write_vtk
from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import Uncertainty
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.problem.columns import as_columns
from piscm.problem.errors import ProblemError
from piscm.problem.problem import Problem
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, by_name, values_inside
from piscm.result.grids import grid_axes

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import DataArray, Dataset

Floats = NDArray[np.float64]


class Tables(ABC):
    """A function with fields and error bars that is tabulated."""

    problem: Problem
    network: Model
    uncertainty: Uncertainty | None
    known_error: ErrorEstimate | None

    @abstractmethod
    def __call__(self, *given: Any, **coordinates: ArrayLike) -> Floats:
        """The value of an expression at coordinates."""

    @abstractmethod
    def std(self, *given: Any, **coordinates: ArrayLike) -> Floats:
        """The standard error of an expression at coordinates."""

    @abstractmethod
    def error_at(self, *given: Any, **coordinates: ArrayLike) -> Floats:
        """The estimated error of a field at coordinates."""

    def to_xarray(
        self, expression: Expression | str | None = None, /, **coordinates: ArrayLike
    ) -> "Dataset | DataArray":
        """Values on the grid spanned by one-dimensional coordinates, with names.

        Points of the grid outside of a domain that is no box are NaN.

        Parameters
        ----------
        expression : sympy.Expr or str, optional
            Given, the result is a DataArray of it. Left out, it is a Dataset with every field and
            its error band: where there are data its standard error ``u_std``, else the estimated
            size of its error ``u_error`` (see `error_at`) if the run has estimated it. The unknowns
            and the estimated relative error are attributes; the root mean square error of a field
            is ``dataset.u.attrs["estimated_error"]``.
        **coordinates : array_like
            The axes; one that is left out spans the domain evenly.
        """
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray needs xarray: pip install 'piscm[io]'") from None
        axes = grid_axes(self.problem, coordinates)
        mesh = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
        if expression is not None:
            written = as_written(self.problem, expression)
            values = values_inside(self, self.problem, written, mesh)
            return xarray.DataArray(values, coords=axes, dims=list(axes), name=str(expression))
        made = xarray.Dataset(coords=axes, attrs=self._attributes())
        by_field = {} if self.known_error is None else self.known_error.by_field
        for name, array in self._all_values(mesh).items():
            told = {"estimated_error": by_field[name]} if name in by_field else {}
            made[name] = (tuple(axes), array, told)
        for name, array in self._estimated_errors(mesh).items():
            made[name] = (tuple(axes), array)
        return made

    def to_dataframe(
        self,
        expressions: Sequence[Expression | str] | None = None,
        /,
        *,
        points: Any = None,
        **coordinates: ArrayLike,
    ) -> "DataFrame":
        """A table with a row for each point: coordinates, every field, and standard errors.

        Parameters
        ----------
        expressions : sequence of sympy.Expr or str, optional
            Further columns, as ``["u_x", "u**2"]``.
        points : DataFrame, mapping of columns, or array of shape (N, n), optional
            Where to evaluate; the columns of a table are matched by name. Left out, it is the grid
            of the coordinates, without what lies outside of the domain.
        **coordinates : array_like
            The axes of the grid; one that is left out spans the domain evenly.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install 'piscm[io]'") from None
        names = [symbol.name for symbol in self.problem.domain.coordinates]
        if points is not None:
            if coordinates:
                raise ProblemError("Give points or the axes of a grid, not both.")
            columns = as_columns(points, names, "The points")
            at = dict(zip(names, columns.T, strict=True))
        else:
            axes = grid_axes(self.problem, coordinates)
            mesh = np.meshgrid(*axes.values(), indexing="ij")
            flat = dict(zip(axes, (array.ravel() for array in mesh), strict=True))
            inside = self.problem.domain.contains(np.stack([flat[n] for n in names], axis=-1))
            at = {name: flat[name][inside] for name in axes}
        table = {**at, **self._all_values(at)}
        for item in expressions or ():
            table[str(item)] = self(as_written(self.problem, item), **at)
        return pandas.DataFrame(table)

    def to_vtk(
        self,
        path: str | PathLike[str],
        *,
        at: Mapping[str, float] | None = None,
        time: str | None = None,
        **coordinates: ArrayLike,
    ) -> None:
        """Write all fields and standard errors on a grid to a VTK file, for ParaView.

        Parameters
        ----------
        path : str or path
            ``field.vtu``, or any other format that meshio writes grids to.
        at : mapping of coordinate names to values, optional
            Fixes coordinates; one to three must be left.
        time : str, optional
            The coordinate to be animated: one file is written for each of its values, and `path`,
            which must end in ``.pvd``, names them all.
        **coordinates : array_like
            The axes of the grid; one that is left out spans the domain evenly.
        """
        fixed = by_name(at)
        axes = grid_axes(self.problem, {**coordinates, **fixed})
        free = {name: axis for name, axis in axes.items() if name not in fixed}
        target = Path(path)
        if time is None:
            write_vtk(target, free, self._slab(free, fixed))
            return
        if time not in free or target.suffix != ".pvd":
            raise ProblemError(
                f"time={time!r} with {target.name!r}: name a coordinate that is free, and a file "
                "that ends in .pvd."
            )
        files = {}
        values = free.pop(time)
        for number, value in enumerate(values):
            name = f"{target.stem}-{number:04d}.vtu"
            write_vtk(target.with_name(name), free, self._slab(free, {**fixed, time: value}))
            files[float(value)] = name
        write_series(target, files)

    def _slab(self, free: Mapping[str, Floats], fixed: Mapping[str, float]) -> dict[str, Floats]:
        """All fields on a grid of the free coordinates."""
        mesh = np.meshgrid(*free.values(), indexing="ij")
        shape = mesh[0].shape
        at = {name: np.broadcast_to(float(value), shape) for name, value in fixed.items()}
        return self._all_values({**dict(zip(free, mesh, strict=True)), **at})

    def _all_values(self, at: Mapping[str, Any]) -> dict[str, Floats]:
        """Every field, and its standard error if there are error bars."""
        made = {}
        bars = self.uncertainty is not None and isinstance(self.network, Network | Patchwork)
        for item in self.problem.written_fields:
            name = str(item.func)
            made[name] = values_inside(self, self.problem, item, at)
            if bars:
                made[f"{name}_std"] = values_inside(self.std, self.problem, item, at)
        return made

    def _estimated_errors(self, at: Mapping[str, Any]) -> dict[str, Floats]:
        """The estimated error of every field of a forward problem whose run has an estimate."""
        known = self.known_error is not None and np.isfinite(self.known_error.relative)
        if not known or self.problem.observations or not isinstance(self.network, Network):
            return {}
        return {
            f"{item.func}_error": values_inside(self.error_at, self.problem, item, at)
            for item in self.problem.written_fields
        }

    def _attributes(self) -> dict[str, Any]:
        """What a Dataset says about itself, in types that NetCDF can hold."""
        pairs = zip(self.problem.unknowns, self.network.unknowns, strict=True)
        made = {symbol.name: float(value) for symbol, value in pairs}
        if self.known_error is not None:
            made["estimated_relative_error"] = self.known_error.relative
            for name, value in self.known_error.by_field.items():
                made[f"estimated_error_{name}"] = value
        return made
