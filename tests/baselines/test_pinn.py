"""Networks trained by gradient descent, through `solve`."""

import json

import numpy as np
import pytest
import sympy

import piscm
from piscm import (
    Box,
    Condition,
    Observations,
    Periodic,
    Problem,
    Sampling,
    Status,
    coordinates,
    field,
    solve,
    unknown,
)
from piscm.baselines import PINN, PISCN
from piscm.baselines.jax_arrays import jax_for
from piscm.result.archive import write_archive

pytest.importorskip("jax")
pytestmark = pytest.mark.slow  # to load JAX and to compile

x, t = coordinates("x t")
u, v = field("u", x, t), field("v", t)
a = unknown("a", positive=True)
POINTS = Sampling(interior=60, boundary=10)
TINY = {"hidden": (6, 5), "epochs": 30}
PLACES = np.stack([np.linspace(0.02, 0.98, 12), 1 + np.sin(np.arange(12))], axis=1)

# Everything at once: two fields of different coordinates, an unknown, a periodic condition,
# data, a source of functions that JAX has not, and a kink in it.
MIXED = Problem(
    domain=Box({x: (0, 1), t: (0, 2)}),
    equations=[
        u.diff(t) - a * u.diff(x, 2) + u**3 * v - sympy.besselj(1, x) * sympy.Max(x, t / 2),
        v.diff(t, 2) + sympy.sin(v) * sympy.Piecewise((u.subs(x, x), x < 0.5), (1, True)),
    ],
    conditions=[
        Condition(u - sympy.cos(2 * sympy.pi * x), on={t: 0}, weight=3.0),
        Condition(v - 1, on={t: 0}),
        Periodic(u, along=x),
        Periodic(u.diff(x), along=x),
    ],
    unknowns={a: (0.5, 0.1, 0.8)},
    observations=[Observations(u + v, PLACES, np.cos(PLACES[:, 0]))],
)
WEIGHTS = {"conditions": 10.0, "observations": 2.0}


@pytest.fixture(scope="module")
def mixed():
    method = PINN(**TINY, polish=5, normalize=True, stretch=(2.0, 1.0), precision="float64")
    return solve(MIXED, method, sampling=POINTS, weights=WEIGHTS, initial={u: x * (1 - x)}, seed=3)


def test_training_lowers_the_loss(mixed):
    assert mixed.status is Status.TRAINED
    assert mixed.history.residual[-1] < 0.7 * mixed.history.residual[0]
    assert len(mixed.history) == 35
    assert mixed.n_nodes == 11


def test_the_loss_is_the_weighted_residual(mixed):
    # The last step of L-BFGS is where it ends: JAX's loss there, and NumPy's evaluation of it.
    assert mixed.residual == pytest.approx(mixed.history.residual[-1], rel=1e-10)
    total = 0.0
    for block, own in zip(mixed.blocks, mixed.block_residuals, strict=True):
        rows = {"equations": 60, "conditions": 40, "observations": 12}[block.kind]
        weight = WEIGHTS.get(block.kind, 1.0) * block.weight
        total += weight * own.rows * own.fitted**2 / rows
    assert mixed.residual == pytest.approx(np.sqrt(total), rel=1e-12)


def test_unknowns_are_trained_within_their_bounds(mixed):
    assert mixed.unknowns["a"].value != 0.5
    assert 0.1 <= mixed.unknowns["a"].value <= 0.8
    assert np.isnan(mixed.unknowns["a"].stderr)


def test_a_field_sees_its_own_coordinates_only(mixed):
    values = mixed(v, x=[0.0, 0.3, 1.0], t=0.7)
    assert np.ptp(values) == 0.0
    assert mixed(u.diff(x), x=0.3, t=0.7) != 0.0


def test_save_and_load(mixed, tmp_path):
    mixed.save(tmp_path / "pinn.npz")
    loaded = piscm.load(tmp_path / "pinn.npz")
    at = {"x": np.linspace(0, 1, 5), "t": 0.4}
    for expression in (u, v, u.diff(x, 2, t), a * u):
        np.testing.assert_array_equal(loaded(expression, **at), mixed(expression, **at))
    assert loaded.method == mixed.method
    assert repr(loaded) == repr(mixed)
    np.testing.assert_array_equal(loaded.residual(PLACES), mixed.residual(PLACES))


