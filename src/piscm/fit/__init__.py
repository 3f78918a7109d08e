"""One network: grown, refined, with points added, corrected on all points; PI-SC-I, II and III.

Knows how a problem, or a window of one, becomes a system. Must not know which window comes next.
"""
