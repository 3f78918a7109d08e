"""The trials of a run in patches: how many, how many nodes in each, and when it will do."""

from collections.abc import Iterator
from dataclasses import replace
from math import sqrt

import numpy as np

from piscm.budget.budget import STOPS
from piscm.patches.asked import Asked, Begun
from piscm.patches.grid import Cell, Edges, even_edges, halved
from piscm.patches.levels import Level, first_nodes, most_nodes, tall_nodes
from piscm.patches.rough import rough_cells
from piscm.patches.solved import Guide
from piscm.patches.trial import Trial
from piscm.patches.workshop import Workshop
from piscm.result.progress import Watcher
from piscm.result.status import Status

# Below this residual the patches are small enough, and more nodes in each are what helps.
_LEARNT = 0.05
# The same for patches with many nodes: if those resolve the fields, they do it at once, and fields
# that are almost zero may come below the bound above.
_RESOLVED = 5e-3
# Twice the nodes have to bring the residual below this fraction, or the patches are halved.
_FAST = 0.25
# More nodes have to bring the residual below this fraction, or nothing more is tried but so many
# nodes in all that cost little: waves that fade where they are not resolved have a small residual.
_GAINED, _CHEAP = 0.5, 5000
# ... and so many trials in a row, where patches follow layers.
_PATIENCE = 3
# A trial that seems to do is made again with other nodes and points, at most so many times.
_TWINS = 2
# The estimate may be too small by this factor; where there is but one such twin, by the second: two
# that are off in the same direction agree.
_MARGIN, _ALONE = 2.0, 10.0
FREE = 1e5
"""Fields that answer to random rows of size 1 by more than this are not determined."""
# The same where everything is zero, and no second solution warns of it.
_FREE_OF_NOTHING = 1e3
# Each level has so many times the nodes of the one before, and fewer, by this power at least, where
# the residuals of the last two tell that fewer do: their error is then this much below the bound.
_GROWTH, _SHORTEST, _RESERVE = sqrt(2.0), 0.25, 4.0
# Factors on the usual scale of nodes, tried once.
_FACTORS = (0.7, 1.4)
# The patches with the largest residuals, as a fraction of all, are grown alone if they have this
# share of all squares.
_WORST, _SHARE = 0.25, 0.9


