"""Python functions of arrays from SymPy expressions."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache, reduce
from typing import Any

import sympy
from sympy.printing.numpy import SciPyPrinter

from piscm.problem.errors import ProblemError, shortened
from piscm.problem.sampled import Samples


def function_of(
    arguments: Sequence[sympy.Symbol],
    expressions: Sequence[sympy.Expr],
    where: str,
    modules: Sequence[Any] = ("scipy", "numpy"),
) -> Callable[..., Any]:
    """Compile expressions; symbols are renamed first, so no name of the user's reaches the code.

    `modules` may contain, instead of names, mappings from NumPy and SciPy names to functions.
    """
    names = {symbol: _name(i) for i, symbol in enumerate(arguments)}
    plain = tuple(e.xreplace(names) for e in expressions)
    sampled = {own.code_name: own.evaluate for e in plain for own in e.atoms(Samples)}
    try:
        if sampled or not all(isinstance(own, str) for own in modules):
            return _compiled(len(names), plain, [sampled, *modules])
        return _compiled_once(len(names), plain, tuple(modules))
    except Exception as error:  # SymPy's printers fail in many ways; none should reach a user
        raise ProblemError(f"{where} cannot be compiled: {shortened(str(error))}") from error


@cache
def _name(index: int) -> sympy.Dummy:
    return sympy.Dummy(f"a{index}", real=True)


@lru_cache(maxsize=512)
def _compiled_once(
    count: int, plain: tuple[sympy.Expr, ...], modules: tuple[str, ...]
) -> Callable[..., Any]:
    """The same function for the same expressions: a worker gets an equation again and again."""
    return _compiled(count, plain, modules)


def _compiled(
    count: int, plain: Sequence[sympy.Expr], modules: Sequence[Any]
) -> Callable[..., Any]:
    printer = _Printer({"fully_qualified_modules": False, "allow_unknown_functions": False})
    return sympy.lambdify(  # type: ignore[no-any-return]  # SymPy has no type hints
        [_name(i) for i in range(count)],
        list(plain),
        modules=list(modules),
        printer=printer,
        cse=True,
    )


class _Printer(SciPyPrinter):  # type: ignore[misc]  # SymPy has no type hints
    """Prints small integer powers of a symbol as products: NumPy's power is many times slower.

    SymPy prints And, Or, Max and Min as reductions, which need arrays of one shape; here one
    argument may be (trials, points) and the next (points,), so they are combined pairwise.
    """

    def _print_Pow(self, power: sympy.Pow, **options: Any) -> str:
        base, exponent = power.as_base_exp()
        if base.is_Symbol and exponent.is_Integer and 1 < exponent <= 8:
            return "(" + "*".join([self._print(base)] * int(exponent)) + ")"
        text: str = super()._print_Pow(power, **options)
        return text

    def _pairwise(self, function: str, whole: sympy.Basic) -> str:
        name = self._module_format(f"numpy.{function}")
        texts = [str(self._print(argument)) for argument in whole.args]
        return reduce(lambda a, b: f"{name}({a}, {b})", texts)

    def _print_And(self, whole: sympy.Basic) -> str:
        return self._pairwise("logical_and", whole)

    def _print_Or(self, whole: sympy.Basic) -> str:
        return self._pairwise("logical_or", whole)

    def _print_Max(self, whole: sympy.Basic) -> str:
        return self._pairwise("maximum", whole)

    def _print_Min(self, whole: sympy.Basic) -> str:
        return self._pairwise("minimum", whole)
