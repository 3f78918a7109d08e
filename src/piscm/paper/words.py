"""Numbers as text, the same everywhere in the report."""

from piscm.paper.printed import Spread
from piscm.paper.summary import Cell

NONE = "–"


def error_text(value: float | None) -> str:
    """An error as the paper prints it: 1.93e-3."""
    if value is None:
        return NONE
    digits, exponent = f"{value:.2e}".split("e")
    return f"{digits}e{int(exponent)}"


def seconds_text(value: float | None, beside: float | None = None) -> str:
    """A time, to three digits or two decimals, with the decimals of the mean it stands beside."""
    if value is None:
        return NONE
    size = value if beside is None else beside
    if size >= 0.1:
        return f"{value:.{2 if size < 10 else 1 if size < 100 else 0}f}"
    return f"{value:.{3 if size >= 0.01 else 5}f}"


def ratio_text(value: float | None) -> str:
    """A ratio to two digits, from 10 on to the whole; far from one by its power of ten."""
    if value is None:
        return NONE
    if not 1e-2 <= value < 1e5:
        return error_text(value)
    return f"{value:#.2g}".removesuffix(".") if value < 10 else f"{value:,.0f}"


def ours_text(cell: Cell) -> str:
    """Our mean ± sd; of one trial what it gave."""
    if cell.mean is None:
        return NONE
    if cell.quantity == "cpu":
        mean, sd = seconds_text(cell.mean), seconds_text(cell.sd, cell.mean)
    else:
        mean, sd = error_text(cell.mean), error_text(cell.sd)
    return mean if cell.sd is None else f"{mean} ± {sd}"


def paper_text(quantity: str, printed: Spread | None) -> str:
    """The paper's mean ± sd."""
    if printed is None:
        return NONE
    if quantity == "cpu":  # the paper gives two decimals, whatever the mean
        mean = f"{printed.mean:.2f}" if printed.mean < 10 else seconds_text(printed.mean)
        return f"{mean} ± {printed.sd:.2f}"
    return f"{error_text(printed.mean)} ± {error_text(printed.sd)}"
