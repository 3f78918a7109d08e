r"""The flow in a square cavity under a moving lid, by Chebyshev polynomials.

At the two corners of the lid the velocity jumps. What is singular there is known and taken out:
Taylor's flow of slow fluids :math:`r f(\theta)`, in which inertia is nothing, and what inertia
adds, Re :math:`r^2 F(\theta)` with :math:`F'''' + 4F'' = -(f (f + f''))'`. The rest is a polynomial
fitted by Newton's method; rows near the corners weigh as their distance cubed.

Extremes on the center lines for Re = 100 are within 1e-4 of those by O. Botella and R. Peyret:
Benchmark spectral results on the lid-driven cavity flow (1998). Re = 400 takes twice the degree and
minutes: its polynomial is kept in a file, which ``python -m piscm.zoo.references.cavity`` writes.
With the degree 40 instead of 48 the stream function differs by 1.3e-4.
"""

from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.polynomial import Polynomial, chebyshev
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

# Of Taylor's flow f = B sin + angle (C cos + D sin), which has the speed 1 on the lid.
C = 1 / (1 - np.pi**2 / 4)
B, D = -C * np.pi**2 / 4, C * np.pi / 2
_DEGREE, _CONDITIONS = 26, 1e3
_STEPS, _ENOUGH = 8, 1e-9
# Reynolds numbers on the way, each begun at the one before.
_LADDER = (20.0, 60.0)
_STORED = {400.0: "cavity_400.npy"}
_FAR_LADDER, _FAR_DEGREES = (60.0, 140.0, 200.0, 260.0, 310.0, 355.0), (36, 48)


class Flow(NamedTuple):
    """Of a flow, or of many, the last axis then: what the equation and its conditions need."""

    stream: Floats
    along: Floats  # the velocity along x, and up
    up: Floats
    curl_x: Floats  # the derivatives of the Laplacian of the stream function
    curl_y: Floats
    twice: Floats  # the Laplacian of the Laplacian

    def of(self, weights: Floats) -> "Flow":
        return Flow(*(part @ weights for part in self))

    def beside(self, other: "Flow") -> "Flow":
        return Flow(*(np.concatenate(pair, axis=1) for pair in zip(self, other, strict=True)))

    def plus(self, other: "Flow") -> "Flow":
        return Flow(*(one + two for one, two in zip(self, other, strict=True)))


@lru_cache
def cavity(reynolds: float) -> "Cavity":
    """The flow at a Reynolds number."""
    if reynolds in _STORED:
        with files(__package__).joinpath(_STORED[reynolds]).open("rb") as file:
            return Cavity(reynolds, np.load(file))
    return _climbed(reynolds, _LADDER, _DEGREE)


def _climbed(reynolds: float, ladder: tuple[float, ...], degree: int) -> "Cavity":
    """From a fluid at rest over smaller Reynolds numbers."""
    found = Cavity(0.0, np.zeros((degree + 1) ** 2))
    for own in (*(step for step in ladder if step < reynolds), reynolds):
        found = Cavity(own, found.weights).solved()
    return found


