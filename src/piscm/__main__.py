"""``python -m piscm`` is the command line."""

from piscm.cli import app

app(prog_name="piscm")
