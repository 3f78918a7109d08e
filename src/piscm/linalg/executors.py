"""Who works at the same time, as one interface: that of `concurrent.futures.Executor`."""

from concurrent.futures import Executor
from typing import Any

from piscm.problem.errors import ProblemError


def as_executor(given: Any) -> Executor | None:
    """An executor, that of a Dask client, or None; anything else is refused."""
    if given is None or isinstance(given, Executor):
        return given
    if is_dask_client(given):
        executor: Executor = given.get_executor()
        return executor
    raise ProblemError(
        f"executor is a {type(given).__name__}; give a concurrent.futures.Executor, such as "
        "ProcessPoolExecutor(), or a Dask Client."
    )


def is_dask_client(given: Any) -> bool:
    """Whether it is a client of Dask, which is not imported for that."""
    return type(given).__module__.startswith("distributed") and not isinstance(given, Executor)
