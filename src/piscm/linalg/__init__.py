"""Least squares: truncated SVD, an extendable QR, normal equations, bounds.

Knows arrays, and nothing else.
"""
