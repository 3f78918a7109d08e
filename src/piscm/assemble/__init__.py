"""Blocks, points and nodes turned into rows and columns: sites, row weights, the system, windows.

Knows what must hold where, and what a node contributes to it. Must not know which nodes are chosen
or how a least-squares problem is solved.
"""
