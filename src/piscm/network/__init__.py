"""Hidden nodes: activations, derivatives, how nodes are drawn, and networks as functions.

Knows compiled expressions, which it evaluates. Must not know rows, weights of rows, or how a
network is found.
"""
