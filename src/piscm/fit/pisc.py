"""The paper's three algorithms: one network on the whole domain, with settings of the user's."""

from dataclasses import dataclass

from piscm.assemble.assembly import Assembly
from piscm.assemble.sampling import Sampling
from piscm.assemble.sites import draw_points
from piscm.assemble.windows import Part
from piscm.construct.construction import Construction
from piscm.construct.corrections import AllNodes, Correction, NewestNode, NewestNodes
from piscm.fit.error_bars import error_bars, status_with
from piscm.fit.one_network import fit_network, fit_to_all, thinned
from piscm.fit.residuals import block_residuals
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
        # The paper's selection has always had all points; it is not made for very many of them.
        some = everything
        if not self.selector.weighs_nodes:
            some = thinned(everything, self.max_nodes)
        with request.reporting(self.max_nodes) as report:
            fit = fit_network(some, self, node_rng, report)
        errors, status = None, fit.status
        if not status.stopped:
            try:
                errors = error_bars(problem, fit.refined, self.threshold)
            except KeyboardInterrupt:
                fit = fit.ended(Status.INTERRUPTED)
        if some is not everything:
            fit = fit_to_all(fit, everything, self)
        fresh = draw_points(problem.domain, part.blocks, sampling.elsewhere, held_out_rng)
        fitted = [(fit.network, b, own) for b, own in zip(part.blocks, points, strict=True)]
        return Outcome(
            model=fit.network,
            status=status_with(fit.status, errors, fit.residual <= self.tolerance),
            residual=fit.residual,
            block_residuals=block_residuals(fit.network, part.blocks, fitted, fresh),
            history=fit.growth.history,
            sampling=sampling,
            uncertainty=errors,
        )


@dataclass(frozen=True, kw_only=True)
class PISC1(_Grown):
    """PI-SC-I: only the newest node's weights are fitted. Options as in `Method`."""

    @property
    def correction(self) -> Correction:
        return NewestNode()


@dataclass(frozen=True, kw_only=True)
class PISC2(_Grown):
    """PI-SC-II: the newest `window` nodes are corrected each time. Options as in `Method`."""

    window: int = 200

    @property
    def correction(self) -> Correction:
        return NewestNodes(self.window)


@dataclass(frozen=True, kw_only=True)
class PISC3(_Grown):
    """PI-SC-III: all nodes are corrected each time. Options as in `Method`."""

    @property
    def correction(self) -> Correction:
        return AllNodes()
