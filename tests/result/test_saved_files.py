"""A damaged or hostile file is refused; a sound one comes back exactly as it was."""

import hashlib
import json
import tracemalloc
import zipfile

import numpy as np
import pytest
import sympy

import piscm
from piscm import (
    PISC3,
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    ProblemError,
    Sampling,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.result.archive import write_archive
from piscm.result.saving import FORMAT

pytestmark = pytest.mark.usefixtures("at_once")

x = coordinates("x")
u = field("u", x)
k = unknown("k")
METHOD = PISC3(max_nodes=3, candidates=5)
SAMPLING = Sampling(interior=8, boundary=4)


def solved(equation, method=METHOD, sampling=SAMPLING, initial=None, **more):
    conditions = [Condition(u - 1, on={x: 0}), Periodic(u.diff(x), along=x)]
    data = [Observations(k * u, [0.25, 0.5], [1.0, 1.1])]
    problem = Problem(Box({x: (0, sympy.pi)}), [equation], conditions, {k: 0.5}, data)
    return solve(problem, method, sampling=sampling, initial=initial, **more)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A sound file."""
    path = tmp_path_factory.mktemp("saved") / "sound.npz"
    solved(u.diff(x) - k * u**2, initial={u: 1 + x / 3}).save(path)
    return path


def parts(path):
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    plain = json.loads(arrays.pop("plain").tobytes())
    del plain["arrays"]
    return arrays, plain


@pytest.fixture
def forged(sound, tmp_path):
    """``forged(change)``: load a copy of the sound file after ``change(arrays, plain)``."""

    def load(change):
        arrays, plain = parts(sound)
        change(arrays, plain)
        path = tmp_path / "forged.npz"
        write_archive(path, arrays, plain)
        return piscm.load(path)

    return load


def sealed(path):
    """Give a zip file the checksum that a sound one has."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = bytes(77)
    content = path.read_bytes()[:-77]
    path.write_bytes(content + b"piscm sha256 " + hashlib.sha256(content).hexdigest().encode())


def put(plain, path, value):
    """Change one entry of nested lists and dictionaries."""
    for key in path[:-1]:
        plain = plain[key]
    plain[path[-1]] = value


# --- damage -----------------------------------------------------------------------------------


def test_a_missing_file(tmp_path):
    for path in (tmp_path / "none.npz", tmp_path):
        with pytest.raises(FileNotFoundError, match=path.name):
            piscm.load(path)


def test_a_file_cut_short(refused, sound, tmp_path):
    whole, path = sound.read_bytes(), tmp_path / "cut.npz"
    for length in range(0, len(whole), 41):
        path.write_bytes(whole[:length])
        refused(lambda: piscm.load(path), "cut.npz")


def test_flipped_bits_are_found_or_do_no_harm(sound, tmp_path):
    whole, path = sound.read_bytes(), tmp_path / "flipped.npz"
    expected = piscm.load(sound)(x=[0.0, 0.5, 1.0])
    for position in np.random.default_rng(0).integers(8 * len(whole), size=150):
        damaged = bytearray(whole)
        damaged[position // 8] ^= 1 << (position % 8)
        path.write_bytes(damaged)
        try:
            loaded = piscm.load(path)
        except ProblemError as error:
            assert "flipped.npz" in str(error)  # noqa: PT017 - one or the other
        else:
            assert np.array_equal(loaded(x=[0.0, 0.5, 1.0]), expected)


def test_every_bit_counts(refused, sound, tmp_path):
    whole, path = sound.read_bytes(), tmp_path / "flipped.npz"
    for position in np.random.default_rng(1).integers(8 * len(whole), size=150):
        damaged = bytearray(whole)
        damaged[position // 8] ^= 1 << (position % 8)
        path.write_bytes(damaged)
        refused(lambda: piscm.load(path), "flipped.npz")


def zeros(count):
    """An array of zeros as NumPy writes it, whose header may claim another count."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00v\x00" + header.encode()


@pytest.mark.parametrize("name", ["surplus", "weights", "plain"])
def test_a_bomb_is_not_unpacked(refused, sound, tmp_path, name):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(sound) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if entry.filename != f"{name}.npy":
                new.writestr(entry.filename, old.read(entry))
        with new.open(f"{name}.npy", "w", force_zip64=True) as file:
            file.write(zeros(20 * 2**20))
            for _ in range(160):
                file.write(bytes(2**20))
    sealed(path)
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    refused(lambda: piscm.load(path), "bomb.npz")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**25


def test_a_bomb_that_names_its_size(refused, sound, tmp_path):
    arrays, plain = parts(sound)
    path = tmp_path / "bomb.npz"
    write_archive(path, {**arrays, "weights": np.zeros((2**24, 1))}, plain)
    refused(lambda: piscm.load(path), "would unpack to")


def test_arrays_that_nobody_asked_for(refused, forged):
    refused(lambda: forged(lambda arrays, _: arrays.update(more=np.zeros(3))), "'more'")


@pytest.mark.parametrize("path", [["block_residuals", 0, "name"], ["status"], ["seed"]])
def test_control_characters_do_not_reach_a_terminal(forged, path):
    with pytest.raises(ProblemError) as caught:
        forged(lambda _, plain: put(plain, path, "\x1b[2J\x07 cleared"))
    assert "\x1b" not in str(caught.value)
    assert "\x07" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\0" * 99, b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04."])
def test_a_file_of_something_else(refused, tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    refused(lambda: piscm.load(path), "other.npz is not a solution saved by piscm")


def test_an_archive_of_something_else(refused, tmp_path):
    path = tmp_path / "other.npz"
    for plain in (b"[]", b"{}", b"3", b"{", b"\xff", b"[" * 100_000, b'{"format": 1}'):
        np.savez(path, plain=np.frombuffer(plain, np.uint8))
        refused(lambda: piscm.load(path), "other.npz")
        sealed(path)
        refused(lambda: piscm.load(path), "other.npz")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("plain.npy", b"{}")
    sealed(path)
    refused(lambda: piscm.load(path), "other.npz")


def test_pickled_objects_are_never_unpacked(refused, sound, tmp_path):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was executed",))

    with np.load(sound) as archive:
        arrays = dict(archive)
    path = tmp_path / "trap.npz"
    for name in ("plain", "weights", "extra"):
        objects = {name: np.array([Trap()], dtype=object)}
        np.savez(path, allow_pickle=True, **{**arrays, **objects})
        sealed(path)
        refused(lambda: piscm.load(path), "trap.npz")


@pytest.mark.parametrize("name", ["node_weights", "node_biases", "weights", "unknowns", "history"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda array: array[:-1],
        lambda array: array[None],
        lambda array: np.zeros(0),
        lambda array: np.array(1.0),
        lambda array: np.zeros(array.shape, np.float32),
        lambda array: np.zeros(array.shape, complex),
        lambda array: np.full(array.shape, "a"),
        lambda array: np.full(array.shape, np.nan),
        lambda array: np.full(array.shape, np.inf),
        None,
    ],
)
def test_damaged_arrays(refused, forged, name, damage):
    def change(arrays, plain):
        array = arrays.pop(name)
        if damage is not None:
            arrays[name] = damage(array)

    refused(lambda: forged(change), "forged.npz is damaged")


@pytest.mark.parametrize(
    ("path", "values"),
    [
        (["format"], [0, FORMAT - 1, FORMAT + 1, str(FORMAT), None]),
        (["problem"], [None, [], {}, "u"]),
        (
            ["problem", "domain"],
            [None, {}, {"x": 1}, {"x": [1, 0]}, {"y": [0, 1]}, {"x y": [0, 1]}],
        ),
        (["problem", "fields"], [None, [], {"u": "x"}, {"u": ["y"]}, {"u": []}, {"sin": ["x"]}]),
        (["problem", "unknowns"], [None, {}, {"k": None}, {"k": "a"}, {"k": np.inf}, {"x": 1}]),
        (
            ["problem", "unknowns", "k"],
            [{}, {"guess": 9, "bounds": [0, 1]}, {"guess": 1, "bounds": 3}],
        ),
        (["problem", "equations"], [None, [], "u", [1], [["u"]]]),
        (["problem", "conditions", 0], [None, "u", {}, {"expression": "u"}, {"periodic": "u"}]),
        (["problem", "conditions", 0, "on"], [None, 0, "left", [], [{}], [{"y": 0}], [{"x": 9}]]),
        (["problem", "conditions", 0, "weight"], [None, 0, -1, np.nan, "a", []]),
        (["problem", "observations", 0, "values"], [None, [], [1], [1, None], ["a", "b"], {}]),
        (["problem", "observations", 0, "points"], [None, [], [[1]], [[9], [0]], [[0, 0], [0, 0]]]),
        (["initial"], [None, [], {"v": "1"}, {"u": 1}, {"u": "u"}, {"u": "k"}]),
        (["method"], [None, {}, {"name": "PISC9", "options": {}}, {"name": "PISC3"}]),
        (["method", "options"], [None, {"nodes": 3}, {"max_nodes": 0}, {"activation": "relu"}]),
        (["method", "options", "truncation"], [None, [], [1, 2]]),
        (["sampling"], [None, {"interior": 0}, {"rule": "x"}, {"points": 3}]),
        (["seed"], [None, "a", -1, 1.5, np.inf, np.nan]),
        (["status"], [None, "GOOD", 3]),
        (["residual"], [None, "a", [], 10**400]),
        (["seconds"], [None, "a", [], 10**400]),
        (["block_residuals"], [None, 3, [], [3], [{}]]),
        (["block_residuals", 0, "name"], [None, 3, []]),
        (["block_residuals", 0, "rows"], [None, "a", []]),
        (["block_residuals", 0, "fitted"], [None, "a", [], 10**400]),
    ],
)
def test_damaged_data(refused, forged, path, values):
    for value in values:
        refused(lambda value=value: forged(lambda _, plain: put(plain, path, value)), "damaged")


HOSTILE = [
    "__import__('os').system('touch piscm-was-here')",
    "().__class__.__bases__",
    "u.__class__",
    "u.diff.__globals__",
    "(lambda: u)()",
    "eval('u')",
    "getattr(u, 'func')",
    "u[0]",
    "u.subs(x, 0)",
    "[u for u in (1,)]",
    "f'{u}'",
    "u if x else 1",
    "undeclared * u",
    "1j * u",
    "u / 0",
    "1e400 * u",
    "9**9**9**9 * u",
    "10**1000 * u",
    "10.0**(10**9) * u",
    "exp(exp(exp(1e3))) * u",
    "sin(exp(1e6)) * u",
    "(" * 5000 + "u" + ")" * 5000,
    "-" * 50_000 + "u",
    "u + " * 25_000 + "u",
    "u" * 1_000_000,
    pytest.param("diff(exp(u*sin(x)/(1 + x**2)), x, 20)", marks=pytest.mark.slow),
    "Max(" + ", ".join(f"u + sin({i}*x)" for i in range(150)) + ")",
    "diff(u, (x, 2, 3))",
    "diff(u, (x, 2), 3)",
    "diff(u, (x, k))",
    "diff(u, k)",
    "diff(u**2, k)",
    "u*exp((x,))",
    "u*sign((1, 2))",
    "u*Heaviside(u, x < 1)",
    "u + Piecewise((u, x))",
    "u + Piecewise((x < 1, x < 2), (1, True))",
    "u\0",
    "",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:40])
def test_hostile_expressions(refused, forged, text):
    def change(_, plain):
        plain["problem"]["equations"].append(text)

    refused(lambda: forged(change), "forged.npz")


@pytest.mark.parametrize("text", ["__import__('os')", "x", "1/0", "9**9**9", "("])
def test_hostile_numbers(refused, forged, text):
    refused(
        lambda: forged(lambda _, plain: put(plain, ["problem", "domain", "x", 1], text)), "d.npz"
    )
