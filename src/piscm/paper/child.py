"""Work in a process of its own, whose memory holds nothing else."""

import multiprocessing
import os
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any


def in_child(work: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any | None:
    """What `work` gives in a fresh process.

    None where it takes longer than `limit` seconds, runs out of memory, or is killed.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(sender, work, arguments), daemon=True)
    child.start()
    sender.close()  # or the end of the child would not be the end of the pipe
    try:
        answer = receiver.recv() if receiver.poll(limit) else None
    except EOFError:  # it ended without a word
        answer = None
    finally:
        child.kill()  # it has said all it had to say, or takes too long
        child.join()
        receiver.close()
    if isinstance(answer, Exception):
        raise answer
    return answer


def _send(sender: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _stay_within_half_of_memory()
    try:
        answer = work(*arguments)
    except MemoryError:
        answer = None
    except Exception as error:
        answer = error
    sender.send(answer)
    sender.close()


def _stay_within_half_of_memory() -> None:
    """A case that is too large ends with a `MemoryError` instead of with the machine."""
    try:
        import resource

        half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
        resource.setrlimit(resource.RLIMIT_DATA, (half, half))
    except (AttributeError, ImportError, OSError, ValueError):  # not on this system
        pass


def peak_megabytes() -> float:
    """The most memory that this process has held at once; NaN where the system does not tell."""
    try:
        # On Linux `getrusage` of a fresh process begins with what its parent held; this does not.
        with open("/proc/self/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) / 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)
