"""Flow past the zoo's cylinder by finite elements: ``python tests/zoo/elements.py`` stores it.

Quadratic velocities and linear pressures on quadrilaterals, curved at the cylinder; Newton's
method from slow flow. Forces are what the cylinder adds to the balance of momentum.
"""

from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.polynomial import chebyshev
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

from piscm.zoo.references import cylinder
from piscm.zoo.references.cylinder import CENTER, DEGREES, HEIGHT, LENGTH, RADIUS, local

VISCOSITY, FASTEST, STEPS, ENOUGH = 1e-3, 0.3, 12, 1e-10
FORCES = 2 / (0.2**2 * 2 * RADIUS)  # coefficients are forces over ρ U² D / 2, U being the mean


def mesh(rays, across, along):
    """Four blocks between the cylinder and a square, and one downstream."""
    import skfem

    points, cells = [], []

    def add(place, one, two):
        grid = [axis.ravel() for axis in np.meshgrid(one, two, indexing="ij")]
        first = sum(map(len, points))
        points.append(np.stack(place(*grid), axis=1))
        index = first + np.arange(len(one) * len(two)).reshape(len(one), len(two))
        corners = (index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:])
        cells.append(np.stack([corner.ravel() for corner in corners]))

    def around(side):
        def place(share, turned):
            far = HEIGHT * (turned + 1) / 2
            full, none = np.full_like(far, HEIGHT), np.zeros_like(far)
            ends = ((full, far), (HEIGHT - far, full), (none, HEIGHT - far), (far, none))
            ray = np.stack(ends[side]) - CENTER
            length = np.hypot(*ray)
            return CENTER + ray / length * (RADIUS + (length - RADIUS) * share)

        return place

    even, turned = np.linspace(0, 1, rays + 1), np.linspace(-1, 1, across + 1)
    for side in range(4):
        add(around(side), 0.35 * even + 0.65 * even**2, turned)
    even = np.linspace(0, 1, along + 1)
    downstream = HEIGHT + (LENGTH - HEIGHT) * (0.45 * even + 0.55 * even**2)
    add(lambda x, y: (x, y), downstream, HEIGHT * (turned + 1) / 2)
    everywhere = np.concatenate(points)
    _, first, same = np.unique(everywhere.round(9), axis=0, return_index=True, return_inverse=True)
    corners = everywhere[first].T.copy()
    return _curved(skfem.MeshQuad(corners, same.ravel()[np.concatenate(cells, axis=1)]))


def _curved(straight):
    """With the middles of sides, and half as much of cells, moved to the cylinder."""
    import skfem

    bent = skfem.MeshQuad2.from_mesh(straight)
    at, tree = bent.doflocs.copy(), cKDTree(bent.doflocs.T)
    on = np.abs(np.hypot(*(straight.p - CENTER)) - RADIUS) < 1e-9
    sides = np.flatnonzero(on[straight.facets].all(axis=0))
    middles = straight.p[:, straight.facets[:, sides]].mean(axis=1)
    ray = middles - CENTER
    moves = ray * (RADIUS / np.hypot(*ray) - 1)
    at[:, tree.query(middles.T)[1]] += moves
    cells = straight.p[:, straight.t[:, straight.f2t[0, sides]]].mean(axis=1)
    at[:, tree.query(cells.T)[1]] += moves / 2
    return skfem.MeshQuad2(at, bent.t)


def flow(rays, across, along):
    """Where fields are known, the values there, by field; and the coefficients of drag and lift."""
    import skfem
    from skfem.helpers import ddot, div, grad

    velocity = skfem.Basis(
        mesh(rays, across, along), skfem.ElementVector(skfem.ElementQuad2()), intorder=5
    )
    pressure = velocity.with_element(skfem.ElementQuad1())
    parts = [np.concatenate([own[k].ravel() for own in _dofs(velocity)]) for k in range(2)]

    carries = "j...,ij...,i..."
    viscous = skfem.BilinearForm(lambda u, v, w: VISCOSITY * ddot(grad(u), grad(v))).assemble(
        velocity
    )
    sources = skfem.BilinearForm(lambda u, q, w: -div(u) * q).assemble(velocity, pressure)
    inertia = skfem.LinearForm(lambda v, w: np.einsum(carries, w["old"], grad(w["old"]), v))
    moved = skfem.BilinearForm(
        lambda u, v, w: (
            np.einsum(carries, w["old"], grad(u), v) + np.einsum(carries, u, grad(w["old"]), v)
        )
    )

    (x, y), count = velocity.doflocs, velocity.N
    around = np.abs(np.hypot(x - CENTER, y - CENTER) - RADIUS) < 2e-6
    inlet = x < 1e-9
    held = around | inlet | (y < 1e-9) | (y > HEIGHT - 1e-9)
    free = np.setdiff1d(np.arange(count + pressure.N), np.flatnonzero(held))
    state = np.zeros(count + pressure.N)
    enters = parts[0][inlet[parts[0]]]
    state[enters] = 4 * FASTEST * y[enters] * (HEIGHT - y[enters]) / HEIGHT**2

    def momentum(slow):
        old = velocity.interpolate(state[:count])
        carried = 0 if slow else inertia.assemble(velocity, old=old)
        return viscous @ state[:count] + carried + sources.T @ state[count:]

    for step in range(STEPS):
        old = velocity.interpolate(state[:count])
        moves = viscous if step == 0 else viscous + moved.assemble(velocity, old=old)
        matrix = scipy.sparse.bmat([[moves, sources.T], [sources, None]], format="csc")
        missed = np.concatenate([momentum(step == 0), sources @ state[:count]])
        change = splu(matrix[free][:, free].tocsc()).solve(-missed[free])
        state[free] += change
        if np.abs(change).max() < ENOUGH:
            break
    pull = -FORCES * momentum(slow=False)
    known = {
        name: (velocity.doflocs[:, part], state[part])
        for name, part in zip("uv", parts, strict=True)
    }
    known["p"] = pressure.doflocs, state[count:]
    return known, [pull[part[around[part]]].sum() for part in parts]


def _dofs(basis):
    return basis.nodal_dofs, basis.facet_dofs, basis.interior_dofs


def polynomials(points, values):
    """The weights of polynomials on all blocks, one after the other."""
    at, found = local(*points), []
    for number, degrees in enumerate(DEGREES):
        own = at.block == number
        design = chebyshev.chebvander2d(at.along[own], at.across[own], degrees)
        found.append(np.linalg.lstsq(design, values[own], rcond=None)[0])
    return np.concatenate(found)


def main():
    known, forces = flow(40, 36, 100)
    print("drag {:.5f}, lift {:.6f}".format(*forces))
    weights = [polynomials(*known[name]) for name in cylinder.FIELDS]
    target = Path(cylinder.__file__).with_name("cylinder.npy")
    np.save(target, np.array(weights, dtype=np.float32))


if __name__ == "__main__":
    main()
