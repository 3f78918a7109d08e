r"""Powers in polar coordinates: what solutions look like near a corner, and outside of a hole.

:math:`r^a \cos(a\theta + b)` solves Laplace's equation, and so do its derivatives, which are
functions of the same kind: SymPy then finds that the Laplacian is zero, where it would not for the
same in sines and square roots.
"""

from typing import Any

import sympy

from piscm.problem.given import Named


class polar_power(Named):  # noqa: N801  (SymPy's style)
    """``polar_power(X, Y, a, b)`` is ``r**a * cos(a*theta + b)`` for ``X = r*cos(theta)``, ....

    The angle theta goes from -pi to pi, so for broken powers a the function jumps where X is
    negative and Y is 0.

    >>> from piscm import coordinates
    >>> x, y = coordinates("x y")
    >>> s = polar_power(x, y, sympy.Rational(2, 3), 0)
    >>> s.diff(x, 2) + s.diff(y, 2)
    0
    """

    nargs = 4

    @classmethod
    def eval(cls, x: Any, y: Any, power: Any, phase: Any) -> Any:
        if power.is_zero:
            return sympy.cos(phase)
        turns = phase / sympy.pi
        if turns.is_Rational and not 0 <= turns < 1:
            whole = sympy.floor(turns)
            return (-1) ** whole * cls(x, y, power, phase - whole * sympy.pi)
        return None

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        x, y, power, phase = self.args
        if argindex == 1:
            return power * polar_power(x, y, power - 1, phase)
        if argindex == 2:
            return power * polar_power(x, y, power - 1, phase + sympy.pi / 2)
        raise sympy.core.function.ArgumentIndexError(self, argindex)

    def _eval_is_real(self) -> bool:
        return True

    @property
    def written_out(self) -> sympy.Expr:
        """The same in roots, cosines and the angle."""
        x, y, power, phase = self.args
        return (x**2 + y**2) ** (power / 2) * sympy.cos(power * sympy.atan2(y, x) + phase)

    def _numpycode(self, printer: Any) -> str:
        return str(printer._print(self.written_out))

    _scipycode = _numpycode

    def _eval_evalf(self, prec: int) -> Any:
        return self.written_out._eval_evalf(prec)
