"""BLAS with one thread: faster at these sizes, and a condition for the same bits."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module

import numpy as np
from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the threads of every BLAS, and let arithmetic that fails say so by NaN."""
    with _libraries().limit(limits=1), np.errstate(all="ignore"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    """Every BLAS that this package calls: they are looked for once, in all that is loaded."""
    import_module("scipy.linalg")  # brings one of its own
    return ThreadpoolController()
