"""Memory that a process keeps from one array to the next."""

import ctypes
import os
import sys
from functools import cache

# Numbers of options of the C library on Linux (malloc.h), and bytes: what is free at the end of the
# heap goes back to the system beyond this, and arrays beyond that are no part of the heap. It finds
# nearly the same by itself once an array of that size was freed, but half as much of the first.
_TRIM, _KEPT = -1, 2**27
_MAP, _LARGE = -3, 2**25
# Who has set one of these knows better.
_CHOSEN = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


@cache
def keep_memory() -> None:
    """Ask the C library, once in a process, to keep what is freed for what comes next.

    A run makes and frees arrays of some megabytes all the time. Pages that were given back come
    again one by one, and emptied: a quarter of the time of a march on a virtual machine.
    """
    if not sys.platform.startswith("linux") or any(name in os.environ for name in _CHOSEN):
        return
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None:
        option(_TRIM, _KEPT)
        option(_MAP, _LARGE)
