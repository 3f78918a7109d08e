"""What a solution can be turned into: arrays, tables, formulas, source code, pictures."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.export.c_source import c_source
from piscm.export.formula import formulas
from piscm.export.onnx_model import onnx_model
from piscm.export.plain import Plain, plain_model
from piscm.export.python_source import python_source
from piscm.export.vtk import write_series, write_vtk
from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import Uncertainty
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.problem.columns import as_columns
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, only_field, values_inside
from piscm.result.functions import FieldFunction
from piscm.result.grids import grid_axes
from piscm.text.replacing import replacing

if TYPE_CHECKING:
    import sympy
    from pandas import DataFrame
    from xarray import DataArray, Dataset

Floats = NDArray[np.float64]

LANGUAGES = ("python", "c")


class Exports(ABC):
    """A function with fields and error bars that can be taken elsewhere."""

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

    # --- functions and formulas ---------------------------------------------------------------

    def as_function(
        self, expression: Expression | str | None = None, /, **fixed: float
    ) -> FieldFunction:
        """A field, or any expression, as a function of the coordinates in their order.

        What SciPy's `quad`, `brentq`, `minimize`, `solve_ivp` and others accept: scalars give a
        float, and one array argument is a point.

        Parameters
        ----------
        expression : sympy.Expr or str, optional
            ``u``, ``"u"``, ``"u_x**2"``; may be omitted if the problem has one field.
        **fixed : float
            Values of coordinates that the function does not take: ``t=1.0``.

        Examples
        --------
        >>> import piscm, scipy
        >>> x = piscm.coordinates("x")
        >>> u = piscm.field("u", x)
        >>> beam = piscm.Problem(
        ...     piscm.Box({x: (0, 1)}), [u.diff(x, 2) + 1], [piscm.Condition(u, on="boundary")]
        ... )
        >>> f = piscm.solve(beam).as_function("u")
        >>> round(scipy.integrate.quad(f, 0, 1)[0], 6)  # 1/12
        0.083333
        """
        chosen = only_field(self.problem) if expression is None else expression
        return FieldFunction(self, as_written(self.problem, chosen), fixed)  # type: ignore[arg-type]

    def to_sympy(self) -> "sympy.Expr | dict[str, sympy.Expr]":
        """The closed form: the field as a SymPy expression in the coordinates.

        Several fields give a dictionary by name. Windows, patches and regions become a Piecewise.
        It can be differentiated, integrated, printed and lambdified like any other expression.
        """
        made = formulas(plain_model(self.network))
        return next(iter(made.values())) if len(made) == 1 else made

    def to_function(
        self,
        language: str = "python",
        *,
        derivatives: int = 2,
        path: str | PathLike[str] | None = None,
        name: str = "piscm",
    ) -> str:
        """Source code of the solution that depends on nothing.

        Parameters
        ----------
        language : {"python", "c"}
            A Python module that imports `math` alone, or C99 that includes math.h alone,
            allocates nothing and keeps no state.
        derivatives : int
            The highest order of derivatives: the code has a function for each, named as in the
            text of equations, ``u``, ``u_x``, ``u_xt``; in C with the prefix `name`, ``piscm_u``.
            Each takes all coordinates in the domain's order.
        path : str or path, optional
            Write it to this file as well.
        name : str
            The prefix of all names in C.

        Returns
        -------
        str
            The source. Values outside of the domain's bounding box are NaN.
        """
        if not isinstance(language, str) or language.lower() not in LANGUAGES:
            raise ProblemError(f"language={brief(language)}: known are {', '.join(LANGUAGES)}.")
        plain = plain_model(self.network)
        title = self._title(plain)
        if language.lower() == "c":
            source = c_source(plain, derivatives, title, name)
        else:
            source = python_source(plain, derivatives, title)
        if path is not None:
            with replacing(path) as part:
                part.write_text(source, encoding="utf-8")
        return source

    def _title(self, plain: Plain) -> str:
        fields = ", ".join(map(str, self.problem.written_fields))
        return f"{fields}, a sum of {plain.n_nodes} nodes."

    def to_onnx(self, path: str | PathLike[str], *, derivatives: int = 2) -> None:
        """Write the solution as an ONNX model, which runs without Python and without piscm.

        Each coordinate is an input by its name; inputs and outputs are vectors of doubles of one
        length. Values outside of the domain's bounding box are NaN. Every window and patch is
        evaluated at every point. Unknowns are the model's metadata.

        Parameters
        ----------
        path : str or path
            ``u.onnx``.
        derivatives : int
            The highest order of derivatives: the model has an output for each, named as in the
            text of equations, ``u``, ``u_x``, ``u_xt``.
        """
        plain = plain_model(self.network)
        made = onnx_model(plain, derivatives, self._title(plain))
        with replacing(path) as part:
            part.write_bytes(made.SerializeToString())

    # --- arrays and tables --------------------------------------------------------------------

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
        fixed = dict(at or {})
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

    # --- pictures -----------------------------------------------------------------------------

    def plot(self, *arguments: Any, **options: Any) -> Any:
        """A picture that suits the problem; see `piscm.plots.plot` for all that it takes.

        ``solution.plot()`` shows every field, with data and error bars where there are some,
        ``solution.plot("u_x")`` an expression, ``solution.plot(kind="growth")`` one of the kinds.
        """
        return import_module("piscm.plots").plot(self, *arguments, **options)

    def animate(self, *arguments: Any, **options: Any) -> Any:
        """A field over time as a matplotlib animation; see `piscm.plots.animate`."""
        return import_module("piscm.plots").animate(self, *arguments, **options)
