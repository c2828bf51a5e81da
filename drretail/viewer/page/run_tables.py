"""Tables of runs: a searchable table of all, and failures."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from drretail.records.base import canonical_json
from drretail.records.score import ShownColumn
from drretail.records.tables.table import Cell, Column, Row, Table
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import fragment
from drretail.viewer.page.links import Links
from drretail.viewer.run_lines import OUTCOMES, FailedVerdict, RunLine
from drretail.viewer.tables.scoreboard import JUDGE_FAILED, KINDS
from drretail.viewer.tables.scores import system_names


def render_all_runs(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """A row for each run, by system, with the data for the search."""
    systems = view.definition.systems
    names = system_names(systems, systems)
    place = {label: at for at, label in enumerate(names)}
    lines = sorted(lines, key=lambda line: place[line.label])
    columns = (
        []
        if view.scores.scoreboard is None
        else [each for each in view.scores.scoreboard.columns if any(each.name in line.values for line in lines)]
    )
    outcomes = {name: sum(name in line.outcomes for line in lines) for name in OUTCOMES}
    # Without characters that could end the element that contains it.
    index = canonical_json(word_index(lines)).replace("<", "\\u003c").replace("&", "\\u0026")
    return fragment(
        "all_runs.html.jinja",
        lines=lines,
        names=names,
        links=links,
        columns=columns,
        figure=_figure,
        systems=[names[label] for label in dict.fromkeys(line.label for line in lines)],
        queries=list({line.question.query.query_id: line.question.query.text for line in lines}.items()),
        outcomes={name: count for name, count in outcomes.items() if count},
        meanings_of_outcomes=OUTCOMES,
        several_judges=len({added.by for line in lines for added in line.added}) > 1,
        index=Markup(index),  # noqa: S704
    )


def word_index(lines: Sequence[RunLine]) -> Mapping[str, list[int]]:
    """By word, the indices of the lines that contain it.

    Each index is the distance from the previous one: small, and read fast.
    """
    places: dict[str, list[int]] = defaultdict(list)
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        for word in line.words:
            places[word].append(place - last.get(word, 0))
            last[word] = place
    return dict(sorted(places.items()))


def _figure(line: RunLine, column: ShownColumn) -> str:
    value = line.values.get(column.name)
    if value is not None:
        return Cell(value, KINDS.get(column.unit, "number")).figure
    return JUDGE_FAILED if any(each.metric == column.metric for each in line.failed) else ""


MOST_FAILED = 200
"""The most failed judgements shown one by one; of more, only the number is shown."""


def render_failures(lines: Sequence[RunLine], failed: Sequence[FailedVerdict], links: Links) -> Markup:
    """Runs and judgements that failed or stopped early, with reasons; empty if there are none."""
    runs = [_row(line, links, line.label, line.state, line.why) for line in lines if line.why]
    judgements = [
        _row(line, links, line.label, f"{each.metric}: {each.item}", each.why) for line in lines for each in line.failed
    ]
    judgements += [Row("a pair", (Cell(""), Cell(each.item), Cell(each.why))) for each in failed]
    if not runs and not judgements:
        return Markup()
    kinds = Counter((line.label, f"run: {line.kind}") for line in lines if line.kind)
    kinds += Counter((line.label, f"{each.metric} by {each.by}") for line in lines for each in line.failed)
    kinds += Counter(("a pair", f"{each.metric} by {each.by}") for each in failed)
    by_kind = [Row(label, (Cell(kind), Cell(count, "count"))) for (label, kind), count in kinds.most_common()]
    tables = {
        "runs": ("Runs that did not end well", "Query", ("System", "State", "Why"), runs),
        "judgements": ("Judgements that came to nothing", "About", ("System", "Judgement", "Why"), judgements),
        "by_kind": ("Failures by system and kind", "System", ("Kind", "Count"), by_kind),
    }
    return fragment(
        "failures.html.jinja",
        left_out=max(0, len(judgements) - MOST_FAILED),
        **{
            name: Table(
                title,
                tuple(map(Column, columns)),
                tuple(rows[:MOST_FAILED] if rows is judgements else rows),
                heading=heading,
            )
            for name, (title, heading, columns, rows) in tables.items()
        },
    )


def _row(line: RunLine, links: Links, *words: str) -> Row:
    name = line.question.query.query_id + (f", repeat {line.repeat}" if line.repeat > 1 else "")
    return Row(name, tuple(map(Cell, words)), meaning=line.question.query.text[:160], link=links.run(line))
