"""Why a row of PI-SC-I, II or III lies above the paper's, where it does."""

from piscm.reproduce.paper import Key

WHY: dict[Key, str] = {}
"""A sentence for a row; the report asks for those with the verdict "worse"."""
