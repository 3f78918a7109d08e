"""Sobol points, scrambled or not: those of `scipy.stats.qmc.Sobol`, to the last bit.

SciPy's are the reference and take over in many dimensions. But importing `scipy.stats` takes half
of the time of an easy problem, and little else here needs it; a test compares every dimension.

Each coordinate of the n-th point is the exclusive or of *direction numbers*, those at the bits of
the Gray code of n. Scrambling multiplies the bits of the direction numbers by a random triangular
matrix and shifts all points by random bits.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Words = NDArray[np.uint32]

_BITS = 30
# Primitive polynomials over two elements, their coefficients as bits, and the odd numbers with
# which the recurrence of each begins: those of Joe and Kuo (SIAM J. Sci. Comput. 30, 2008).
_POLYNOMIALS = (1, 3, 7, 11, 13, 19, 25, 37, 41, 47, 55, 59)
_FIRST = (
    *((1,), (1,), (1, 3), (1, 3, 1), (1, 1, 1), (1, 1, 3, 3), (1, 3, 5, 13), (1, 1, 5, 5, 17)),
    *((1, 1, 5, 5, 5), (1, 1, 7, 11, 19), (1, 1, 5, 1, 1), (1, 1, 1, 3, 11)),
)


def sobol_points(count: int, dimension: int, rng: np.random.Generator | None = None) -> Floats:
    """The first points of a sequence in the unit cube, shape (count, dimension).

    Scrambled by a generator; the plain sequence without one.
    """
    if dimension > len(_FIRST):
        return _by_scipy(count, dimension, rng)
    directions = np.array([_directions(axis) for axis in range(dimension)])
    points = np.zeros((1, dimension), dtype=np.uint32)
    if rng is not None:
        rng = rng.spawn(1)[0]
        drawn = rng.integers(2, size=(dimension, _BITS), dtype=np.uint32)
        points = (drawn @ (2 ** np.arange(_BITS, dtype=np.uint32)))[None]
        directions = _scrambled(directions, rng)
    # The Gray codes of a second half are those of the first one backward, with one bit more.
    for bit in range(_exponent(count)):
        points = np.concatenate([points, points[::-1] ^ directions[:, bit]])
    return np.asarray(points[:count] * (1.0 / 2**_BITS))


def _exponent(count: int) -> int:
    """That of the least power of two that is not smaller."""
    return max(0, int(count - 1).bit_length())


def _directions(axis: int) -> Words:
    """The direction numbers of one coordinate, as fractions of 2**30."""
    if axis == 0:
        numbers = [1] * _BITS
    else:
        polynomial, numbers = _POLYNOMIALS[axis], list(_FIRST[axis])
        degree = polynomial.bit_length() - 1
        for place in range(degree, _BITS):
            new = numbers[place - degree]
            for step in range(1, degree + 1):
                if polynomial >> (degree - step) & 1:
                    new ^= numbers[place - step] << step
            numbers.append(new)
    shifts = range(_BITS - 1, -1, -1)
    return np.array([n << s for n, s in zip(numbers, shifts, strict=True)], dtype=np.uint32)


def _scrambled(directions: Words, rng: np.random.Generator) -> Words:
    """Direction numbers whose bits went through random lower triangular matrices."""
    shape = (len(directions), _BITS, _BITS)
    matrices = np.tril(rng.integers(2, size=shape, dtype=np.uint32))
    matrices[:, range(_BITS), range(_BITS)] = 1
    high_first = np.arange(_BITS - 1, -1, -1, dtype=np.uint32)
    bits = directions[:, :, None] >> high_first & 1
    mixed = (bits.astype(float) @ matrices.transpose(0, 2, 1)).astype(np.uint32) & 1
    return np.asarray(mixed @ (2**high_first), dtype=np.uint32)


def _by_scipy(count: int, dimension: int, rng: np.random.Generator | None) -> Floats:
    from scipy.stats import qmc

    sequence = qmc.Sobol(dimension, scramble=rng is not None, rng=rng)
    return np.asarray(sequence.random_base2(_exponent(count))[:count], dtype=float)
