"""How the HTML page looks: on a telephone, a wide screen, paper, and in the dark."""

CSS = """
:root {
  color-scheme: light dark;
  --ink: #1b1f24; --soft: #59636e; --paper: #ffffff; --line: #d5dbe1; --band: #f4f6f8;
  --link: #0b57a4; --good: #0a6b3d; --bad: #a3320b;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --soft: #9aa5b1; --paper: #15181c; --line: #363d45; --band: #1e2328;
    --link: #7ab8f5; --good: #6fd39f; --bad: #ffa07a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
main { max-width: 80rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1rem 0; }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 0.75rem; }
p, section > ul { max-width: 50rem; }
li { margin: 0.2rem 0; }
a { color: var(--link); }
nav ul { columns: 20rem; padding-left: 1.2rem; font-size: 0.95rem; }
nav li { break-inside: avoid; margin: 0; padding: 0.1rem 0; }
.wide { overflow-x: auto; margin: 0.75rem 0 1.25rem; }
table {
  border-collapse: separate; border-spacing: 0; min-width: 60%;
  font-size: 0.875rem; font-variant-numeric: tabular-nums;
}
caption { text-align: left; font-weight: 600; padding: 0.3rem 0; }
th, td {
  padding: 0.28rem 0.4rem; text-align: right; white-space: nowrap; vertical-align: baseline;
}
th { border-bottom: 2px solid var(--line); color: var(--soft); vertical-align: bottom; }
td.words { white-space: normal; min-width: 6.5rem; }
td.words:last-child { min-width: 14rem; }
.whole { white-space: nowrap; }
.words { text-align: left; }
td:first-child, th:first-child {
  position: sticky; left: 0; background: var(--paper); min-width: 9.5rem;
}
tr.rule td { border-top: 1px solid var(--line); }
thead + tbody tr:first-child td { border-top: 0; }
tbody tr:hover td { background: var(--band); }
tbody tr:last-child td { border-bottom: 1px solid var(--line); }
.good { color: var(--good); font-weight: 600; }
.soft { color: var(--soft); }
.good, .fair, .bad, .soft { white-space: nowrap; }
.bad { color: var(--bad); font-weight: 600; }
figure { margin: 1rem 0; }
figure .wide { margin: 0; }
img {
  display: block; width: 100%; min-width: 36rem; max-width: 64rem;
  background: #ffffff; border-radius: 4px;
}
figcaption { color: var(--soft); font-size: 0.9rem; max-width: 50rem; margin-top: 0.4rem; }
@media print { .wide { overflow: visible; } img { min-width: 0; } h2 { break-after: avoid; } }
"""
