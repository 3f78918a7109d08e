"""The name that was probably meant."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, if one is like it."""
    names = [str(item) for item in known][:1000]
    folded = {item.casefold(): item for item in reversed(names)}
    found = difflib.get_close_matches(name[:100].casefold(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence that asks whether another name was meant; empty if none is near."""
    found = nearest(name, known)
    return f" (did you mean {found!r}?)" if found is not None else ""
