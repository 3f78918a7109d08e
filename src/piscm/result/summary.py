"""A solution as it prints: a small table of how well every equation and condition is satisfied."""

from textwrap import wrap
from typing import TYPE_CHECKING

from piscm.problem.errors import fitted_name

if TYPE_CHECKING:
    from piscm.result.solution import Solution

_WIDTH = 88  # of a line of the summary


def summary(solution: "Solution") -> str:
    """Size, status, residuals by block, estimated error, unknowns, remarks; one a line."""
    fields = ", ".join(str(field) for field in solution.problem.shown_fields)
    chosen = solution.method.chosen(solution.network)
    asked = f", asked for {solution.method.asked:g}" if solution.method.asked else ""
    known = solution.known_error is not None or "error_estimate" in solution.__dict__
    of_residual = "" if known else asked
    width = max(8, min(48, max(len(block.name) for block in solution.block_residuals)))
    lines = [
        f"Solution for {fields} by {type(solution.method).__name__}: {solution.n_nodes} nodes, "
        f"{solution.seconds:.2f} s, seed {solution.seed}",
        f"  {solution.status.name.lower()}: {solution.status.value}",
        *([f"  chosen: {chosen}"] if chosen else []),
        *([f"  {solution.network.extent}"] if solution.network.extent else []),
        *(_wrapped(f"  tried before: {'; '.join(solution.tried)}") if solution.tried else []),
        f"  residual {solution.fitted_residual:.3e}{of_residual} ({solution.method.measure})",
        f"  {'':{width}}  {'rows':>6}  {'fitted':>9}  {'held out':>9}",
    ]
    for block in solution.block_residuals:
        name = fitted_name(block.name, width)
        held_out = f"{'-':>9}" if block.held_out is None else f"{block.held_out:>9.2e}"
        lines.append(f"  {name:{width}}  {block.rows:>6}  {block.fitted:>9.2e}  {held_out}")
    if known:  # that is what the tolerance is for
        lines.append(f"  estimated relative error {solution.error_estimate.relative:.1e}{asked}")
    for name, item in solution.unknowns.items():
        lines.append(f"  {name} = {item}")
    lines += [f"  {text}" for text in (solution.undetermined, *solution.remarks) if text]
    return "\n".join(lines)


def _wrapped(line: str) -> list[str]:
    """A long line as several; what follows the first is moved to the right."""
    return wrap(line, _WIDTH, subsequent_indent="    ", break_long_words=False)
