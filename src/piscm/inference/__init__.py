"""What can be said about a fit: noise, error bars, identifiability, the error estimate.

Knows systems at their solution. Must not know how the solution was found.
"""
