"""The claims of every report as a bar, and what failed."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from drretail.records.score import place_of
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import WORDS
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import FailedVerdict, RunLine
from drretail.viewer.tables.scores import system_names

MOST_FAILED = 200
"""Judgements that failed, one by one; of more only how many they are."""
_WIDE, _TALL = 100, 10
"""Of a bar of claims, in units of its own."""


def render_failures(lines: Sequence[RunLine], failed: Sequence[FailedVerdict], links: Links) -> Markup:
    """Runs without a report and judgements without a value, with their reasons; empty where all went well."""
    runs = [_row(line, links, Cell(line.label), Cell(line.state), Cell(line.why)) for line in lines if line.why]
    judgements = [
        _row(line, links, Cell(line.label), Cell(f"{each.family}: {each.item}"), Cell(each.why))
        for line in lines
        for each in line.failed
    ]
    judgements += [Row("a pair", (Cell(""), Cell(each.item), Cell(each.why))) for each in failed]
    alike = Counter(
        (each.family, each.by) for each in (*(verdict for line in lines for verdict in line.failed), *failed)
    )
    if not runs and not alike:
        return Markup()
    html = template("failures.html.jinja").render(
        runs=_table("Runs that did not end well", "Query", ("System", "State", "Why"), runs),
        judgements=_table(
            "Judgements that came to nothing", "About", ("System", "Judgement", "Why"), judgements[:MOST_FAILED]
        ),
        left_out=max(0, len(judgements) - MOST_FAILED),
        alike=alike.most_common(),
    )
    return Markup(html)  # noqa: S704


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
    return _table("Claims by question and system", "Question", tuple(names.values()), rows)


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


def _table(title: str, heading: str, columns: Sequence[str], rows: Sequence[Row]) -> Table:
    return Table(title, tuple(map(Column, columns)), tuple(rows), heading=heading)


def _row(line: RunLine, links: Links, *cells: Cell) -> Row:
    name = line.question.query.query_id + (f", repeat {line.repeat}" if line.repeat > 1 else "")
    return Row(name, cells, meaning=line.question.query.text[:160], link=links.run(line))


def _bars(lines: Sequence[RunLine], links: Links) -> Cell:
    parts: Any = template("parts.html.jinja").module
    shown: list[Markup] = []
    for line in lines:
        bar = claims_bar(line) if line.counts else parts.chip(line.state) if line.state != "done" else "no claims"
        shown.append(Markup('<a href="{}">{}</a>').format(links.run(line), bar))
    return Cell("", html=Markup().join(shown))
