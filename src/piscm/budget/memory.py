"""How much memory is free, by the operating system and by what a container may use."""

import math
import os
from pathlib import Path

# The share of the free memory that a run may take unless it is told otherwise: the sizes that are
# compared with it are estimates, and others are at work beside it.
_SHARE = 0.7
_LIMITS = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))


def default_memory() -> float:
    """Bytes that a run may take if the user gave no limit."""
    return _SHARE * free_memory()


def free_memory() -> float:
    """Bytes that can still be allocated; infinite if nothing says so."""
    return min(_of_machine(), _of_container(), _of_process())


def _of_machine() -> float:
    for line in _text(Path("/proc/meminfo")).splitlines():
        if line.startswith("MemAvailable:"):
            return 1024.0 * float(line.split()[1])
    try:  # half of all there is, where nobody says how much is taken
        return 0.5 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return math.inf


def _of_container() -> float:
    base = Path("/sys/fs/cgroup")
    folders = [base, base / "memory"]
    for line in _text(Path("/proc/self/cgroup")).splitlines():
        _, controllers, own = line.split(":", 2)
        if controllers in ("", "memory"):
            folders.append(base / controllers / own.strip("/"))
    free = math.inf
    for folder in folders:
        for limit, used in _LIMITS:
            most, taken = _text(folder / limit).strip(), _text(folder / used).strip()
            if most.isdigit() and taken.isdigit():
                free = min(free, float(most) - float(taken) + _cached(folder))
    return max(free, 0.0)


def _cached(folder: Path) -> float:
    """Bytes of files in the cache, which count as used and are given back when needed."""
    for line in _text(folder / "memory.stat").splitlines():
        if line.startswith(("inactive_file ", "total_inactive_file ")):
            return float(line.split()[1])
    return 0.0


def _of_process() -> float:
    try:
        import resource
    except ImportError:  # not on Windows
        return math.inf
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit == resource.RLIM_INFINITY:
        return math.inf
    pages = _text(Path("/proc/self/statm")).split()
    taken = int(pages[0]) * resource.getpagesize() if pages else 0
    return max(float(limit - taken), 0.0)


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError):
        return ""
