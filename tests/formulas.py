"""Texts of formulas from a seeded grammar: ordinary ones, hostile ones, and ones with typos."""

from functools import partial

FUNCTIONS = [
    "sin",
    "cos",
    "tan",
    "cot",
    "sec",
    "csc",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "coth",
    "sech",
    "csch",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "log",
    "Abs",
    "sign",
    "Heaviside",
    "erf",
    "erfc",
    "floor",
    "ceiling",
    "sqrt",
    "abs",
    "ln",
]
KINKS = ["Max", "Min", "Abs", "sign", "floor", "ceiling", "Heaviside", "exp", "log", "sqrt"]
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "10",
    "0.5",
    "1e-3",
    "2.5",
    "1e10",
    "1e300",
    "1e-300",
    "10**10",
    "10**99",
    "10**7",
    "1/3",
    "22/7",
    "99999999999",
    "pi",
    "EulerGamma",
    "GoldenRatio",
    "Catalan",
    "0.1",
    "-1",
    "-3",
    "1e400",
    "0.0",
    "1e100",
    "12345678901234567890123",
    "5e-324",
    "3**100",
    "1/10**30",
    "2**64",
    "1000003",
]
EXPONENTS = [
    "2",
    "3",
    "-1",
    "-2",
    "1/2",
    "1/3",
    "0.5",
    "10**7",
    "10**99",
    "-10**9",
    "100",
    "1000",
    "x",
    "5/7",
    "1e9",
    "1/10**9",
]
NAMES = ["x", "t", "u", "v", "mu", "lambda", "k"]
ORDERS = ["x", "t", "x, 2", "t, 3", "x, 20", "x, t", "(x, 2), t", "x, 1000", "mu", "x, 6"]
RADICALS = ["sqrt(2)+1", "sqrt(3)-1", "5+2*sqrt(6)", "sqrt(sqrt(5)+2)", "10**9+7", "2", "3", "6"]
LETTERS = "()+-*/^=<>,.0123456789xtuvexp&|~ \t'\"[]{}:@_#\\\0\x1b"


def hostile(mark):
    """Texts that would leave a mark, a file of this name, if they were evaluated; and nonsense."""
    return [
        f"__import__('os').system('touch {mark}')",
        f"open('{mark}', 'w')",
        f'exec(\'open("{mark}", "w")\')',
        f"[open('{mark}', 'w') for x in (1,)][0]",
        f"(lambda: open('{mark}', 'w'))()",
        f"u.__class__.__init__.__globals__['__builtins__']['open']('{mark}', 'w')",
        f'f\'{{open("{mark}", "w")}}\'',
        *("().__class__", "u.diff.__globals__", "[x]", "{x}", "x if t else u", "u[0]", "x.y"),
        *("'a'", "x := 1", "*x", "x, t", "...", "None", "1j", "not x", "x and t", "x in t"),
        *("x@t", "x//t", "x%t", "x<<2", "w", "True", "x == t", "u(x)", "u(x, t)", "u(0, t)"),
        *("\0", "\u202e", "\x1b[2J", "$", "#", "\n", "\\", "1if x else 2", "0x1F", "1_0"),
    ]


