"""Expressions compiled to functions of arrays: values, exact partials, residual blocks.

Knows SymPy expressions and the places where they hold. Must not know points, nodes or weights.
"""
