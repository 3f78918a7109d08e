"""What ``piscm solve`` returns to a shell."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a shell that asks for help need not wait for it
    from piscm.result.status import Status

WRONG_INPUT = 2
INTERRUPTED = 130

NOT_OK = {
    "node_limit": 10,
    "time_limit": 11,
    "memory_limit": 12,
    "iteration_limit": 13,
    "hopeless": 14,
    "stalled": 15,
    "not_finite": 16,
    "inaccurate": 17,
    "unseen": 18,
    "misfit": 19,
    "undetermined": 20,
    "noisy": 21,
    "finished": 22,
    "settled": 23,
    "trained": 24,
    "bent": 25,
    "interrupted": INTERRUPTED,
}
"""By the name of the status; with several trials, that of the first one that is not ok counts."""

EPILOG = (
    "Exit codes: 0 if the tolerance was met; "
    f"{WRONG_INPUT} for a mistake in the input; "
    + "; ".join(f"{code} {name}" for name, code in NOT_OK.items())
    + ". Ctrl-C ends all trials and keeps what is done."
)


def exit_code(statuses: "Iterable[Status]") -> int:
    """What a shell is told of several runs: the first that is not ok, or 0."""
    return next((NOT_OK[own.name.lower()] for own in statuses if not own.ok), 0)
