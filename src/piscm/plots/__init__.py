"""Pictures of a solution. Every function takes or makes axes, returns them, and shows nothing.

Knows solutions, and nothing of how they are found. `plot` chooses; the others draw one thing each.
"""

from piscm.plots.animation import animate
from piscm.plots.canvas import close
from piscm.plots.choice import KINDS, plot
from piscm.plots.growth import residual_history
from piscm.plots.insides import nodes, points, residual_map
from piscm.plots.lines import cross_section, profile
from piscm.plots.maps import field_map, slices
from piscm.plots.page import write_page
from piscm.plots.parameters import correlation, unknowns
from piscm.plots.summary import overview

__all__ = [
    "KINDS",
    "animate",
    "close",
    "correlation",
    "cross_section",
    "field_map",
    "nodes",
    "overview",
    "plot",
    "points",
    "profile",
    "residual_history",
    "residual_map",
    "slices",
    "unknowns",
    "write_page",
]
