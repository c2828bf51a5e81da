"""The claims of every report as a bar, a row a question and a column a system."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from drretail.records.score import place_of
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import WORDS
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.tables.scores import system_names

_WIDE, _TALL = 100, 10
"""Of a bar of claims, in units of its own."""


def claims_grid(lines: Sequence[RunLine], links: Links) -> Table | None:
    """A row a question, a column a system that researches, and in each cell the claims of its reports as bars.

    None where no report was judged.
    """
    researched = [line for line in lines if place_of(line.label) in ("system", "counterfactual")]
    if not any(line.is_judged for line in researched):
        return None
    names = system_names({line.label for line in researched})
    runs: dict[int, dict[str, list[RunLine]]] = defaultdict(lambda: defaultdict(list))
    for line in researched:
        runs[line.question.number][line.label].append(line)
    questions = {line.question.number: line.question for line in researched}
    rows: list[Row] = []
    for number, by_label in sorted(runs.items()):
        text = questions[number].query.text
        short = text if len(text) <= 80 else f"{text[:80].rpartition(' ')[0]}…"
        cells = (Cell("not asked") if not by_label[label] else _bars(by_label[label], links) for label in names)
        rows.append(Row(short, tuple(cells), link=links.question(questions[number])))
    return Table("Claims by question and system", tuple(map(Column, names.values())), tuple(rows), heading="Question")


def claims_bar(line: RunLine) -> Markup:
    """The claims of one report, a part for each of what came of them, as wide as their share."""
    total = sum(line.counts.values())
    label = ", ".join(f"{count} {WORDS[support]}" for support, count in line.counts.items())
    parts: list[Markup] = []
    x = 0.0
    for support, count in line.counts.items():
        width = _WIDE * count / total
        part = Markup('<rect x="{:.1f}" width="{:.1f}" height="{}" class="{}"/>')
        parts.append(part.format(x, width, _TALL, support))
        x += width
    return Markup(
        '<svg class="claimbar" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{label}">'
        "<title>{label}</title>{}</svg>"
    ).format(_WIDE, _TALL, Markup().join(parts), label=label)


def _bars(lines: Sequence[RunLine], links: Links) -> Cell:
    parts: Any = template("parts.html.jinja").module
    shown: list[Markup] = []
    for line in lines:
        bar = claims_bar(line) if line.counts else parts.chip(line.state) if line.state != "done" else line.lacks_claims
        shown.append(Markup('<a href="{}">{}</a>').format(links.run(line), bar))
    return Cell("", html=Markup().join(shown))
