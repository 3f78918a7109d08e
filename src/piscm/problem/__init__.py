"""What a user writes: symbols, a domain, equations, conditions, observations; all of it frozen.

Knows SymPy, and how points are drawn in a domain and at a place. Must not know how expressions
become numbers, nor anything about networks.
"""
