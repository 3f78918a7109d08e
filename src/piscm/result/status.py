"""How a run ended, in a sentence that says what to try next."""

from enum import Enum

from piscm.budget.budget import OutOfMemoryError, OutOfTimeError


class Status(Enum):
    """How growth ended; the value is a sentence for the user."""

    CONVERGED = "The estimated error met the tolerance."
    SOLVED_AT_START = (
        "The starting values (zero, unless given) satisfy everything already: if another solution "
        "is meant, start elsewhere with initial={...}, or add a condition that excludes this one."
    )
    INACCURATE = (
        "The residual met the tolerance, but the estimated error of the fields did not: ask for a "
        "smaller tol, by about the factor that is missing."
    )
    NOISY = (
        "The equations are met, and what is uncertain comes from the noise of the observations: "
        "the error bars say how much. More or better data lower it; ask for a tol above it."
    )
    BENT = (
        "The noise of the observations bends the equations, which could not be solved without "
        "them, so the unknowns may be further off than their error bars: give the conditions that "
        "are missing, or better first guesses of the unknowns."
    )
    UNSEEN = (
        "A source, a coefficient or a condition varies between the points, so the solution is not "
        "to be trusted (the summary names it): give more points with sampling=Sampling(...)."
    )
    FINISHED = "All nodes were placed; no tolerance was asked for, and none is promised."
    NODE_LIMIT = (
        "All nodes were placed before the residual met the tolerance: raise max_nodes, change the "
        "scale, or add points if the held-out residual is far above the fitted one."
    )
    TIME_LIMIT = "The time limit came first: raise max_seconds, or lower candidates or max_nodes."
    MEMORY_LIMIT = (
        "More nodes or points than these would take more memory than there may be: raise "
        "max_memory, or lower max_nodes, candidates or the number of points."
    )
    HOPELESS = (
        "Growth was given up, the tolerance being out of reach of these nodes; the estimated error "
        "says how good the solution is. Allow more nodes (max_nodes), or help with starting values "
        "(initial) or a shorter domain."
    )
    MISFIT = (
        "The observations are missed by far: this is another solution of the equation than theirs. "
        "Give better first guesses of the unknowns, or starting values (initial)."
    )
    STALLED = (
        "No further node lowered the residual; the estimated error says how good the solution is. "
        "If it is large, conditions may contradict each other; else give a scale, starting values "
        "(initial) or a shorter domain."
    )
    NOT_FINITE = (
        "The linearized equation is not finite at the current solution, so growth stopped there: "
        "start elsewhere with initial={...}, or keep the solution away from the singularity."
    )
    UNDETERMINED = (
        "The problem does not determine its answer (the summary names what is free): give the "
        "condition that is missing; of unknowns, observe something else, fix one of them, or solve "
        "for their combination."
    )
    SETTLED = (
        "The residual falls no further for these nodes. If it is large, this may be another "
        "minimum than the solution's: start elsewhere with initial={...}, or change the scale."
    )
    ITERATION_LIMIT = "The residual was still falling after the last step: allow more of them."
    TRAINED = "The training ran to its end; no tolerance was asked for, and none is promised."
    INTERRUPTED = "Interrupted: this is the solution as it was after the last whole step."

    @property
    def stopped(self) -> bool:
        """Whether the run was stopped before its end, on request or by a limit."""
        return self in (Status.INTERRUPTED, Status.TIME_LIMIT, Status.MEMORY_LIMIT)

    @classmethod
    def after(cls, stop: BaseException) -> "Status":
        """How a run ended that was stopped by one of `piscm.budget.budget.STOPS`."""
        if isinstance(stop, OutOfTimeError):
            return cls.TIME_LIMIT
        if isinstance(stop, OutOfMemoryError | MemoryError):
            return cls.MEMORY_LIMIT
        return cls.INTERRUPTED

    @property
    def ok(self) -> bool:
        """Whether the estimated error met the tolerance and the problem determines its answer."""
        return self in (Status.CONVERGED, Status.SOLVED_AT_START)

    @property
    def failed(self) -> bool:
        """Whether the run fell short of what was asked.

        Without a tolerance nothing was asked that could be missed, and with noisy data no more can
        be had: such runs are neither `ok` nor failed.
        """
        complete = (Status.FINISHED, Status.SETTLED, Status.TRAINED, Status.NOISY)
        return not self.ok and self not in complete