class Formulas:
    """Draws texts from a `random.Random`; evaluated, some would make the file `mark`."""

    def __init__(self, draw, mark):
        self.draw, self.hostile = draw, hostile(mark)
        self.chance, self.one = draw.random, draw.choice

    def text(self):
        """One text."""
        kinds = (self.formula, self.constant, self.tower, self.radicals, self.chain, self.typo)
        (kind,) = self.draw.choices(kinds, (50, 10, 12, 6, 2, 20))
        return ("u = " if self.chance() < 0.1 else "") + kind()

    def formula(self, depth=None, constant=False):
        """An expression of symbols and numbers, or of numbers alone."""
        depth = self.one((1, 1, 2, 2, 2, 3)) if depth is None else depth
        if depth == 0 or self.chance() < 0.12:
            return self.leaf(constant)
        inner = partial(self.formula, depth - 1, constant)
        rules = (self.sum, self.ratio, self.power, self.call, self.kink, self.pieces, self.slope)
        (rule,) = self.draw.choices(rules, (25, 25, 14, 18, 9, 4, 2))
        return rule(inner)

    def leaf(self, constant):
        if constant or self.chance() < 0.35:
            return self.one(NUMBERS)
        return self.one(self.hostile) if self.chance() < 0.01 else self.one(NAMES)

    def sum(self, inner):
        return f"({inner()} {self.one('+-')} {inner()})"

    def ratio(self, inner):
        return f"({inner()}){self.one('**/')[0]}({inner()})"

    def power(self, inner):
        exponent = self.one(EXPONENTS) if self.chance() < 0.6 else inner()
        return f"({inner()}){self.one(('**', '^'))}({exponent})"

    def call(self, inner):
        if self.chance() < 0.2:
            two = self.one(("besselj", "bessely", "besseli", "besselk", "atan2"))
            return f"{two}({inner()}, {inner()})"
        return f"{self.one(FUNCTIONS)}({inner()})"

    def kink(self, inner):
        several = ", ".join(inner() for _ in range(self.one((1, 2, 2, 3, 5))))
        return f"{self.one(('Max', 'Min'))}({several})"

    def pieces(self, inner):
        several = (f"({inner()}, {self.comparison(inner)})" for _ in range(self.one((1, 1, 2, 3))))
        return f"Piecewise({', '.join(several)}, ({inner()}, True))"

    def comparison(self, inner, depth=2):
        if depth and self.chance() < 0.3:
            again = partial(self.comparison, inner, depth - 1)
            return self.one((f"~({again()})", f"({again()}) {self.one('&|')} ({again()})"))
        if self.chance() < 0.1:
            return f"{self.one(('Eq', 'Ne'))}({inner()}, {inner()})"
        return f"({inner()}) {self.one(('<', '<=', '>', '>=', '==', '!='))} ({inner()})"

    def slope(self, inner):
        by = self.one(ORDERS)
        return f"({inner()}).diff({by})" if self.chance() < 0.3 else f"diff({inner()}, {by})"

    def constant(self):
        return self.formula(constant=True)

    def tower(self):
        """Powers and exponentials upon each other."""
        made = self.one(("x", "3", "sqrt(3)", "(x/3)", "exp(1)", "1.5", "pi", "(1+1/10**9)"))
        for _ in range(self.draw.randint(1, 6)):
            made = self.one(
                (
                    f"exp({made})",
                    f"({made})**({self.one(EXPONENTS)})",
                    f"{self.one(('9', 'x', '2'))}**({made})",
                    f"exp({self.one(NUMBERS)}*log({made}))",
                    f"sqrt({made})",
                    f"log({made})",
                )
            )
        return made

    def radicals(self):
        """Signs and comparisons of sums of roots."""
        several = [
            "".join(
                f"{self.one('+-')} sqrt({self.one(RADICALS)})"
                for _ in range(self.draw.randint(1, 8))
            )
            for _ in range(self.one((1, 1, 2)))
        ]
        return f"{self.one(KINKS)}({', '.join(several)})"

    def chain(self):
        """Functions of functions of functions."""
        made, functions = self.leaf(False), self.draw.sample(FUNCTIONS, 2)
        for _ in range(self.one((5, 10, 60))):
            made = self.one((f"{self.one(functions)}({made})", f"x*({made}) + 1", f"({made})**2"))
        return made

    def typo(self):
        """A formula with some letters lost, added or swapped."""
        letters = list(self.formula())
        for _ in range(self.draw.randint(1, 4)):
            at = self.draw.randrange(len(letters) + 1)
            if self.chance() < 0.5:
                letters[at : at + 1] = []
            else:
                letters.insert(at, self.one(LETTERS))
        return "".join(letters)
