"""Patches: a network on each cell of a grid, tied to its neighbors on their common faces.

Knows how a domain is cut, which rows belong to which patch, and how all patches are solved for
together. Knows nothing of windows and of how a method is chosen.
"""
