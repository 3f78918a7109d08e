"""Where a trial ran: machine, versions and commit, as far as they can be told."""

import os
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from piscm import __version__

_PACKAGES = ("numpy", "scipy", "sympy", "jax", "optax")


def cores() -> int:
    """How many there are for this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def machine() -> str:
    """Processor, cores and memory."""
    return f"{_processor()}, {cores()} cores{_memory()}"


@cache
def versions() -> str:
    """System and packages in a line."""
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    parts = [
        f"{platform.system()} {platform.machine()}",
        f"Python {platform.python_version()}",
        *(f"{package} {_version(package)}" for package in _PACKAGES),
        f"{blas['name']} {blas['version']}",
    ]
    return "; ".join(parts)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """Its name and, since generations that round otherwise share one, family and model."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    told = [line.partition(":") for line in lines]
    known = {key.strip(): value.strip() for key, _, value in reversed(told)}
    name = known.get("model name") or platform.processor() or platform.machine()
    if "cpu family" not in known:
        return name
    return f"{name} (family {known['cpu family']}, model {known.get('model', 'unknown')})"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not everywhere
        return ""
    return f", {size / 2**30:.0f} GiB"


def peak_megabytes() -> float:
    """The most memory that this process has held at once; NaN where the system does not tell."""
    try:
        # On Linux `getrusage` of a fresh process begins with what its parent held; this does not.
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    try:
        import resource
    except ImportError:
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024**2 if sys.platform == "darwin" else 1024)


def cpu_seconds(process: int) -> float:
    """CPU seconds of a process; NaN where the system does not tell."""
    try:
        words = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return float("nan")


@cache
def commit() -> str:
    """The commit of this source if it is a checkout, else the release."""
    here = Path(__file__).resolve()
    # The folder may lie in a repository of somebody else's, which does not know this file.
    known = _git(here.parent, "ls-files", "--error-unmatch", here.name)
    told = known and _git(here.parent, "describe", "--always", "--dirty", "--abbrev=10")
    return told or f"release {__version__}"


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
