"""Noise in patches: how much data weigh, and error bars.

Random noise of the size of the residual is put on the rows, many times over, and goes through the
same elimination as they do. The fields and unknowns that answer to it have the spread of what was
found. The same with noise on the data alone tells how closely the fields follow them: where too
closely, data weigh less (generalized cross-validation).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import NOTHING_LEFT, Uncertainty, vague
from piscm.network.start import Start
from piscm.patches.local import DataNoise, data_noise
from piscm.patches.solved import Solved
from piscm.patches.trial import Trial, looks
from piscm.patches.workshop import Workshop

Floats = NDArray[np.float64]

# Random rows: for the freedom of the data, and for error bars (which are good to 6 %).
_TRACES, _SAMPLES = 16, 128
# Factors on the weight of data. The least of them is taken whose score is within this factor of the
# best, since scores are noisy too: an equation that holds should not be bent by data.
_FACTORS, _ALIKE = (0.1, 0.01, 1e-3, 1e-4), 1.15
# Data that are met to this fraction of the tolerance have no noise that matters.
_EXACT = 0.1
# A direction that hardly moves the unknowns that were asked for is no news.
_TOLD = 0.1
# With fewer degrees of freedom than this fraction of the data, their noise is not known.
_LEAST_FREEDOM = 0.02


@dataclass(frozen=True)
class WithBars:
    """A trial whose data are weighed by their noise, and what the noise does.

    Attributes
    ----------
    trial : Trial
    uncertainty : Uncertainty
    by_field : tuple of float
        The root mean square of what noise adds to each field.
    relative : float
        All of it, relative to the fields.
    misfit : float
        The residual of the data relative to their size.
    """

    trial: Trial
    uncertainty: Uncertainty
    by_field: tuple[float, ...]
    relative: float
    misfit: float

    def error(self, known: ErrorEstimate) -> ErrorEstimate:
        """An estimate of the error with the share of the noise in it."""
        return with_noise(known, self.by_field, self.relative)


def with_noise(known: ErrorEstimate, by_field: Sequence[float], relative: float) -> ErrorEstimate:
    """An estimate of the error, and what noise adds to each field and to all of them."""
    if not np.isfinite(known.relative):
        return known
    each = {
        name: float(np.hypot(own, more))
        for (name, own), more in zip(known.by_field.items(), by_field, strict=True)
    }
    total = float(np.hypot(known.relative, relative))
    return ErrorEstimate(total, each, from_noise=relative, free=known.free)


def with_bars(workshop: Workshop, best: Trial, tolerance: float) -> WithBars:
    """Weigh the data of a trial by their noise, and find its error bars."""
    freedoms = _freedoms(best)
    if workshop.part.problem.observations and _misfit(best) > _EXACT * tolerance:
        tried = [(workshop, best, freedoms, _score(best, freedoms))]
        for light in _FACTORS:
            weights = {**workshop.weights}
            weights["observations"] = light * weights["observations"]
            lighter = replace(workshop, weights=weights)
            trial = lighter.trial(best.level, best.model, best.factor)
            freedoms = _freedoms(trial)
            tried.append((lighter, trial, freedoms, _score(trial, freedoms)))
        most = _ALIKE * min(score for *_, score in tried)
        chosen, best, freedoms, _ = next(own for own in reversed(tried) if own[-1] <= most)
        if chosen is not workshop:
            best = _compared(chosen, best)
    return _bars(best, freedoms)


def _compared(workshop: Workshop, best: Trial) -> Trial:
    """The trial with its error estimated by a coarser one with the same weights."""
    other = workshop.trial(best.level.coarser, best.model, best.factor)
    return best.among([other]) if best.error <= other.error else other.among([best])


def _misfit(trial: Trial) -> float:
    """The residual of the data relative to their size."""
    missed = total = 0.0
    for number, block in enumerate(trial.blocks):
        if block.observed and block.data is not None:
            missed += float(np.mean(_residual(trial, number) ** 2))
            total += float(np.mean(block.data**2))
    return float(np.sqrt(missed / total)) if total > 0 else 0.0


def _residual(trial: Trial, number: int) -> Floats:
    """The unweighted rows of a block at its fitted points."""
    return trial.model.residual(trial.blocks[number], trial.cutting.points[number])


def _answers(trial: Trial, deviations: Floats, count: int) -> Solved:
    noise = [DataNoise(1000 + key, tuple(map(float, deviations))) for key in range(count)]
    return trial.coupled.answers(trial.solved, noise)


def _freedoms(trial: Trial) -> dict[int, float]:
    """Data less the degrees of freedom with which the fields follow them, by block."""
    data = [number for number, block in enumerate(trial.blocks) if block.observed]
    if not data:
        return {}
    deviations = np.zeros(len(trial.blocks))
    deviations[data] = 1.0
    answered = _answers(trial, deviations, _TRACES)
    followed = dict.fromkeys(data, 0.0)
    nothing, model = Start(trial.model.problem), trial.model
    for turn, (weights, move) in enumerate(_moves(answered)):
        answer = replace(model, start=nothing, weights=_stacked(weights))
        for number in data:
            block = trial.blocks[number]
            assert block.data is not None
            points = trial.cutting.points[number][0].points
            by_jets, by_unknowns = block.compiled.linearize(
                points, model.jets(block.compiled, points), model.unknowns
            )
            moved = np.einsum("jn,jn->n", by_jets, answer.jets(block.compiled, points))
            if len(move):
                moved = moved + move @ by_unknowns
            followed[number] += float(
                data_noise(1000 + turn, number, len(block.data)) @ (moved / block.spread)
            )
    return {n: len(_residual(trial, n)) - followed[n] / _TRACES for n in data}


def _moves(answered: Solved) -> list[tuple[dict[int, Floats], Floats]]:
    unknowns = answered.unknown_noise or [np.zeros(0)] * len(answered.noise)
    return list(zip(answered.noise, unknowns, strict=True))


def _stacked(weights: dict[int, Floats]) -> Floats:
    return np.concatenate([weights[number] for number in range(len(weights))])


def _score(trial: Trial, freedoms: dict[int, float]) -> float:
    """Generalized cross-validation: how well data that were left out would be predicted."""
    squares = total = freedom = 0.0
    for number, own in freedoms.items():
        residual = _residual(trial, number) / trial.blocks[number].spread
        squares += float(residual @ residual)
        total += len(residual)
        freedom += own
    return squares * total / freedom**2 if freedom > 0 else np.inf


def _bars(trial: Trial, freedoms: dict[int, float]) -> WithBars:
    deviations, noise = np.zeros(len(trial.blocks)), {}
    for number, block in enumerate(trial.blocks):
        residual = _residual(trial, number)
        deviations[number] = np.sqrt(np.mean(residual**2)) if len(residual) else 0.0
        if number in freedoms:
            share = freedoms[number] / max(1, len(residual))
            if block.noise is not None:
                deviations[number] = block.noise
            elif share > _LEAST_FREEDOM:
                deviations[number] /= np.sqrt(share)
            else:  # the fields go through all data
                deviations[number] = np.nan
            noise[block.name] = float(deviations[number])
    answered = _answers(trial, np.nan_to_num(deviations), _SAMPLES)
    rows = [np.concatenate([_stacked(own).ravel(), move]) for own, move in _moves(answered)]
    factor = np.stack(rows) / np.sqrt(len(rows))
    if not np.isfinite(deviations).all():
        factor = np.full_like(factor, np.nan)
    by_field, relative = _spread(trial, answered)
    uncertainty = Uncertainty(factor, _undetermined(trial, answered, factor), noise)
    return WithBars(trial, uncertainty, by_field, relative, _misfit(trial))


def _spread(trial: Trial, answered: Solved) -> tuple[tuple[float, ...], float]:
    """The size of what noise adds to each field, and to all, relative to them."""
    model, points = trial.model, looks(trial.cutting.grid, 8)
    nothing = Start(model.problem)
    squares, size = np.zeros(len(model.problem.fields)), 0.0
    for index, item in enumerate(model.problem.fields):
        compiled = model.compile(item)
        size += float(np.mean(model.value(compiled, points) ** 2))
        for weights in answered.noise[:_TRACES]:
            answer = replace(model, start=nothing, weights=_stacked(weights))
            squares[index] += float(np.mean(answer.value(compiled, points) ** 2)) / _TRACES
    relative = float(np.sqrt(squares.sum() / size)) if size > 0 else 0.0
    return tuple(float(own) for own in np.sqrt(squares)), relative


def _undetermined(trial: Trial, answered: Solved, factor: Floats) -> Floats:
    """Directions of relative changes of the unknowns that the rows do not see, or hardly."""
    problem = trial.model.problem
    count = len(problem.unknowns)
    if not count or answered.information is None:
        return np.zeros((0, count))
    guesses = np.array(list(problem.unknowns.values()), dtype=float)
    sizes = np.maximum(np.abs(trial.model.unknowns), np.abs(guesses))
    sizes = np.where(sizes > 0, sizes, 1.0)
    _, seen, directions = np.linalg.svd(answered.information * sizes)
    lost = directions[seen <= NOTHING_LEFT * np.max(_lengths(trial) * sizes)]
    spread = vague(factor[:, factor.shape[1] - count :] / sizes)
    found = np.concatenate([lost, spread])
    return np.asarray(found[np.linalg.norm(found[:, problem.asked], axis=1) > _TOLD])


def _lengths(trial: Trial) -> Floats:
    """The lengths of the columns of the unknowns, fields held still."""
    cutting, model = trial.cutting, trial.model
    total = np.zeros(len(model.unknowns))
    for number, block in enumerate(trial.blocks):
        at = cutting.points[number][0]
        compiled = block.compiled
        seen = compiled.seen(at)
        jets = model.jets(compiled, at.points)
        _, by_unknowns = compiled.linearize(seen, jets, model.unknowns)
        owners = cutting.grid.patches_of(at.points)
        rows = by_unknowns / cutting.row_sizes[owners, number]
        total += len(np.unique(owners)) * np.mean(rows**2, axis=1)
    return np.asarray(np.sqrt(total))
