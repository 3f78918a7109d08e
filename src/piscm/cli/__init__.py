"""The command line: ``piscm list``, ``solve``, ``reproduce`` and ``bench``.

Knows everything below it, and loads it when a command runs. Nothing else knows the command line.
"""

from piscm.cli.app import app

__all__ = ["app"]
