"""Runs that left no report and judgements without a value, by system and kind, each with its reason."""

from collections import Counter
from collections.abc import Sequence

from markupsafe import Markup

from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import FailedVerdict, RunLine

MOST_FAILED = 200
"""Judgements that failed, one by one; of more only how many they are."""


def render_failures(lines: Sequence[RunLine], failed: Sequence[FailedVerdict], links: Links) -> Markup:
    """Runs without a report and judgements without a value, with their reasons; empty where all went well."""
    runs = [_row(line, links, Cell(line.label), Cell(line.state), Cell(line.why)) for line in lines if line.why]
    judgements = [
        _row(line, links, Cell(line.label), Cell(f"{each.family}: {each.item}"), Cell(each.why))
        for line in lines
        for each in line.failed
    ]
    judgements += [Row("a pair", (Cell(""), Cell(each.item), Cell(each.why))) for each in failed]
    if not runs and not judgements:
        return Markup()
    kinds = Counter((line.label, f"run: {line.kind}") for line in lines if line.kind)
    kinds += Counter((line.label, f"{each.family} by {each.by}") for line in lines for each in line.failed)
    kinds += Counter(("a pair", f"{each.family} by {each.by}") for each in failed)
    by_kind = [Row(label, (Cell(kind), Cell(count, "count"))) for (label, kind), count in kinds.most_common()]
    html = template("failures.html.jinja").render(
        runs=_table("Runs that did not end well", "Query", ("System", "State", "Why"), runs),
        judgements=_table(
            "Judgements that came to nothing", "About", ("System", "Judgement", "Why"), judgements[:MOST_FAILED]
        ),
        left_out=max(0, len(judgements) - MOST_FAILED),
        by_kind=_table("Failures by system and kind", "System", ("Kind", "Count"), by_kind),
    )
    return Markup(html)  # noqa: S704


def _table(title: str, heading: str, columns: Sequence[str], rows: Sequence[Row]) -> Table:
    return Table(title, tuple(map(Column, columns)), tuple(rows), heading=heading)


def _row(line: RunLine, links: Links, *cells: Cell) -> Row:
    name = line.question.query.query_id + (f", repeat {line.repeat}" if line.repeat > 1 else "")
    return Row(name, cells, meaning=line.question.query.text[:160], link=links.run(line))
