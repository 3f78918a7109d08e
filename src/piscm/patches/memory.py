"""Memory that a worker keeps from one piece of work to the next."""

import ctypes
import sys
from functools import cache
from multiprocessing import parent_process

# Numbers of options of the C library on Linux (malloc.h), and bytes: what is free at the end of the
# heap goes back to the system beyond this, and arrays beyond that are not part of the heap.
_TRIM, _KEPT = -1, 2**27
_MAP, _LARGE = -3, 2**25


@cache
def keep_memory() -> None:
    """Ask the C library, once in a process, to keep what is freed for what comes next.

    A worker frees all arrays of a district at its end. Pages that were given back come again one by
    one, and emptied: a tenth of a worker's time. Nothing is asked for in a process that nobody
    started to work for him.
    """
    if parent_process() is None or not sys.platform.startswith("linux"):
        return
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None:
        option(_TRIM, _KEPT)
        option(_MAP, _LARGE)
