"""What ``piscm solve`` returns to a shell."""

WRONG_INPUT = 2
INTERRUPTED = 130

FAILED = {
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
    "interrupted": INTERRUPTED,
}
"""By the name of the status; with several trials, that of the first one that failed counts."""

EPILOG = (
    "Exit codes: 0 if the tolerance was met, or if none was asked for; "
    f"{WRONG_INPUT} for a mistake in the input; "
    + "; ".join(f"{code} {name}" for name, code in FAILED.items())
    + ". Ctrl-C ends all trials and keeps what is done."
)
