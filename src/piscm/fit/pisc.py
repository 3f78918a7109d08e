"""The paper's three algorithms: one network on the whole domain, with the user's settings."""

from dataclasses import dataclass
from inspect import cleandoc
from typing import TypeVar

from piscm.assemble.assembly import Assembly
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.budget.budget import STOPS
from piscm.construct.construction import Construction
from piscm.construct.corrections import AllNodes, Correction, NewestNode, NewestNodes
from piscm.fit.error_bars import error_bars, status_with
from piscm.fit.one_network import fit_network, fit_to_all, thinned
from piscm.fit.residuals import block_residuals, fitted_points
from piscm.result.method import Outcome, Request
from piscm.result.status import Status


@dataclass(frozen=True, kw_only=True)
class _Grown(Construction):
    """One network on the whole domain."""

    def run(self, request: Request) -> Outcome:
        problem, sampling = request.problem, request.sampling or Sampling()
        fitted_rng, held_out_rng, node_rng = request.rng.spawn(3)
        part = Part.whole(problem)
        points = draw_points(problem.domain, part.blocks, sampling, fitted_rng)
        everything = Assembly(part, points, request.weights, request.start)
        # The paper's selection has always used all points; it is not meant for very many of them.
        some = everything
        if not self.selector.weighs_nodes:
            some = thinned(everything, self)
        with request.reporting(self.max_nodes) as report:
            fit = fit_network(some, self, node_rng, report)
        errors = None
        if not fit.status.stopped:
            try:
                errors = error_bars(problem, fit.refined, self.threshold)
            except STOPS as stop:
                fit = fit.ended(Status.after(stop))
        if some is not everything:
            fit = fit_to_all(fit, everything, self, request.executor)
        status = status_with(fit.status, errors, fit.residual <= self.tolerance)
        fitted = [(fit.network, b, own) for b, own in zip(part.blocks, points, strict=True)]
        table, status = block_residuals(
            fit.network, part, fitted, sampling.elsewhere, held_out_rng, status
        )
        return Outcome(
            model=fit.network,
            status=status,
            residual=fit.residual,
            block_residuals=table,
            history=fit.growth.history,
            sampling=sampling,
            uncertainty=errors,
            points=fitted_points(fitted),
        )


_Kind = TypeVar("_Kind", bound=type[_Grown])


def _explained(kind: _Kind) -> _Kind:
    """The class with all its options in its docstring, so that ``help`` is complete."""
    _, _, options = cleandoc(Construction.__doc__ or "").partition("Parameters\n----------\n")
    own, _, example = cleandoc(kind.__doc__ or "").partition("Examples\n--------\n")
    before, _, extra = own.partition("Parameters\n----------\n")
    kind.__doc__ = (
        f"{before.rstrip()}\n\nParameters\n----------\n{extra.rstrip()}\n{options.rstrip()}\n\n"
        f"Examples\n--------\n{example}"
    ).replace("----------\n\n", "----------\n")
    return kind


@_explained
@dataclass(frozen=True, kw_only=True)
class PISC1(_Grown):
    """The paper's PI-SC-I: a new node's output weight is fitted to the residual and then kept.

    Pass it to `solve`; the fastest of the three, and the least accurate.

    Examples
    --------
    >>> from piscm import PISC1
    >>> PISC1(max_nodes=100, scale=15.0).candidates
    50
    """

    @property
    def correction(self) -> Correction:
        return NewestNode()


@_explained
@dataclass(frozen=True, kw_only=True)
class PISC2(_Grown):
    """The paper's PI-SC-II: after each node the weights of the newest ones are corrected.

    Pass it to `solve`.

    Parameters
    ----------
    window : int
        Size of the window of nodes: how many of the newest are corrected together.

    Examples
    --------
    >>> from piscm import PISC2
    >>> PISC2(max_nodes=300, window=100).window
    100
    """

    window: int = 200

    @property
    def correction(self) -> Correction:
        return NewestNodes(self.window)


@_explained
@dataclass(frozen=True, kw_only=True)
class PISC3(_Grown):
    """The paper's PI-SC-III: after each node the weights of all nodes are corrected.

    Pass it to `solve`; the most accurate of the three. With ``selection="orthogonal"``, which
    `Auto` uses, it takes blocks of nodes by what they add to all others, and needs no scale.

    Examples
    --------
    >>> from piscm import PISC3, Box, Condition, Problem, Sampling, coordinates, field, solve
    >>> t = coordinates("t")
    >>> u = field("u", t)
    >>> decay = Problem(Box({t: (0, 2)}), [u.diff(t) + u], [Condition(u - 1, on={t: 0})])
    >>> solution = solve(decay, PISC3(max_nodes=20, scale=3.0), sampling=Sampling(interior=50))
    >>> solution.status.name, solution.n_nodes
    ('FINISHED', 20)
    """

    @property
    def correction(self) -> Correction:
        return AllNodes()
