"""JAX, imported when first needed, with a fast sine and cosine."""

import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

# A quarter turn in parts of twelve bits, whose products with small integers are exact in single
# precision too, and the remainder.
_QUARTER = (1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.563344151594519e-12)
_TERMS = 9
# XLA's own flags for threads have no effect on matrix products; the size of its pool does.
_THREADS = "NPROC"


@dataclass(frozen=True)
class Jax:
    """The modules of the optional extra."""

    jax: Any
    optax: Any

    @cached_property
    def arrays(self) -> Any:
        """The functions of jax.numpy, with faster waves."""
        xp = self.jax.numpy
        sin, cos = self._waves()
        return SimpleNamespace(**{**vars(xp), "sin": sin, "cos": cos})

    @property
    def names(self) -> Mapping[str, Any]:
        """Functions by their names in NumPy and SciPy."""
        from jax.scipy import special

        return {**vars(special), **vars(self.jax.numpy)}

    def _waves(self) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
        """Sine and cosine: on a CPU, XLA's own take ten times as long as its tanh."""
        xp = self.jax.numpy

        def wave(z: Any, ahead: int) -> Any:
            turns = xp.round(z * (2 / math.pi))
            rest = z
            for part in _QUARTER:
                rest = rest - turns * part
            square = rest * rest
            sine = rest * _series(square, 1)
            cosine = _series(square, 0)
            quarter = (turns.astype("int32") + ahead) & 3
            value = xp.where(quarter & 1, cosine, sine)
            return xp.where(quarter & 2, -value, value)

        sin = self.jax.custom_jvp(lambda z: wave(z, 0))
        cos = self.jax.custom_jvp(lambda z: wave(z, 1))
        sin.defjvps(lambda dz, value, z: cos(z) * dz)
        cos.defjvps(lambda dz, value, z: -sin(z) * dz)
        return sin, cos


def _series(square: Any, first: int) -> Any:
    """The Taylor series of the cosine, or of the sine over its argument."""
    total = 0.0
    for k in reversed(range(_TERMS)):
        total = total * square + (-1) ** k / math.factorial(2 * k + first)
    return total


def jax_for(method: str) -> Jax:
    """JAX and optax, for the method with this name.

    JAX is limited to one thread, like BLAS in `solve`: at these sizes more threads gain little, and
    results must not depend on their number. If the user has already imported JAX, it is left alone.
    """
    first = "jax" not in sys.modules
    try:
        import jax
        import optax
    except ImportError:
        raise ImportError(f"{method} needs JAX and optax: pip install 'piscm[baselines]'") from None
    if first and _THREADS not in os.environ:
        os.environ[_THREADS] = "1"
        try:
            jax.devices()  # reads it, once per process
        finally:
            del os.environ[_THREADS]
    return Jax(jax, optax)
