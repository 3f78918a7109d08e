"""The tones of a drum: eigenvalues of the Laplacian on a disk, with their modes."""

import numpy as np
from scipy.special import jn_zeros

from piscm import Condition, Disk, Problem, coordinates, eigenpairs, field, laplacian, unknown

x, y = coordinates("x y")
u, lam = field("u", x, y), unknown("lam")

# Every term holds the field, and the unknown is the eigenvalue: its first guess says near which
# value eigenvalues are sought. The lowest are those nearest to zero.
drum = Problem(
    domain=Disk({x: 0, y: 0}, radius=1),
    equations=[laplacian(u) + lam * u],
    conditions=[Condition(u, on="boundary")],
    unknowns={lam: 0.0},
)


def main() -> float:
    """The largest relative error of the first three eigenvalues, squares of zeros of Bessel's."""
    modes = eigenpairs(drum, 3, tol=1e-5)
    print(modes[0])
    exact = np.array([jn_zeros(0, 1)[0], jn_zeros(1, 1)[0], jn_zeros(1, 1)[0]]) ** 2
    found = np.array([mode.unknowns["lam"].value for mode in modes])
    for value, mode in zip(found, modes, strict=True):
        tone = np.sqrt(value / found[0])
        print(f"lam = {value:.9f}, tone {tone:.4f}, at the center {float(mode(0.0, 0.0)):+.4f}")
    return float(np.abs(found / exact - 1).max())


if __name__ == "__main__":
    print(f"largest relative error {main():.1e}")
