"""Hidden nodes: activations, derivatives, drawing of nodes, and networks as functions.

Knows compiled expressions, which it evaluates. Must not know rows, row weights, or how a network is
found.
"""
