"""A solution in other forms: formulas, source code, grids, files of other programs.

Knows networks and the problems they solve. Must not know how a network was found.
"""
