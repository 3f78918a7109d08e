"""Lists of numbers among options."""

from typing import Any

from piscm.construct.checks import plain_numbers


def listed(value: Any) -> Any:
    """Lists and arrays as tuples; lists of unequal lists too, for checks to refuse."""
    try:
        return plain_numbers(value)
    except ValueError:
        return tuple(value)
