"""The mathematical vocabulary: every function and constant that an equation may use.

Both the checker of SymPy expressions and the parser of text work from this one list, and
nothing outside it is ever compiled.
"""

import sympy

FUNCTIONS: dict[str, type] = {
    cls.__name__: cls
    for cls in (
        sympy.sin,
        sympy.cos,
        sympy.tan,
        sympy.cot,
        sympy.sec,
        sympy.csc,
        sympy.asin,
        sympy.acos,
        sympy.atan,
        sympy.atan2,
        sympy.sinh,
        sympy.cosh,
        sympy.tanh,
        sympy.coth,
        sympy.sech,
        sympy.csch,
        sympy.asinh,
        sympy.acosh,
        sympy.atanh,
        sympy.exp,
        sympy.log,
        sympy.Abs,
        sympy.sign,
        sympy.Heaviside,
        sympy.Max,
        sympy.Min,
        sympy.erf,
        sympy.erfc,
        sympy.besselj,
        sympy.bessely,
        sympy.besseli,
        sympy.besselk,
        sympy.floor,
        sympy.ceiling,
    )
}

CONSTANTS: dict[str, sympy.Expr] = {"pi": sympy.pi}
