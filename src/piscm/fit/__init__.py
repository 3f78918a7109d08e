"""One network: grown, refined, given more points, corrected on all points; PI-SC-I, II and III.

Knows how a problem, or a window of one, becomes a system. Must not know which window comes next.
"""
