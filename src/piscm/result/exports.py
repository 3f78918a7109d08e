"""What a solution can be turned into: tables, formulas, source code, pictures."""

from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from piscm.export.c_source import c_source
from piscm.export.formula import formulas
from piscm.export.onnx_model import onnx_model
from piscm.export.plain import Plain, plain_model
from piscm.export.python_source import python_source
from piscm.problem.errors import ProblemError, brief
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, only_field
from piscm.result.functions import FieldFunction
from piscm.result.tables import Tables
from piscm.text.replacing import replacing

if TYPE_CHECKING:
    import sympy

LANGUAGES = ("python", "c")


class Exports(Tables):
    """A function with fields and error bars that can be taken elsewhere."""

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
