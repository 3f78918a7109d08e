"""Damaged files of Auto and Windows are refused."""

import json

import numpy as np
import pytest
from builders import decay_of

import piscm
from piscm import PISC3, Auto, Sampling, Windows, coordinates, field, solve
from piscm.result.archive import write_archive

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
u = field("u", t)
DECAY = decay_of(u)
METHODS = {
    "windows": Windows(t, 3, method=PISC3(max_nodes=4, candidates=8, selection="orthogonal")),
    "auto": Auto(max_nodes=20),
}


@pytest.fixture(scope="module", params=METHODS)
def sound(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "sound.npz"
    solve(DECAY, METHODS[request.param], sampling=Sampling(20)).save(path)
    return path


@pytest.fixture
def forged(sound, tmp_path):
    """``forged(change)``: load a copy of the sound file after ``change(plain)``."""

    def load(change):
        with np.load(sound) as archive:
            arrays = {name: archive[name] for name in archive.files}
        plain = json.loads(arrays.pop("plain").tobytes())
        del plain["arrays"]
        change(plain)
        path = tmp_path / "forged.npz"
        write_archive(path, arrays, plain)
        return piscm.load(path)

    return load


def put(plain, path, value):
    for key in path[:-1]:
        plain = plain[key]
    if value is KeyError:
        del plain[path[-1]]
    else:
        plain[path[-1]] = value


def test_the_sound_file_is_sound(forged):
    solution = forged(lambda plain: None)
    assert np.isfinite(solution(t=[0.0, 1.0, 2.0])).all()
    assert "chosen:" in repr(solution)


GOOD = {"axis": 0, "edges": [0.5, 1.0], "counts": [4, 4, 4], "activations": ["sin"] * 3}


@pytest.mark.parametrize(
    "change",
    [
        {"axis": 1},
        {"axis": -1},
        {"axis": 0.0},
        {"axis": True},
        {"axis": None},
        {"edges": []},
        {"edges": [1.0, 0.5]},
        {"edges": [0.0, 1.0]},
        {"edges": [0.5, 2.0]},
        {"edges": [0.5, np.nan]},
        {"edges": [0.5, np.inf]},
        {"edges": ["a", "b"]},
        {"edges": None},
        {"edges": [0.5, 0.6, 0.7]},
        {"counts": [4, 4]},
        {"counts": [4, 4, 5]},
        {"counts": [13, -1, 0]},
        {"counts": [4.0, 4, 4]},
        {"counts": "444"},
        {"counts": None},
        {"activations": ["sin", "sin"]},
        {"activations": ["sin", "relu", "sin"]},
        {"activations": ["sin", 3, "sin"]},
        {"activations": "sin"},
        {"activations": None},
    ],
    ids=str,
)
def test_windows_that_do_not_fit(refused, forged, change):
    def damage(plain):
        plain["network"]["panels"] = {**GOOD, **change}

    refused(lambda: forged(damage), "forged.npz is damaged")


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (["network", "panels"], [3, "sin", [], {}, {"axis": 0}, KeyError]),
        (["network"], [None, 3, [], {}, {"kind": "Network"}, KeyError]),
        (["network", "kind"], [None, "DeepNetwork", "Model", 3, [], KeyError]),
        (["network", "activation"], [None, "relu", 3, [], KeyError]),
        (["error"], [3, "a", [], {}, {"relative": 1.0}, {"by_field": {}}, KeyError]),
        (["error", "relative"], [None, "a", [], 10**400, -1.0, KeyError]),
        (["error", "by_field"], [None, [], 3, {"u": "a"}, {"u": None}, {}, {"v": 1.0}, KeyError]),
        (["method", "name"], [None, "auto", "windows", 3]),
        (["method", "options"], [None, {"nodes": 3}, {"tolerance": "a"}]),
    ],
)
def test_damaged_entries(refused, forged, path, values):
    for value in values:
        refused(lambda value=value: forged(lambda plain: put(plain, path, value)), "damaged")


@pytest.mark.parametrize(
    "options",
    [
        {"coordinate": "x"},
        {"coordinate": None},
        {"count": 0},
        {"count": "many"},
        {"count": 1.5},
        {"method": None},
        {"method": {"name": "Windows", "options": {}}},
        {"method": {"name": "PISC9", "options": {}}},
        {"method": {"name": "PISC3", "options": {"max_nodes": 0}}},
        {"more": 1},
    ],
    ids=str,
)
def test_damaged_options_of_windows(refused, forged, options):
    each = {"name": "PISC3", "options": {}}
    good = {"coordinate": "t", "count": 3, "method": each}

    def damage(plain):
        plain["method"] = {"name": "Windows", "options": {**good, **options}}

    refused(lambda: forged(damage), "damaged")