def test_damaged_layers_are_told(mixed, tmp_path):
    path = tmp_path / "pinn.npz"
    mixed.save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    plain = json.loads(arrays.pop("plain").tobytes())
    del plain["arrays"]
    arrays["layer1_weights"] = arrays["layer1_weights"][:-1]
    write_archive(path, arrays, plain)
    with pytest.raises(piscm.ProblemError, match="layer1_weights"):
        piscm.load(path)


def test_no_estimate_of_the_error(mixed):
    with pytest.raises(piscm.ProblemError, match="no estimate of the error for PINN"):
        _ = mixed.error_estimate


OSCILLATOR = Problem(
    domain=Box({t: (0, 2)}),
    equations=[v.diff(t, 2) + v],
    conditions=[Condition(v - 1, on={t: 0}), Condition(v.diff(t), on={t: 0})],
)


def test_same_seed_same_bits_and_interrupted_it_keeps_what_it_has():
    def stop(step, residual):
        if step >= 50:
            raise KeyboardInterrupt

    sampling = Sampling(interior=40)
    long, short = PINN(hidden=(4, 4), epochs=1000), PINN(hidden=(4, 4), epochs=50)
    one = solve(OSCILLATOR, long, sampling=sampling, seed=1, progress=stop)
    two = solve(OSCILLATOR, short, sampling=sampling, seed=1)
    assert one.status is Status.INTERRUPTED
    assert two.status is Status.TRAINED
    np.testing.assert_array_equal(one.history.residual, two.history.residual)
    at = np.linspace(0, 2, 9)
    np.testing.assert_array_equal(one(t=at), two(t=at))


def test_it_solves_and_leaves_the_users_precision_as_it_is():
    import jax

    before = jax.numpy.ones(1).dtype
    method = PINN(hidden=(10, 10), epochs=200, schedule="cosine", polish=100)
    solution = solve(OSCILLATOR, method, sampling=Sampling(interior=40), seed=0)
    at = np.linspace(0, 2, 20)
    assert np.abs(solution(t=at) - np.cos(at)).max() < 1e-2
    assert np.abs(solution(v.diff(t), t=at) + np.sin(at)).max() < 3e-2
    assert jax.numpy.ones(1).dtype == before


def test_fast_waves():
    import jax

    arrays = jax_for("This test").arrays
    z = np.random.default_rng(0).uniform(-300, 300, 1000)
    with jax.enable_x64(True):
        np.testing.assert_allclose(arrays.sin(z), np.sin(z), rtol=0, atol=3e-16)
        np.testing.assert_allclose(arrays.cos(z), np.cos(z), rtol=0, atol=3e-16)
        slope = jax.vmap(jax.grad(jax.grad(arrays.cos)))(z)
        np.testing.assert_allclose(slope, -np.cos(z), rtol=0, atol=3e-16)


def test_overflow_is_told():
    steep = Problem(
        domain=Box({t: (0, 1)}),
        equations=[v.diff(t) - sympy.exp(50 * v)],
        conditions=[Condition(v - 1, on={t: 0})],
    )
    method = PINN(hidden=(4,), epochs=500, learning_rate=10.0, precision="float64")
    solution = solve(steep, method, sampling=Sampling(interior=20))
    assert solution.status is Status.NOT_FINITE
    assert np.isfinite(solution(t=0.5))


def test_configuration_network_fits_its_labels_and_is_trained():
    times = np.linspace(0, 2, 15)
    problem = OSCILLATOR.with_observations([Observations(v, times, np.cos(times))])
    sampling = Sampling(interior=40)
    still = PISCN(max_nodes=10, scale=2.0, epochs=1, learning_rate=1e-12)
    labeled = solve(problem, still, sampling=sampling)
    assert labeled.block_residuals[-1].fitted < 1e-3  # ten nodes by least squares
    rough = solve(problem, PISCN(max_nodes=4, scale=8.0, epochs=100), sampling=sampling)
    assert rough.n_nodes == 4
    assert rough.residual < 0.8 * rough.history.residual[0]
