"""A page that shows solutions in a browser, from a folder, without a server."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from piscm.plots.canvas import Reference, Units, close, pyplot
from piscm.plots.choice import plot
from piscm.problem.errors import ProblemError
from piscm.problem.typeset import problem_html
from piscm.result.solution import Solution
from piscm.text.replacing import replacing

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; margin: .5rem 0; display: block; overflow-x: auto; }
td, th { padding: .2rem .8rem; text-align: right; border-bottom: 1px solid #ddd; }
td:first-child, th:first-child { text-align: left; }
td:nth-child(n+3) { white-space: nowrap; }
img { max-width: 100%; height: auto; }
math { font-size: 1.1rem; }
.ok { color: #00663d; } .failed { color: #a03000; } .quiet { color: #555; }
figure { margin: 1rem 0; } figcaption { color: #555; font-size: .9rem; }
"""

_KINDS = {
    "fields": "What was found",
    "growth": "How the residual fell as nodes were added",
    "residual": "Where the equations are violated",
    "points": "Where they were fitted",
    "nodes": "The nodes",
}


@dataclass(frozen=True)
class Section:
    """One solution on a page.

    Attributes
    ----------
    name : str
        The heading, and the beginning of the names of its pictures.
    solution : Solution
    reference : callable or None
        The exact solution, if it is known.
    files : sequence of str
        Names of files beside the page to link to.
    remarks : sequence of str
        Sentences to add to the summary.
    """

    name: str
    solution: Solution
    reference: Reference | None = None
    files: Sequence[str] = ()
    remarks: Sequence[str] = ()


def write_page(
    path: str | PathLike[str],
    sections: Sequence[Section],
    *,
    title: str = "piscm",
    units: Units | None = None,
) -> list[Path]:
    """Write a page about solutions of one problem, and its pictures beside it.

    Returns
    -------
    list of paths
        What was written: the pictures, then the page.
    """
    target = Path(path)
    if not sections:
        raise ProblemError("There is no solution to show.")
    written: list[Path] = []
    body = [f"<h1>{escape(title)}</h1>", problem_html(sections[0].solution.problem)]
    for section in sections:
        pictures = _pictures(section, target.parent, units)
        written += [file for _, file in pictures]
        body.append(_section(section, pictures))
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )
    with replacing(target) as part:
        part.write_text(page, encoding="utf-8")
    return [*written, target]


def _pictures(section: Section, folder: Path, units: Units | None) -> list[tuple[str, Path]]:
    """Every kind of picture that the solution has something for."""
    made = []
    for kind, words in _KINDS.items():
        options: dict[str, Any] = {} if kind != "fields" else {"reference": section.reference}
        chosen = None if kind == "fields" else kind
        try:
            axes = plot(section.solution, kind=chosen, units=units, **options)
        except ProblemError:  # nothing of the kind is there
            pyplot().close(pyplot().gcf())
            continue
        figure = (axes if hasattr(axes, "figure") else axes[0]).figure
        file = folder / f"{section.name}-{kind}.png"
        with replacing(file) as part:
            figure.savefig(part, dpi=110)
        close(figure)
        made.append((words, file))
    return made


def _section(section: Section, pictures: Sequence[tuple[str, Path]]) -> str:
    solution = section.solution
    kind = "ok" if solution.success else "failed" if solution.status.failed else "quiet"
    lines = [
        f"<h2>{escape(section.name)}</h2>",
        f"<p class='{kind}'>{escape(solution.status.name.lower())}: {escape(solution.message)}</p>",
        *(f"<p>{escape(text)}</p>" for text in (*solution.remarks, *section.remarks) if text),
        _facts(solution),
        _residuals(solution),
    ]
    for words, file in pictures:
        source = escape(file.name, quote=True)
        lines.append(
            f'<figure><img src="{source}" alt="{escape(words)}">'
            f"<figcaption>{escape(words)}</figcaption></figure>"
        )
    links = ", ".join(f'<a href="{escape(n, quote=True)}">{escape(n)}</a>' for n in section.files)
    return "\n".join([*lines, f"<p>{links}</p>" if links else ""])


def _facts(solution: Solution) -> str:
    rows = [
        ("method", type(solution.method).__name__),
        ("nodes", str(solution.n_nodes)),
        ("seconds", f"{solution.seconds:.2f}"),
        ("seed", str(solution.seed)),
    ]
    chosen = solution.method.chosen(solution.network)
    rows += [("chosen", chosen)] if chosen else []
    if solution.known_error is not None:
        rows.append(("estimated relative error", f"{solution.known_error.relative:.1e}"))
    rows += [(name, str(item)) for name, item in solution.unknowns.items()]
    cells = "".join(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"


def _residuals(solution: Solution) -> str:
    head = "<tr><th>what must hold</th><th>rows</th><th>fitted</th><th>held out</th></tr>"
    rows = "".join(
        f"<tr><td>{escape(block.name)}</td><td>{block.rows}</td><td>{block.fitted:.2e}</td>"
        f"<td>{'' if block.held_out is None else f'{block.held_out:.2e}'}</td></tr>"
        for block in solution.block_residuals
    )
    return f"<table>{head}{rows}</table>"