class Cavity:
    """The flow at a Reynolds number by the weights of polynomials, found or to begin with."""

    def __init__(self, reynolds: float, weights: Floats) -> None:
        self.reynolds, self.weights = reynolds, weights
        self._degree = round(np.sqrt(weights.size)) - 1

    def rest(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """The stream function without Taylor's flows."""
        a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        inertia = _inertia(a.ravel(), b.ravel())
        smooth = _polynomials(a.ravel(), b.ravel(), self._degree).of(self.weights)
        return np.asarray(smooth.stream + self.reynolds * inertia.stream).reshape(a.shape)

    def velocity(self, x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        """Along x and up, at points inside."""
        a, b = np.broadcast_arrays(np.asarray(x, dtype=float), np.asarray(y, dtype=float))
        flow = self.flow(a.ravel(), b.ravel())
        return flow.along.reshape(a.shape), flow.up.reshape(a.shape)

    def flow(self, x: Floats, y: Floats) -> Flow:
        """All of the flow at points inside."""
        return self._known(x, y).plus(_polynomials(x, y, self._degree).of(self.weights))

    def _known(self, x: Floats, y: Floats) -> Flow:
        inertia = Flow(*(self.reynolds * part for part in _inertia(x, y)))
        return _taylor(x, y).plus(inertia)

    def solved(self) -> "Cavity":
        """The flow that the weights are near to."""
        at = (1 - np.cos(np.pi * (np.arange(self._degree) + 0.5) / self._degree)) / 2
        x, y = (own.ravel() for own in np.meshgrid(at, at, indexing="ij"))
        nodes, known = _polynomials(x, y, self._degree), self._known(x, y)
        near = ((x**2 + (1 - y) ** 2) * ((1 - x) ** 2 + (1 - y) ** 2)) ** 1.5
        rows, values = self._conditions()
        weights = self.weights
        for _ in range(_STEPS):
            flow = known.plus(nodes.of(weights))
            missed = flow.twice - self.reynolds * (flow.along * flow.curl_x + flow.up * flow.curl_y)
            moves = nodes.twice - self.reynolds * (
                flow.along[:, None] * nodes.curl_x
                + flow.up[:, None] * nodes.curl_y
                + flow.curl_x[:, None] * nodes.along
                + flow.curl_y[:, None] * nodes.up
            )
            design = np.concatenate([near[:, None] * moves, rows])
            sizes = np.linalg.norm(design, axis=0)
            q, r = np.linalg.qr(design / sizes)
            step = np.linalg.solve(
                r, q.T @ np.concatenate([-near * missed, values - rows @ weights])
            )
            weights = weights + step / sizes
            if np.abs(nodes.along @ (step / sizes)).max() < _ENOUGH:
                break
        return Cavity(self.reynolds, weights)

    def _conditions(self) -> tuple[Floats, Floats]:
        """No flow through the sides, and none along them but for the lid, which has the speed 1."""
        count = 2 * self._degree
        at = (1 - np.cos(np.pi * (np.arange(count) + 0.5) / count)) / 2
        rows, values = [], []
        for end in (0.0, 1.0):
            still = np.full(count, end)
            for x, y, along, speed in ((still, at, "up", 0.0), (at, still, "along", end)):
                nodes, known = _polynomials(x, y, self._degree), self._known(x, y)
                rows += [nodes.stream, getattr(nodes, along)]
                values += [-known.stream, speed - getattr(known, along)]
        return _CONDITIONS * np.concatenate(rows), _CONDITIONS * np.concatenate(values)


def _polynomials(x: Floats, y: Floats, degree: int) -> Flow:
    """Products of Chebyshev polynomials, one for each column."""
    a, b = _derivatives(x, degree), _derivatives(y, degree)

    def part(over: int, up: int) -> Floats:
        return np.asarray((a[over][:, :, None] * b[up][:, None, :]).reshape(len(x), -1))

    return Flow(
        part(0, 0),
        part(0, 1),
        -part(1, 0),
        part(3, 0) + part(1, 2),
        part(2, 1) + part(0, 3),
        part(4, 0) + 2 * part(2, 2) + part(0, 4),
    )


def _derivatives(at: Floats, degree: int) -> list[Floats]:
    """Chebyshev polynomials on [0, 1] and their derivatives to the fourth."""
    weights: Floats = np.eye(degree + 1)
    found: list[Floats] = []
    for order in range(5):
        found.append(np.asarray(2.0**order * chebyshev.chebval(2 * at - 1, weights).T, float))
        weights = np.asarray(chebyshev.chebder(weights, axis=0), float)
    return found


def _taylor(x: Floats, y: Floats) -> Flow:
    """Taylor's flows from both corners of the lid."""

    def one(a: Floats, b: Floats) -> Flow:
        angle, square = np.arctan2(b, a), a**2 + b**2
        wide = C * a + D * b
        curl = 2 * (D * a - C * b) / square
        return Flow(
            B * b + angle * wide,
            B + a / square * wide + angle * D,
            b / square * wide - angle * C,
            2 * D / square - 2 * a * curl / square,
            -2 * C / square - 2 * b * curl / square,
            np.zeros_like(a),
        )

    left, right = one(x, 1 - y), one(1 - x, 1 - y)
    signs = ((-1, -1), (1, 1), (-1, 1), (-1, 1), (1, 1), (0, 0))
    return Flow(*(p * m + q * n for m, n, (p, q) in zip(left, right, signs, strict=True)))


def _inertia(x: Floats, y: Floats) -> Flow:
    """What inertia adds at both corners, for Re = 1."""

    def one(a: Floats, b: Floats) -> Flow:
        angle, square = np.arctan2(b, a), np.maximum(a**2 + b**2, 1e-300)
        f0, f1, f2, f3, f4 = _of_angle(angle)
        turn = (4 * f1 + f3) / square
        return Flow(
            square * f0,
            a * f1 + 2 * b * f0,
            b * f1 - 2 * a * f0,
            -b * turn,
            a * turn,
            (f4 + 4 * f2) / square,
        )

    left, right = one(x, 1 - y), one(1 - x, 1 - y)
    signs = ((-1, 1), (1, -1), (-1, -1), (-1, -1), (1, -1), (-1, 1))
    return Flow(*(p * m + q * n for m, n, (p, q) in zip(left, right, signs, strict=True)))


def _of_angle(angle: Floats) -> list[Floats]:
    """F and its derivatives to the fourth: the real part of a polynomial times exp(2i angle)."""
    mixed = (D**2 - C**2) / 2
    a2, a3 = C * D / 8, mixed / 8
    a0, a1 = (20 * a3 - mixed + B * C) / 8, (D - 20 * a2) / 8
    # The rest makes F and its slope zero on both sides.
    h1 = (np.pi * (a1 + a2) + np.pi**2 * a3 / 2) / 2
    h0 = (a0 * np.pi / 2 + a2 * np.pi**2 / 4 - h1 * np.pi / 2) / 2
    h3 = -(a0 + h1) / 2
    turning = Polynomial([-h0 - 1j * h3, a0 - 1j * a1, a2 - 1j * a3])
    plain = Polynomial([h0, h1])
    found = []
    for _ in range(5):
        found.append(np.real(turning(angle) * np.exp(2j * angle)) + plain(angle))
        turning, plain = turning.deriv() + 2j * turning, plain.deriv()
    return found


def _write() -> None:
    """Compute what is kept in files."""
    coarse, fine = _FAR_DEGREES
    for reynolds, name in _STORED.items():
        known = _climbed(reynolds, _FAR_LADDER, coarse).weights.reshape(coarse + 1, -1)
        start = np.pad(known, (0, fine - coarse)).ravel()
        np.save(Path(__file__).with_name(name), Cavity(reynolds, start).solved().weights)


if __name__ == "__main__":
    _write()