class Search:
    """The trials of a run.

    Parameters
    ----------
    begun : Begun, optional
        What did for a similar problem, to begin with.
    confirmed : bool
        Whether a trial that seems to do is confirmed by another of its level and scale.
    """

    def __init__(
        self,
        workshop: Workshop,
        asked: Asked,
        report: Watcher,
        begun: Begun | None = None,
        confirmed: bool = True,
    ) -> None:
        self.workshop, self._asked, self._report = workshop, asked, report
        self.best: Trial | None = None
        self.past: list[Trial] = []
        self._factor, self._scanned = 1.0, False
        self._begun, self._confirmed = begun, confirmed
        if begun is not None:
            self._factor, self._scanned = begun.factor, True
        problem = workshop.part.problem
        dimension, first = problem.domain.dimension, first_nodes(problem)
        self._first = min(first, asked.max_nodes or first)
        tall = tall_nodes(dimension)
        self._tall = min(asked.max_nodes or tall, tall)

    def finished(self) -> Status:
        """Try until it will do; how that ended."""
        try:
            for _ in self._trials():
                best = self.best
                assert best is not None
                if best.trivial:
                    return self._at_start()
                self._confirm(_MARGIN)
                if self._met:
                    return Status.CONVERGED
                if self._free:
                    return Status.HOPELESS
            self._confirm(1.0)  # so that what is told of the error can be relied on
        except STOPS as stop:
            if self.best is None:
                raise
            return Status.after(stop)
        if not self._asked.tolerance > 0:
            return Status.FINISHED
        return Status.HOPELESS

    def _at_start(self) -> Status:
        """Nothing has to be found, if the fields are determined at all: more nodes tell."""
        assert self.best is not None
        trial = self.workshop.trial(replace(self.best.level, nodes=2 * self._first), None)
        self.best = trial
        sure = trial.amplification.max() < _FREE_OF_NOTHING
        return Status.SOLVED_AT_START if sure else Status.UNDETERMINED

    @property
    def _free(self) -> bool:
        """Whether trials in a row did not determine the fields: three that resolved them, or five.

        Waves that are not resolved answer to noise without bound as well.
        """
        free = [trial.amplification.max() >= FREE for trial in self.past]
        resolved = all(trial.error < _LEARNT for trial in self.past[-3:])
        return (len(free) >= 3 and all(free[-3:]) and resolved) or (
            len(free) >= 5 and all(free[-5:])
        )

    def _confirm(self, margin: float) -> None:
        """Make the best trial again, where its error has to be known better.

        Parameters
        ----------
        margin : it is within the tolerance even if it is so many times as large
        """
        if not self._confirmed:
            return
        best = self.best
        while best is not None and not self._met:
            known = best.estimate if best.twins else best.hoped
            made = sum(best.is_like(own) for own in self.past)
            if made > _TWINS or not self._within(margin * known):
                return
            self._try(best.level, best.factor, turn=made)
            best = self.best

    @property
    def _met(self) -> bool:
        best = self.best
        assert best is not None
        if not self._confirmed:
            return self._within(best.estimate)
        margin = _MARGIN if len(best.twins) >= _TWINS else _ALONE
        return bool(best.twins) and self._within(margin * best.estimate)

    def _within(self, error: float) -> bool:
        """Whether an error of the best trial is small enough, and so is what may hide."""
        best, tolerance = self.best, self._asked.tolerance
        assert best is not None
        return tolerance > 0 and max(error, best.hidden(tolerance)) <= tolerance

    def _trials(self) -> Iterator[None]:
        domain, shape = self.workshop.part.problem.domain, self._asked.shape
        first = shape or (4 if domain.dimension == 1 else 2,) * domain.dimension
        if self._asked.edges is not None:
            yield from self._followed(self._asked.edges)
            return
        edges = even_edges(domain, first)
        if not self._asked.tolerance > 0:
            self._try(Level(edges, self._most(edges)))
            yield
            return
        if self._begun is not None:
            for level in (self._begun.level.coarser, self._begun.level):
                self._try(level)
                yield
        nodes, again = self._first, False
        while True:
            trial = self._try(Level(edges, nodes))
            yield
            if shape is None and trial.error >= _LEARNT and nodes < self._tall:
                # Once these do not suffice, fewer in halves do not either.
                nodes = self._tall
                continue
            learnt = _LEARNT if nodes == self._first else _RESOLVED
            small_enough = trial.error < learnt or shape is not None
            before, most = self._error, self._asked.most * self._first
            if small_enough:
                yield from self._enlarged(trial)
                if shape is not None:
                    return
                if not self._error < _GAINED * before:  # what looked resolved was not
                    if self._error < _RESOLVED or again:
                        most = min(most, _CHEAP)
                    nodes, again = self._tall, True
                    self._factor, self._scanned = 1.0, False
            edges = self._finer(self._last)
            patches = np.prod([len(own) - 1 for own in edges])
            if patches * nodes > most:
                if not small_enough:
                    yield from self._enlarged(trial)
                return

    def _most(self, edges: Edges) -> int:
        """Nodes of a patch of a grid at most."""
        return self._asked.max_nodes or most_nodes(tuple(len(own) - 1 for own in edges))

    def _finer(self, trial: Trial) -> Edges:
        """Patches halved, or only those whose residual is most of all."""
        # Waves that are not resolved leave zero, whose residual is at the faces of the domain only.
        worst = self._worst(trial) if trial.error < _LEARNT else ()
        cells = [trial.cutting.grid.cells[number] for number in worst] or None
        edges = halved(trial.level.edges, cells)
        # On a line all patches together cost little: four at once.
        return halved(edges) if cells is None and len(edges) == 1 else edges

    def _followed(self, edges: Edges) -> Iterator[None]:
        """Patches that follow layers: more nodes, or thinner patches where the residual is."""
        nodes, errors = self._first, [np.inf]
        yield from self._scaled(self._try(Level(edges, nodes)))
        while True:
            cells, before = self._rough, nodes
            if cells:
                edges = halved(edges, cells, at_faces=True)
            else:
                nodes = min(self._most(edges), round(self._growth(errors) * nodes))
            patches = int(np.prod([len(own) - 1 for own in edges]))
            if patches * nodes > self._asked.most * self._first or (nodes == before and not cells):
                return
            errors.append(self._try(Level(edges, nodes)).error)
            yield
            latest, past = errors[-_PATIENCE:], errors[:-_PATIENCE]
            if past and min(latest) > _GAINED * min(past):
                return

    @property
    def _rough(self) -> list[Cell]:
        """The cells to be cut; where nothing but what may hide is amiss, some in corners."""
        last, best, tolerance = self._last, self.best, self._asked.tolerance
        if not last.error < _LEARNT:
            return []
        found = best is not None and best.is_like(last) and best.estimate <= tolerance
        done = found and best is not None and best.hidden(tolerance) > tolerance
        return rough_cells(last.cutting.grid, last.solved.energies.sum(axis=1), done)

    def _enlarged(self, first: Trial) -> Iterator[None]:
        """More and more nodes, while that pays."""
        yield from self._scaled(first)
        edges, count = first.level.edges, first.level.nodes
        errors, growth = {count: first.error}, _GROWTH
        most = self._most(edges)
        while count < most:
            # A short step is one at most: if it does not do, what it was expected to do is wrong.
            growth = self._growth(list(errors.values())) if growth == _GROWTH else _GROWTH
            count = min(most, round(growth * count))
            trial = self._try(Level(edges, count))
            yield
            worst = self._worst(trial)
            if worst:
                trial = self._try(Level(edges, count, worst))
                yield
            errors[count] = trial.error
            half = [error for own, error in errors.items() if own < 0.55 * count]
            if half and trial.error > _FAST * half[-1]:
                return

    def _growth(self, errors: list[float]) -> float:
        """How many times as many nodes the next level has: no more than seem to be needed."""
        best, tolerance = self.best, self._asked.tolerance
        assert best is not None
        known = best.estimate if best.twins else best.hoped
        if len(errors) < 2 or not 0 < errors[-1] < errors[-2] or not 0 < known < np.inf:
            return _GROWTH
        missing = np.log(_RESERVE * _MARGIN * known / tolerance)
        steps = missing / np.log(errors[-2] / errors[-1])
        return float(_GROWTH ** np.clip(steps, _SHORTEST, 1.0))

    def _scaled(self, last: Trial) -> Iterator[None]:
        """Other scales of the nodes, once there is something to compare."""
        if self._asked.scale is not None or self._scanned:
            return
        self._scanned = True
        found = {1.0: last.error}
        for factor in _FACTORS:
            found[factor] = self._try(last.level, factor).error
            yield
            if found[factor] < _GAINED * last.error:  # it will not be better on the other side
                break
        self._factor = min(found, key=lambda own: found[own])

    def _worst(self, trial: Trial) -> tuple[int, ...]:
        """The patches whose residual is most of all; none if it is spread."""
        own = trial.solved.energies.sum(axis=1)
        order = np.argsort(own)[::-1]
        few = order[: max(1, int(_WORST * len(order)))]
        if len(order) < 4 or not own[few].sum() > _SHARE * own.sum():
            return ()
        return tuple(sorted(int(number) for number in few))

    @property
    def factor(self) -> float:
        """The factor on the usual scale of nodes that does best."""
        return self._factor

    # --- trials -----------------------------------------------------------------------------

    @property
    def _error(self) -> float:
        return np.inf if self.best is None else self.best.error

    def _try(self, level: Level, factor: float | None = None, turn: int = 0) -> Trial:
        guide: Guide | None = None if self._begun is None else self._begun.guide
        if self.best is not None and self.best.error < 1.0:
            guide = self.best.model
        trial = self.workshop.trial(level, guide, factor or self._factor, turn)
        best = self.best
        if best is None or trial.error < best.error:
            best = trial
        self.past.append(trial)
        if not turn:
            self._last = trial
        self.best = best.among(self.past)
        self._report(len(trial.cutting.patches), trial.error)
        return trial
