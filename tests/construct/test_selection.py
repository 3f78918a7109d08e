"""Rules of selection as objects: the words stand for them, and a user's own is one more."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from piscm import (
    PISC1,
    PISC2,
    PISC3,
    Box,
    Condition,
    Problem,
    Sampling,
    Status,
    Windows,
    coordinates,
    field,
    load,
    solve,
)
from piscm.construct.local import Local
from piscm.construct.orthogonal import Orthogonal
from piscm.construct.selection import Proposal, Selection

t = coordinates("t")
u = field("u", t)
PROBLEM = Problem(Box({t: (0, 2)}), [u.diff(t) + u**2], [Condition(u - 1, on={t: 0})])
SAMPLING = Sampling(interior=60)


def solved(method, **more):
    return solve(PROBLEM, method, sampling=SAMPLING, **more)


def same_bits(one, other):
    assert one.network.nodes.weights.tobytes() == other.network.nodes.weights.tobytes()
    assert one.network.weights.tobytes() == other.network.weights.tobytes()
    assert one.history["residual"].tobytes() == other.history["residual"].tobytes()
    assert one.status is other.status


PAIRS = [
    (PISC3, {"block": 5}, Orthogonal(block=5)),
    (PISC3, {"candidates": 30, "ranges": (1, 3)}, Orthogonal(candidates=30, ranges=[1, 3])),
    (PISC2, {"window": 8, "block": 4}, Orthogonal(block=4)),
    (PISC3, {"candidates": 9, "dampings": (1.0, 0.5)}, Local(candidates=9, dampings=(1.0, 0.5))),
    (PISC1, {"contractions": (0.5,), "ranges": (2,)}, Local(contractions=[0.5], ranges=(2,))),
]


@pytest.mark.parametrize(("kind", "options", "selection"), PAIRS)
def test_a_word_with_its_options_is_the_object(kind, options, selection):
    word = "orthogonal" if isinstance(selection, Orthogonal) else "local"
    own = {name: options[name] for name in options if name == "window"}
    written = kind(selection=word, max_nodes=20, **options)
    made = kind(selection=selection, max_nodes=20, **own)
    assert written.selector == made.selector == selection
    same_bits(solved(written), solved(made))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"selection": Orthogonal(), "block": 5}, "Orthogonal(block=...)"),
        ({"selection": Orthogonal(), "candidates": 5}, "Orthogonal(candidates=...)"),
        ({"selection": Orthogonal(), "dampings": (1,)}, "PISC3(dampings=...) goes with"),
        ({"selection": Local(), "ranges": (1,)}, "Local(ranges=...)"),
        ({"selection": Local(), "contractions": (0.5,)}, "Local(contractions=...)"),
        ({"selection": "best"}, "known are local, orthogonal"),
        ({"selection": Orthogonal}, "known are local, orthogonal"),
        ({"selection": None}, "known are local, orthogonal"),
        ({"selection": {"name": "Local"}}, "known are local, orthogonal"),
    ],
)
def test_a_loose_option_beside_an_object_is_refused(refused, options, words):
    refused(lambda: PISC3(**options), words)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Orthogonal(block=0), "Orthogonal(block=...)"),
        (lambda: Orthogonal(candidates=1.5), "Orthogonal(candidates=...)"),
        (lambda: Orthogonal(ranges=[]), "Orthogonal(ranges=...)"),
        (lambda: Local(dampings=(2.0,)), "Local(dampings=...)"),
        (lambda: Local(contractions=(0.0,)), "Local(contractions=...)"),
        (lambda: Local(candidates="many"), "Local(candidates=...)"),
    ],
)
def test_bad_options_of_a_rule(refused, make, words):
    refused(make, words)


@pytest.mark.parametrize("selection", [Orthogonal(block=4), Local(candidates=9)])
def test_a_method_with_an_object_is_saved_and_loaded(selection, tmp_path):
    for method in (
        PISC3(selection=selection, max_nodes=8),
        Windows(t, 2, method=PISC3(selection=selection, max_nodes=8)),
    ):
        solution = solved(method)
        solution.save(tmp_path / "a.npz")
        loaded = load(tmp_path / "a.npz")
        assert loaded.method == method
        assert repr(loaded) == repr(solution)


# --- a rule of the user's ---------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FirstCome(Selection):
    """Takes the first nodes that are drawn, whatever they are worth."""

    count: int = 4

    def begin(self, run):
        return _FirstCome(self, run)


class _FirstCome:
    def __init__(self, options, run):
        self._options, self._run, self.accepted_rounds = options, run, 0

    def propose(self, state, linearization, columns, nodes):
        run = self._run
        count = min(self._options.count, run.max_nodes - len(state.weights))
        drawn = run.draw(count, self._options.ranges[0], run.rng)
        weights = np.concatenate([state.weights, np.zeros((count, run.system.fields))])
        return Proposal(
            nodes=drawn,
            columns=run.system.evaluate(drawn),
            state=replace(state, weights=weights),
            range=1.0,
            damping=1.0,
        )

    def accepted(self):
        self.accepted_rounds += 1

    def rejected(self):
        return True


@pytest.mark.parametrize("kind", [PISC2, PISC3])
def test_a_rule_of_the_users_through_solve(kind):
    solution = solved(kind(selection=FirstCome(count=5), max_nodes=23, scale=3.0), tol=1e-6)
    assert solution.status is Status.CONVERGED
    assert solution.n_nodes <= 23
    places = np.linspace(0, 2, 30)
    np.testing.assert_allclose(solution(t=places), 1 / (1 + places), atol=1e-5)
    assert (np.diff(solution.history["residual"]) <= 0).all()
    same_bits(solution, solved(solution.method))


def test_a_rule_of_the_users_in_windows_and_in_a_file(tmp_path):
    each = PISC3(selection=FirstCome(count=5, ranges=(2,)), max_nodes=20, scale=3.0)
    solution = solved(Windows(t, 2, method=each))
    places = np.linspace(0, 2, 30)
    np.testing.assert_allclose(solution(t=places), 1 / (1 + places), atol=1e-4)
    solution.save(tmp_path / "a.npz")
    assert load(tmp_path / "a.npz").method == solution.method


@dataclass(frozen=True, kw_only=True)
class Larger(Orthogonal):
    """A rule of the library with another default."""

    block: int = 20


def test_a_rule_that_derives_from_another_is_saved_and_loaded(tmp_path):
    method = PISC3(selection=Larger(), max_nodes=20)
    solved(method).save(tmp_path / "a.npz")
    assert load(tmp_path / "a.npz").method == method


@dataclass(frozen=True, kw_only=True)
class Nothing(FirstCome):
    """Never has a node to propose."""

    def begin(self, run):
        return _Nothing(self, run)


class _Nothing(_FirstCome):
    def propose(self, state, linearization, columns, nodes):
        return None


def test_a_rule_that_has_nothing_to_propose_stalls():
    solution = solved(PISC3(selection=Nothing()))
    assert solution.status is Status.STALLED
    assert solution.n_nodes == 0
