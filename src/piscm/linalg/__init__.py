"""Least squares: truncated singular values, a QR that grows, normal equations, bounds.

Knows arrays, and nothing else.
"""
