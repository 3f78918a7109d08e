"""Problems with known answers, each with an exact or independent reference.

Knows how problems are written, and the settings of whoever published them. Must not know how they
are solved; `references` are solvers of their own.

>>> from piscm import zoo
>>> zoo.load("helmholtz").title
'Helmholtz equation on a square, manufactured source'
"""

from collections.abc import Callable

from piscm.problem.errors import ProblemError
from piscm.zoo import (
    advection,
    allen_cahn,
    burgers,
    cavity,
    cylinder,
    elasticity,
    heat,
    helmholtz,
    helmholtz_waves,
    kdv,
    kovasznay,
    kuramoto_sivashinsky,
    layers,
    lorenz,
    lotka_volterra,
    maxwell,
    poisson,
    reaction_diffusion,
    regions,
    robertson,
    runge_bump,
    scattering,
    schroedinger,
    shapes,
    sine_gordon,
    stiff_relaxation,
    van_der_pol,
    van_der_pol_stiff,
    wave,
)
from piscm.zoo.benchmark import Benchmark

_MAKERS: dict[str, Callable[[], Benchmark]] = {
    "van-der-pol": van_der_pol.forward,
    "helmholtz": helmholtz.forward,
    "allen-cahn": allen_cahn.forward,
    "burgers": burgers.forward,
    "sine-gordon": sine_gordon.forward,
    "reaction-diffusion": reaction_diffusion.forward,
    "kovasznay": kovasznay.forward,
    "driven-cavity": cavity.driven,
    "kdv": kdv.forward,
    "kuramoto-sivashinsky": kuramoto_sivashinsky.forward,
    "advection": advection.forward,
    "schroedinger": schroedinger.forward,
    "lorenz": lorenz.forward,
    "robertson": robertson.forward,
    "stiff-relaxation": stiff_relaxation.forward,
    "van-der-pol-stiff": van_der_pol_stiff.forward,
    "poisson-3d": poisson.three_dimensions,
    "poisson-5d": poisson.five_dimensions,
    "poisson-10d": poisson.ten_dimensions,
    "wave-2d": wave.forward,
    "maxwell-2d": maxwell.forward,
    "runge-bump": runge_bump.forward,
    "helmholtz-10-waves": helmholtz_waves.forward,
    "boundary-layer": layers.convection,
    "layers-at-both-ends": layers.reaction,
    "convection-diffusion-2d": layers.convection_2d,
    "layers-in-a-corner": layers.in_corner,
    "layers-at-all-sides": layers.at_all_sides,
    "poisson-disk": shapes.disk,
    "poisson-annulus": shapes.annulus,
    "poisson-star": shapes.star,
    "poisson-ball": shapes.ball,
    "poisson-bracket": shapes.bracket,
    "laplace-corner": shapes.corner,
    "poisson-l-shape": shapes.membrane,
    "laplace-four-holes": shapes.four_holes,
    "heat-plate": shapes.heat,
    "helmholtz-scattering": scattering.annulus,
    "plate-with-hole": elasticity.plate,
    "conduction-rod": regions.rod,
    "conduction-plane": regions.plane,
    "conduction-inclusion": regions.inclusion,
    "driven-cavity-400": cavity.faster,
    "cylinder-in-channel": cylinder.past,
    "van-der-pol-inverse": van_der_pol.inverse,
    "helmholtz-inverse": helmholtz.inverse,
    "lotka-volterra-inverse": lotka_volterra.inverse,
    "burgers-inverse": burgers.inverse,
    "heat-inverse": heat.inverse,
}


def names() -> list[str]:
    """The names accepted by `load`."""
    return list(_MAKERS)


def load(name: str) -> Benchmark:
    """The benchmark with a given name."""
    if name not in _MAKERS:
        raise ProblemError(f"There is no benchmark {name!r}; known: {', '.join(_MAKERS)}.")
    return _MAKERS[name]()
