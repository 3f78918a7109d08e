"""The one exception for input that cannot be worked with."""


class ProblemError(ValueError):
    """What the user wrote cannot be solved as it stands; the message says why and what to do."""
