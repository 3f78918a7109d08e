"""The command line: ``piscm solve`` and others.

Knows everything below it, and loads it when a command runs. Nothing else knows the command line.
"""

from piscm.cli import file_commands, solution_commands  # noqa: F401  (they add their commands)
from piscm.cli.app import app

__all__ = ["app"]
