"""What comes first where a shape has singular functions: few smooth nodes.

What is smooth is found with few of them. At a corner where the gradient is infinite more of them
gain next to nothing: an L took 54 s to 1e-3, of which the singular functions took 2.
"""

from dataclasses import replace

from piscm.assemble.windows import Part
from piscm.march.enriched import error_of, has_functions
from piscm.march.methods import Auto
from piscm.problem.problem import Problem
from piscm.result.method import Outcome

# Nodes of the look; a network that is drawn at once has up to 600. Smooth solutions on an L, a
# plate with a notch and a star need no more, two waves across them included; with 35 those on the L
# took twice as long, with 100 what is singular there did (3 to 8 s).
_LOOK = 60
# If singular functions lower the error of the look to less than this, more smooth nodes would not.
_GAINED = 0.1


def first_look(problem: Problem, method: Auto) -> Auto:
    """The method to begin with: with few nodes where the shape has singular functions.

    Nonlinear problems, and those with unknowns or data, are no matter of a moment with few nodes.
    """
    if problem.asked.any() or problem.observations or not has_functions(problem):
        return method
    if not all(block.linear for block in Part.whole(problem).blocks):
        return method
    return replace(method, max_nodes=min(method.max_nodes, _LOOK))


def needs_more_nodes(look: Outcome, best: Outcome) -> bool:
    """Whether more smooth nodes may do better than a first look, and what came after it."""
    return not best.status.ok and not error_of(best) < _GAINED * error_of(look)
