"""Twenty thousand generated texts: each is read or refused, at once, and none is executed."""

import random

import pytest
from formulas import Formulas

from piscm import ProblemError, coordinates, field, unknown
from piscm.problem.size import MAX_PARTS, Sizes
from piscm.text.parse import parse_expression

pytestmark = pytest.mark.usefixtures("at_once")

x, t = coordinates("x t")
FIELDS = {"u": field("u", x, t), "v": field("v", x)}
SYMBOLS = {
    "x": x,
    "t": t,
    **{name: unknown(name) for name in ("mu", "lambda")},
    "k": unknown("k", positive=True),
}
CHUNKS, TEXTS = 20, 1000


@pytest.mark.parametrize("seed", range(CHUNKS))
def test_a_generated_text_is_read_or_refused(seed, tmp_path):
    mark = tmp_path / "executed"
    formulas = Formulas(random.Random(seed), mark)
    read = 0
    for _ in range(TEXTS):
        text = formulas.text()
        try:
            built = parse_expression(text, SYMBOLS, FIELDS)
        except ProblemError as error:
            assert len(str(error)) < 1000  # noqa: PT017 - one or the other
        else:
            read += 1
            assert Sizes().of(built).parts <= MAX_PARTS
    assert TEXTS // 3 < read < TEXTS  # both kinds are drawn
    assert not mark.exists()
