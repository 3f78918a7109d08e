"""The paper: draw, select, correct, search the step length; one step per file, looped by `machine`.

Knows one system at fixed points. Must not know where the points came from, nor windows of time.
"""
