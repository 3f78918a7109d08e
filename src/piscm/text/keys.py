"""Where in a document a mistake is."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from piscm.problem.errors import FormulaError, KeyedProblemError, ProblemError


@contextmanager
def at(*key: str | int) -> Iterator[None]:
    """Mistakes inside are at this key, in that of whatever is around it."""
    try:
        yield
    except KeyedProblemError as error:
        raise KeyedProblemError(str(error), (*key, *error.key), error.span) from error.__cause__
    except FormulaError as error:
        raise KeyedProblemError(str(error), key, error.span) from error.__cause__
    except ProblemError as error:
        raise KeyedProblemError(str(error), key) from error.__cause__


@contextmanager
def at_option(given: Mapping[str, Any], table: str) -> Iterator[None]:
    """Tell a wrong value at the option that its message names."""
    try:
        yield
    except (TypeError, ProblemError) as error:
        words = str(error).rstrip(".")
        named = [key for key in given if re.search(rf"\b{re.escape(key)}\b", words)]
        with at(*named[:1]):
            raise ProblemError(f"[{table}] {words}.") from None
