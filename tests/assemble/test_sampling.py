"""How many points, and by which rule."""

import numpy as np
import pytest

from piscm import Sampling

pytestmark = pytest.mark.usefixtures("at_once")


BAD_COUNTS = [0, -1, 1.5, 2.0, "3", None, True, np.nan, [3], np.array([3])]


@pytest.mark.parametrize("option", ["interior", "boundary"])
def test_counts_of_a_sampling(refused, option):
    for value in BAD_COUNTS:
        refused(lambda value=value: Sampling(**{option: value}), option)


@pytest.mark.parametrize("rule", ["random", "SOBOL", None, 3, ["sobol"], {}])
def test_the_rule_of_a_sampling(refused, rule):
    refused(lambda: Sampling(rule=rule), "rule")
