"""The paper: draw, select, correct, search the step; one step a file, `machine` is the loop.

Knows one system, at points that stay. Must not know where the points came from, nor windows.
"""
