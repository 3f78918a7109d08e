"""Where in a document a mistake is."""

from collections.abc import Iterator
from contextlib import contextmanager

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
