"""The result of a run: a callable solution that reports its own quality."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.budget.budget import Budget, OutOfMemoryError, OutOfTimeError, current, spending
from piscm.compile.blocks import Block, compile_blocks
from piscm.inference.error_estimate import ErrorEstimate, estimate_error, unknown_error
from piscm.inference.error_field import ErrorField, error_field
from piscm.inference.identifiability import undetermined_text
from piscm.inference.uncertainty import Uncertainty
from piscm.linalg.threads import one_thread
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.problem.errors import ProblemError, brief
from piscm.problem.problem import Problem
from piscm.problem.written import Expression
from piscm.result.arguments import as_written, checked_points, in_parts, located, only_field
from piscm.result.covariance import correlation, covariance
from piscm.result.exports import Exports
from piscm.result.history import History
from piscm.result.html import solution_html
from piscm.result.integrals import integrate
from piscm.result.method import BlockResidual, Method
from piscm.result.numbers import Residual, UnknownValue
from piscm.result.saving import save
from piscm.result.status import Status
from piscm.result.summary import summary

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class Solution(Exports):
    """A solution that can be evaluated, printed, saved and examined; returned by `solve`.

    ``solution(x=..., t=...)`` is the only field, ``solution(u.diff(x), x=..., t=...)`` any
    expression in the fields, their derivatives, the coordinates and the unknowns. It prints as a
    small table of how well every equation and condition is satisfied.

    Attributes
    ----------
    problem, method, sampling, seed
        The input of the run.
    status : Status
        How the run ended: ``status.ok``, and a sentence in ``status.value``.
    success, message : bool, str
        The same by the names that SciPy has for it.
    residual : Residual
        The fitted residual as a number; ``residual(points=X)`` is that of the equations there.
    block_residuals : tuple of BlockResidual
        Fitted and held-out residual of every equation, condition and set of observations.
    error_estimate : ErrorEstimate
        The estimated error of the fields: ``error_estimate.relative``.
    unknowns : dict of str to UnknownValue
        The identified parameters, each with `value` and `stderr`.
    correlation : ndarray
        Correlation of the errors of the unknowns.
    undetermined : str
        Names the unknowns that the data do not determine; empty if there are none.
    history : numpy.recarray
        One record per node: residual, range, damping, step, rank (NaN: not computed), seconds,
        window. For a baseline, one record per iteration.
    n_nodes : int
        Number of hidden nodes in all windows.
    seconds : float
        Duration of the run.
    network : Model
        The network itself, with its nodes and weights.
    uncertainty : Uncertainty or None
        The basis of `unknowns`, `correlation` and `std`; None without observations or unknowns.
    known_error : ErrorEstimate or None
        The error estimate computed during the run, if any.
    remarks : tuple of str
        What to know beyond the status, such as which field is not determined.
    tried : tuple of str
        The networks that `Auto` tried, each with its residual at fresh points, relative.
    points : dict of str to ndarray, shape (N, n)
        Where "equations" and "conditions" were fitted.
    units : dict of str to str
        Those of a problem file, ``{"x": "m"}``: for pictures, and for the file written anew.

    Examples
    --------
    >>> import piscm
    >>> x = piscm.coordinates("x")
    >>> u = piscm.field("u", x)
    >>> beam = piscm.Problem(
    ...     piscm.Box({x: (0, 1)}), [u.diff(x, 2) + 1], [piscm.Condition(u, on="boundary")]
    ... )
    >>> solution = piscm.solve(beam)
    >>> solution.status.ok, solution.error_estimate.relative < 1e-6
    (True, True)
    >>> round(float(solution(x=0.5)), 6), round(float(solution(u.diff(x), x=0.0)), 6)
    (0.125, 0.5)
    """

    problem: Problem
    network: Model
    method: Method
    sampling: Sampling
    seed: int
    status: Status
    fitted_residual: float
    block_residuals: tuple[BlockResidual, ...]
    history: History
    seconds: float
    uncertainty: Uncertainty | None
    known_error: ErrorEstimate | None = None
    remarks: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    points: Mapping[str, Floats] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def success(self) -> bool:
        """Whether the estimated error met the tolerance: ``status.ok``."""
        return self.status.ok

    @property
    def message(self) -> str:
        """How the run ended, in a sentence: ``status.value``."""
        return self.status.value

    @property
    def residual(self) -> Residual:
        return Residual(self.fitted_residual, self.problem, self.blocks, self.network)

    @property
    def n_nodes(self) -> int:
        return self.network.n_nodes

    @property
    def unknowns(self) -> dict[str, UnknownValue]:
        """Each identified parameter by name, with its standard error."""
        errors = np.sqrt(np.diag(self._covariance))
        rows = zip(self.problem.unknowns, self.network.unknowns, errors, strict=True)
        return {
            symbol.name: UnknownValue(float(v), float(e))
            for symbol, v, e in rows
            if symbol not in self.problem.amplitudes
        }

    @property
    def amplitudes(self) -> dict[str, dict[str, float]]:
        """The factors of the singular functions of each field, by the functions as text."""
        values = dict(zip(self.problem.unknowns, map(float, self.network.unknowns), strict=True))
        return {
            str(item.func): {str(function): values[c] for c, function in functions.items()}
            for item, functions in self.problem.singular.items()
        }

    @property
    def correlation(self) -> Floats:
        """Correlation of the unknowns' errors, in the order of `unknowns`."""
        asked = self.problem.asked
        return correlation(self._covariance[np.ix_(asked, asked)])

    @property
    def undetermined(self) -> str:
        """A sentence naming the unknowns that the data do not determine; empty if none."""
        if self.uncertainty is None:
            return ""
        return undetermined_text(self.problem, self.uncertainty.undetermined)

    @property
    def _covariance(self) -> Floats:
        return covariance(len(self.problem.unknowns), self.uncertainty)

    @cached_property
    def blocks(self) -> list[Block]:
        """The compiled blocks of the problem."""
        return compile_blocks(self.problem)

    def __call__(self, *given: Any, **coordinates: ArrayLike) -> NDArray[Any]:
        """The value of an expression at coordinates that are broadcast together.

        ``solution(x=0.5, t=1)`` and ``solution(0.5, 1)`` are the only field,
        ``solution(u.diff(x), x=0.5, t=1)`` and ``solution("u_x", 0.5, 1)`` any expression.

        Parameters
        ----------
        expression : sympy.Expr or str, optional
            May be omitted if the problem has one field. A text is parsed.
        *coordinates, **coordinates : array_like
            Every coordinate of the domain, in its order or by name.
        """
        expression, points, shape = located(self.problem, given, coordinates)
        real, imaginary = in_parts(expression)
        checked = checked_points(self.problem, points)
        values: NDArray[Any] = self.network.values(real, checked)
        if imaginary is not None:
            values = values + 1j * self.network.values(imaginary, checked)
        return np.asarray(values.reshape(shape))

    def integral(
        self,
        expression: Expression | str | None = None,
        /,
        over: Any = None,
        **coordinates: ArrayLike,
    ) -> NDArray[Any]:
        """The integral of an expression.

        Parameters
        ----------
        expression : sympy.Expr or str, optional
            May be omitted if the problem has one field; over a boundary it may hold `normal`.
        over : domain, part of a boundary, coordinate, or (coordinate, low, high), optional
            The problem's domain by default; a face ``{x: 1}`` and the whole ``"boundary"`` may be
            written as in conditions.
        **coordinates : array_like
            Values of the coordinates that it does not run over.
        """
        chosen = only_field(self.problem) if expression is None else expression
        real, imaginary = in_parts(as_written(self.problem, chosen))
        found: NDArray[Any] = integrate(self.network, real, over, coordinates)
        if imaginary is not None:
            found = found + 1j * integrate(self.network, imaginary, over, coordinates)
        return found

    @cached_property
    def error_estimate(self) -> ErrorEstimate:
        """The error of the fields, from the linearized error equation in a richer space.

        `Auto` and `Windows` compute it during the run; otherwise it is computed on first access,
        which takes a fraction of the time of the run. Of a run that was stopped it may take as long
        as the run did, and is infinite if that is not enough, or if it was stopped in patches
        before they were solved a second time.
        """
        if self.known_error is not None:
            return self.known_error
        if isinstance(self.network, Patchwork) and self.status.stopped:
            return unknown_error(self.problem)
        if not isinstance(self.network, Network):
            raise ProblemError(
                f"There is no estimate of the error for {type(self.method).__name__}: its network "
                "is no sum of nodes. solution.residual(points) tells how well the equations hold."
            )
        stopped = self.status.stopped
        budget = Budget.of(self.seconds, current().memory) if stopped else current()
        with one_thread(), spending(budget):
            try:
                return estimate_error(self.network, self.seed, uncertainty=self.uncertainty)
            except (OutOfTimeError, OutOfMemoryError):
                if not stopped:
                    raise
                return unknown_error(self.problem)

    @cached_property
    def _error_field(self) -> ErrorField:
        if self.problem.observations or not isinstance(self.network, Network):
            raise ProblemError(
                "The error at points is estimated for forward problems on networks of one or more "
                "windows. With observations there is solution.std; in patches the mean alone."
            )
        means = self.error_estimate.by_field
        with one_thread(), spending(current()):
            return error_field(self.network, means, self.seed)

    def error_at(self, *given: Any, **coordinates: ArrayLike) -> Floats:
        """The estimated size of the error of a field at points, without knowing the truth.

        Takes the arguments of a call of the solution, with a field for the expression. It is
        computed on the first call, in about the time of an estimate. Where it crosses zero the
        error is not zero: it is as large as around. For forward problems; with observations `std`
        tells what their noise does.
        """
        expression, given_points, shape = located(self.problem, given, coordinates)
        points = checked_points(self.problem, given_points)
        if expression not in self.problem.written_fields:
            raise ProblemError(f"error_at({brief(expression)}): give one of the fields.")
        return np.asarray(self._error_field(expression, points).reshape(shape))

    def std(self, *given: Any, **coordinates: ArrayLike) -> Floats:
        """The standard error of an expression, from the noise of the observations.

        Takes the arguments of a call of the solution. The residual of the equations counts as noise
        too; a wrong equation or a missing term does not show.
        """
        if self.uncertainty is None or not isinstance(self.network, Network | Patchwork):
            if self.problem.observations or self.problem.asked.any():
                raise ProblemError(f"This run has no error bars: {self.status.value}")
            raise ProblemError(
                "There are no observations or unknowns: nothing to take errors from."
            )
        expression, given_points, shape = located(self.problem, given, coordinates)
        points = checked_points(self.problem, given_points)
        factor, values = self.uncertainty.factor, np.empty(len(points))
        for here, compiled in self.network.readings(expression, points):
            values[here] = self.network.deviation(compiled, points[here], factor)
        return np.asarray(values.reshape(shape))

    def _repr_html_(self) -> str:
        """What a notebook shows: the summary as a table, and a small picture."""
        return solution_html(self)

    def __repr__(self) -> str:
        return summary(self)

    def save(self, path: str | PathLike[str]) -> None:
        """Write everything, with the problem, to one ``.npz`` file; read it with `piscm.load`."""
        save(self, path)
