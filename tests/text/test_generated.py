"""Twenty thousand generated texts: each is read or refused, at once, and none is executed.

``python -m edge.texts`` tries as many as are asked for, and looks at the clock as well.
"""

import pytest
from edge.texts import TEXTS, tried

pytestmark = pytest.mark.usefixtures("at_once")
CHUNKS = 20


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_a_generated_text_is_read_or_refused(seed, tmp_path):
    found = tried(seed, tmp_path / "executed")
    assert set(found) - {"slow"} == {"read", "refused"}, found  # slow: a busy machine may be
    assert found["read"] > TEXTS // 3
