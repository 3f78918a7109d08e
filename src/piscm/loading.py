"""Reading saved solutions, without trusting them."""

from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.compile.blocks import block_names
from piscm.fit import eigenmode as _eigenmode  # noqa: F401  (the classes that files name)
from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import Uncertainty
from piscm.march import methods as _marching  # noqa: F401  (the classes that files name)
from piscm.march import patched as _patched  # noqa: F401  (as above)
from piscm.network import deep as _deep  # noqa: F401  (as above)
from piscm.network.model import Model
from piscm.network.network import Network
from piscm.network.patchwork import Patchwork
from piscm.network.saved import UnknownKindError, class_named, numbers, whole_number
from piscm.network.start import Start
from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.problem import Problem
from piscm.result.archive import read_archive
from piscm.result.history import HISTORY
from piscm.result.method import BlockResidual, Method
from piscm.result.saving import FORMAT, POINTS
from piscm.result.solution import Solution
from piscm.result.status import Status
from piscm.text.document import problem_from_document
from piscm.text.parse import parse_expression

Floats = NDArray[np.float64]


def load(path: str | PathLike[str]) -> Solution:
    """Read a solution written by `Solution.save`.

    Nothing in the file is executed: it holds numbers and text, and the text is parsed.
    """
    arrays, plain = read_archive(path)
    try:
        return _unpacked(_Used(arrays), plain)
    except UnknownKindError as error:
        raise ProblemError(f"{path}: {error}") from error
    except ProblemError as error:
        raise ProblemError(f"{path} is damaged: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        reason = f"{type(error).__name__} {shortened(str(error))}"
        raise ProblemError(f"{path} is damaged: {reason}.") from error


class _Used(dict[str, np.ndarray]):
    """Arrays that know which of them were asked for."""

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        super().__init__(arrays)
        self._used: set[str] = set()

    def __getitem__(self, name: str) -> np.ndarray:
        self._used.add(name)
        return super().__getitem__(name)

    def check_all_used(self) -> None:
        for name in self:
            if name not in self._used:
                raise ProblemError(f"it has an array {brief(name, 40)} that is not known.")


def _unpacked(arrays: _Used, plain: Mapping[str, Any]) -> Solution:
    if plain["format"] != FORMAT:
        raise UnknownKindError(
            f"it has the format {brief(plain['format'])}, and this piscm reads {FORMAT}."
        )
    problem = problem_from_document(plain["problem"])
    symbols = {symbol.name: symbol for symbol in problem.domain.coordinates}
    fields = {str(field.func): field for field in problem.fields}
    initial = {
        fields[name]: parse_expression(text, symbols, {}, f"The starting value of {name}")
        for name, text in plain["initial"].items()
    }
    document = plain["method"]
    kind = _method_named(document["name"])
    method = kind.from_options(document["options"], problem.domain.coordinates)
    layout, start = plain["network"], Start(problem, initial)
    unknowns = numbers(arrays, "unknowns", (len(problem.unknowns),))
    of_kind: type[Model] = class_named(Model, layout["kind"])
    network = of_kind.restored(problem, start, unknowns, layout, arrays)
    history = arrays["history"]
    fits = history.shape == (network.n_nodes,) or (history.ndim == 1 and method.records_iterations)
    if history.dtype != HISTORY or not fits:
        raise ProblemError("its history does not fit its nodes.")
    uncertainty = _unpacked_uncertainty(arrays, plain, network)
    points = {
        str(kind): _unpacked_points(arrays[f"{POINTS}{kind}"], problem)
        for kind in plain.get("points", [])
    }
    arrays.check_all_used()
    return Solution(
        problem=problem,
        network=network,
        method=method,
        sampling=Sampling(**plain["sampling"]),
        seed=whole_number(plain["seed"], "seed"),
        status=Status[plain["status"]],
        fitted_residual=float(plain["residual"]),
        block_residuals=_unpacked_residuals(plain["block_residuals"], problem),
        history=np.rec.array(history),
        seconds=float(plain["seconds"]),
        uncertainty=uncertainty,
        known_error=_unpacked_error(plain["error"], problem),
        remarks=tuple(str(text) for text in plain["remarks"]),
        tried=tuple(str(note) for note in plain["tried"]),
        points=points,
        units={str(name): str(unit) for name, unit in plain.get("units", {}).items()},
    )


def _method_named(name: str) -> type[Method]:
    kind: type[Method]
    try:
        kind = class_named(Method, name)
    except UnknownKindError:
        import_module("piscm.baselines")  # not loaded unless a file asks for it
        kind = class_named(Method, name)
    return kind


def _unpacked_points(array: np.ndarray, problem: Problem) -> Floats:
    if array.ndim != 2 or array.shape[1] != problem.domain.dimension:
        raise ProblemError("its points do not fit its domain.")
    return array.astype(float)


def _unpacked_error(listed: Any, problem: Problem) -> ErrorEstimate | None:
    if listed is None:
        return None
    by_field = {name: float(value) for name, value in listed["by_field"].items()}
    relative = float(listed["relative"])
    names = {str(item.func) for item in problem.written_fields}
    noise, free = float(listed["from_noise"]), tuple(str(name) for name in listed["free"])
    if set(by_field) != names or min(relative, noise, *by_field.values()) < 0 or set(free) - names:
        raise ProblemError("its estimated error does not fit its fields.")
    return ErrorEstimate(relative, by_field, noise, free)


def _unpacked_residuals(listed: Any, problem: Problem) -> tuple[BlockResidual, ...]:
    blocks = len(block_names(problem))
    if len(listed) != blocks or not all(isinstance(item["name"], str) for item in listed):
        raise ProblemError("its residuals do not fit its problem.")
    return tuple(
        BlockResidual(
            item["name"],
            str(item["kind"]),
            whole_number(item["rows"], "rows"),
            float(item["fitted"]),
            None if item["held_out"] is None else float(item["held_out"]),
        )
        for item in listed
    )


def _unpacked_uncertainty(
    arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any], network: Model
) -> Uncertainty | None:
    if plain["noise"] is None or not isinstance(network, Network | Patchwork):
        return None
    factor, undetermined = arrays["error_factor"], arrays["undetermined"]
    columns, unknowns = network.weights.size + network.unknowns.size, network.unknowns.size
    fits = factor.ndim == undetermined.ndim == 2 and factor.shape[1] == columns
    if not fits or (len(undetermined) and undetermined.shape[1] != unknowns):
        raise ProblemError("its error bars do not fit its weights.")
    noise = {str(name): float(value) for name, value in plain["noise"].items()}
    return Uncertainty(factor.astype(float), undetermined.astype(float), noise)
