"""All problems at the edge, by name."""

from edge.attacks import ATTACKS
from edge.harder import HARDER
from edge.problems import CASES as FIRST

CASES = {**FIRST, **ATTACKS, **HARDER}
