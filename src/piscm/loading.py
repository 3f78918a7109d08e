"""Reading saved solutions, without trusting them."""

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from piscm.assemble.sampling import Sampling
from piscm.fit.pisc import PISC1, PISC2, PISC3
from piscm.inference.error_estimate import ErrorEstimate
from piscm.inference.uncertainty import Uncertainty
from piscm.march.methods import Auto, Windows
from piscm.network.activations import activation_named
from piscm.network.deep import DeepNetwork
from piscm.network.model import Model
from piscm.network.network import Network, Panels
from piscm.network.nodes import Nodes
from piscm.network.start import Start
from piscm.problem.errors import ProblemError, brief, shortened
from piscm.problem.problem import Problem
from piscm.result.archive import read_archive
from piscm.result.history import HISTORY
from piscm.result.method import BlockResidual, Method
from piscm.result.solution import FORMAT, Solution
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
        return _unpacked(arrays, plain)
    except ProblemError as error:
        raise ProblemError(f"{path} is damaged: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        reason = f"{type(error).__name__} {shortened(str(error))}"
        raise ProblemError(f"{path} is damaged: {reason}.") from error


def _unpacked(arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any]) -> Solution:
    if plain["format"] != FORMAT:
        raise ProblemError(f"it has the format {plain['format']!r}, and this piscm reads {FORMAT}.")
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
    network = _unpacked_network(arrays, plain, problem, Start(problem, initial))
    activation_named(plain["activation"])
    history = arrays["history"]
    fits = history.shape == (network.n_nodes,) or (history.ndim == 1 and method.records_iterations)
    if history.dtype != HISTORY or not fits:
        raise ProblemError("its history does not fit its nodes.")
    return Solution(
        problem=problem,
        network=network,
        method=method,
        sampling=Sampling(**plain["sampling"]),
        seed=_count(plain["seed"], "seed"),
        status=Status[plain["status"]],
        fitted_residual=float(plain["residual"]),
        block_residuals=_unpacked_residuals(plain["block_residuals"], problem),
        history=np.rec.array(history),
        seconds=float(plain["seconds"]),
        uncertainty=_unpacked_uncertainty(arrays, plain, network),
        known_error=_unpacked_error(plain["error"], problem),
    )


def _method_named(name: str) -> type[Method]:
    known: tuple[type[Method], ...] = (PISC1, PISC2, PISC3, Auto, Windows)
    for kind in known:
        if kind.__name__ == name:
            return kind
    from piscm.baselines import BASELINES  # only for a file that names one of them

    return BASELINES[name]


def _unpacked_network(
    arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any], problem: Problem, start: Start
) -> Model:
    activation, fields = plain["activation"], len(problem.fields)
    unknowns = _numbers(arrays, "unknowns", (len(problem.unknowns),))
    if "layers" in plain:
        layers, width = [], problem.domain.dimension
        for number in range(_count(plain["layers"], "number of layers")):
            biases = f"layer{number}_biases"
            shape = (width, len(arrays[biases]))
            weights = _numbers(arrays, f"layer{number}_weights", shape)
            width = shape[1]
            layers.append((weights, _numbers(arrays, biases, (width,))))
        if not layers or width != fields:
            raise ProblemError("its layers do not fit its fields.")
        return DeepNetwork(problem, start, activation, tuple(layers), unknowns)
    count, dimension = len(arrays["node_biases"]), problem.domain.dimension
    nodes = Nodes(
        _numbers(arrays, "node_weights", (count, dimension)),
        _numbers(arrays, "node_biases", (count,)),
    )
    weights = _numbers(arrays, "weights", (count, fields))
    panels = _unpacked_panels(plain["panels"], problem, count)
    return Network(problem, start, activation, nodes, weights, unknowns, panels)


def _unpacked_error(listed: Any, problem: Problem) -> ErrorEstimate | None:
    if listed is None:
        return None
    by_field = {name: float(value) for name, value in listed["by_field"].items()}
    relative = float(listed["relative"])
    names = {str(item.func) for item in problem.fields}
    if set(by_field) != names or min(relative, *by_field.values()) < 0:
        raise ProblemError("its estimated error does not fit its fields.")
    return ErrorEstimate(relative, by_field)


def _unpacked_panels(listed: Any, problem: Problem, nodes: int) -> Panels | None:
    if listed is None:
        return None
    axis, edges = _count(listed["axis"], "axis"), tuple(map(float, listed["edges"]))
    counts = tuple(_count(count, "count of nodes") for count in listed["counts"])
    low, high = problem.domain.span(problem.domain.coordinates[axis])
    inside = all(low < edge < high for edge in edges) and list(edges) == sorted(edges)
    activations = tuple(listed["activations"])
    for name in activations:
        activation_named(name)
    fits = sum(counts) == nodes and len(counts) == len(edges) + 1 == len(activations)
    if not inside or not fits:
        raise ProblemError("its windows do not fit its nodes.")
    return Panels(axis, edges, counts, activations)


def _unpacked_residuals(listed: Any, problem: Problem) -> tuple[BlockResidual, ...]:
    blocks = len(problem.equations) + len(problem.conditions) + len(problem.observations)
    if len(listed) != blocks or not all(isinstance(item["name"], str) for item in listed):
        raise ProblemError("its residuals do not fit its problem.")
    return tuple(
        BlockResidual(
            item["name"],
            str(item["kind"]),
            _count(item["rows"], "rows"),
            float(item["fitted"]),
            None if item["held_out"] is None else float(item["held_out"]),
        )
        for item in listed
    )


def _count(value: Any, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ProblemError(f"its {what} is {brief(value)}, not a whole number.")
    return value


def _unpacked_uncertainty(
    arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any], network: Model
) -> Uncertainty | None:
    if plain["noise"] is None or not isinstance(network, Network):
        return None
    factor, undetermined = arrays["error_factor"], arrays["undetermined"]
    columns, unknowns = network.weights.size + network.unknowns.size, network.unknowns.size
    fits = factor.ndim == undetermined.ndim == 2 and factor.shape[1] == columns
    if not fits or (len(undetermined) and undetermined.shape[1] != unknowns):
        raise ProblemError("its error bars do not fit its weights.")
    noise = {str(name): float(value) for name, value in plain["noise"].items()}
    return Uncertainty(factor.astype(float), undetermined.astype(float), noise)


def _numbers(arrays: Mapping[str, np.ndarray], name: str, shape: tuple[int, ...]) -> Floats:
    array = arrays[name]
    if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
        raise ProblemError(f"its array {name!r} is not {shape} finite numbers.")
    return array
