"""BLAS with one thread: faster at these sizes, and a condition for the same bits."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

import numpy as np
from threadpoolctl import threadpool_limits


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit the threads of every BLAS, and let arithmetic that fails say so by NaN."""
    import_module("scipy.linalg")  # brings a BLAS of its own; a limit holds for what is loaded
    with threadpool_limits(1), np.errstate(all="ignore"):
        yield
