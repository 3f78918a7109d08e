"""Problems at the edge: no answer is ok and wrong."""

import pytest

from edge.judge import judge
from edge.table import CASES


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.fast])
def test_an_ok_answer_is_right(name):
    finding = judge(CASES[name], seed=0)
    assert finding.kept, finding


def test_there_are_enough_of_them():
    assert len(CASES) >= 140
    assert sum(case.fast for case in CASES.values()) >= len(CASES) // 3
