"""Bars on medians over seeds; no more seeds are run than decide them."""


def medians_hold(measured, seeds=3):
    """Whether the medians over so many seeds, an odd number, are within their bars.

    ``measured(seed)`` gives pairs of a value and its bar. The median is within it if more than half
    of the values are, whatever the others may be: two seeds of three decide, if they agree.
    """
    rows = []
    for seed in range(seeds):
        rows.append(measured(seed))
        within = [sum(value <= bar for value, bar in column) for column in zip(*rows, strict=True)]
        if min(within) > seeds // 2:
            return True
    raise AssertionError(f"values and their bars, by seed: {rows}")
