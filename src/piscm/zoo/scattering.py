r"""A plane wave scattered by a disk: Helmholtz's equation in an annulus.

The wave :math:`e^{ikx}` together with what the disk scatters vanishes on the disk; the latter is

.. math:: -\sum_n \epsilon_n i^n \frac{J_n(ka)}{H_n(ka)} H_n(kr) \cos n\theta

with :math:`\epsilon_0 = 1` and :math:`\epsilon_n = 2` otherwise.
"""

import numpy as np
import sympy
from numpy.typing import ArrayLike, NDArray

from piscm.assemble.sampling import Sampling
from piscm.problem.conditions import Condition
from piscm.problem.normals import normal_derivative
from piscm.problem.polar_power import polar_power
from piscm.problem.problem import Problem
from piscm.problem.symbols import coordinates, field
from piscm.shapes.ball import Disk
from piscm.zoo.benchmark import Benchmark

x, y = coordinates("x y")
_WAVES, _INNER, _OUTER, _TERMS = 4.0, 1.0, 2.0, 24


def annulus() -> Benchmark:
    """Real and imaginary part; on the outer circle the impedance of the scattered wave is given."""
    p, q = field("p", x, y), field("q", x, y)
    domain = Disk({x: 0, y: 0}, _OUTER, name="outer") - Disk({x: 0, y: 0}, _INNER, name="disk")
    inner, outer = domain.boundary("disk"), domain.boundary("outer")
    data = _impedance()
    problem = Problem(
        domain,
        [part.diff(x, 2) + part.diff(y, 2) + _WAVES**2 * part for part in (p, q)],
        [
            Condition(p + sympy.cos(_WAVES * x), on=inner),
            Condition(q + sympy.sin(_WAVES * x), on=inner),
            Condition(normal_derivative(p) + _WAVES * q - data[0], on=outer),
            Condition(normal_derivative(q) - _WAVES * p - data[1], on=outer),
        ],
    )
    return Benchmark(
        name="helmholtz-scattering",
        title="A plane wave scattered by a disk, in an annulus",
        source="series of Hankel functions",
        problem=problem,
        reference=_reference,
        options={"max_nodes": 300, "scale": None, "selection": "orthogonal", "candidates": 100},
        sampling=Sampling(interior=1200, boundary=300),
        sections=("y", (0.0, 1.2)),
    )


def _factors() -> NDArray[np.complex128]:
    from scipy.special import hankel1, jv

    n = np.arange(_TERMS)
    at = _WAVES * _INNER
    return np.asarray(-np.where(n == 0, 1, 2) * 1j**n * jv(n, at) / hankel1(n, at))


def _impedance() -> tuple[sympy.Expr, sympy.Expr]:
    """``du/dr - i k u`` on the outer circle, real and imaginary part, as a sum of cosines."""
    from scipy.special import h1vp, hankel1

    n, at = np.arange(_TERMS), _WAVES * _OUTER
    numbers = _factors() * _WAVES * (h1vp(n, at) - 1j * hankel1(n, at))
    waves = [polar_power(x / _OUTER, y / _OUTER, sympy.Integer(int(own)), 0) for own in n]
    pairs = list(zip(numbers, waves, strict=True))
    return (
        sympy.Add(*(float(own.real) * wave for own, wave in pairs)),
        sympy.Add(*(float(own.imag) * wave for own, wave in pairs)),
    )


def _reference(x: ArrayLike, y: ArrayLike) -> dict[str, NDArray[np.float64]]:
    from scipy.special import hankel1

    a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
    r, theta = np.maximum(np.hypot(a, b), 0.5 * _INNER), np.arctan2(b, a)
    total = sum(
        factor * hankel1(n, _WAVES * r) * np.cos(n * theta) for n, factor in enumerate(_factors())
    )
    return {"p": np.real(total), "q": np.imag(total)}
