"""All runs in one table that is filtered, sorted and searched in the browser."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from drretail.records.base import canonical_json
from drretail.records.score import in_order
from drretail.records.scoreboard import ShownColumn
from drretail.tables.table import Cell
from drretail.viewer.arithmetic import Arithmetic, means_of
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import OUTCOMES, RunLine
from drretail.viewer.tables.scoreboard import JUDGE_FAILED, KINDS
from drretail.viewer.tables.scores import system_names

LONGEST_QUESTION = 90


def render_all_runs(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """A row for each run, system by system, and what a search needs to know of them."""
    names = system_names(view.definition.systems)
    place = {label: at for at, label in enumerate(in_order(names))}
    lines = sorted(lines, key=lambda line: place[line.label])
    columns = [] if view.scoreboard is None else [each for each in view.scoreboard.columns if _has(lines, each)]
    outcomes = {name: sum(name in line.outcomes for line in lines) for name in OUTCOMES}
    # No sign that could end the element in which it stands.
    index = canonical_json(word_index(lines)).replace("<", "\\u003c").replace("&", "\\u0026")
    html = template("all_runs.html.jinja").render(
        lines=lines,
        names=names,
        links=links,
        columns=columns,
        figure=_figure,
        cut=_cut,
        systems=[names[label] for label in in_order({line.label for line in lines})],
        queries=list({line.question.query.query_id: line.question.query.text for line in lines}.items()),
        outcomes={name: count for name, count in outcomes.items() if count},
        meanings_of_outcomes=OUTCOMES,
        means=[
            (names[label], mean)
            for label in in_order({line.label for line in lines})
            for mean in means_of(label, _added(lines, label), view.scores or ())
        ],
        several_judges=len({added.by for line in lines for added in line.added}) > 1,
        index=Markup(index),  # noqa: S704
    )
    return Markup(html)  # noqa: S704 — escaped by its template


def _added(lines: Sequence[RunLine], label: str) -> list[tuple[str, Arithmetic]]:
    return [(line.question.query.query_id, added) for line in lines if line.label == label for added in line.added]


def word_index(lines: Sequence[RunLine]) -> Mapping[str, list[int]]:
    """By word the places of the lines that hold it, each as its distance from the one before: small, and read fast."""
    found: dict[str, list[int]] = defaultdict(list)
    last: dict[str, int] = {}
    for place, line in enumerate(lines):
        for word in line.words:
            found[word].append(place - last.get(word, 0))
            last[word] = place
    return dict(sorted(found.items()))


def _has(lines: Sequence[RunLine], column: ShownColumn) -> bool:
    return any(column.name in line.values for line in lines)


def _figure(line: RunLine, column: ShownColumn) -> str:
    value = line.values.get(column.name)
    if value is not None:
        return Cell(value, KINDS.get(column.unit, "number")).figure
    return JUDGE_FAILED if any(each.family == column.metric for each in line.failed) else ""


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_QUESTION else f"{words[:LONGEST_QUESTION].rpartition(' ')[0]} …"
