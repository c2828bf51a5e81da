"""Tables of all runs: each in a line with the sums from which FP and FR are made, its claims as a bar, what failed."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from markupsafe import Markup

from drretail.eval.claims.claims import FAMILY
from drretail.records.score import in_order, place_of
from drretail.tables.table import Cell, Column, Row, Table
from drretail.viewer.claims import WORDS
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import FailedVerdict, RunLine
from drretail.viewer.tables.scores import system_names

MOST_FAILED = 200
"""Judgements that failed, one by one; of more only how many they are."""
_WIDE, _TALL = 100, 10
"""Of a bar of claims, in units of its own."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A system's number as the lines above it make it, and as scores.json has it."""

    variant: str
    by: str
    value: float
    reports: int
    scored: float | None
    """None where scores.json has none of this judge."""


@dataclass(frozen=True, slots=True)
class SystemRuns:
    """All runs of one system."""

    name: str
    states: dict[str, int]
    """How many runs are done, failed …"""
    table: Table
    means: tuple[Mean, ...]


def render_all_runs(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """A table a system."""
    html = template("all_runs.html.jinja").render(systems=systems_with_runs(view, lines, links))
    return Markup(html)  # noqa: S704 — escaped by its template


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


def systems_with_runs(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> list[SystemRuns]:
    """The runs of each system with the means that they make, in the order of tables."""
    by_label: dict[str, list[RunLine]] = defaultdict(list)
    for line in lines:
        by_label[line.label].append(line)
    names = system_names(view.definition.systems)
    columns = ("State", "Claims", "Adds up to", "Findings")
    return [
        SystemRuns(
            name=names[label],
            states=dict(Counter(line.state for line in by_label[label])),
            table=_table(
                f"Runs of {names[label]}",
                "Query",
                columns,
                [_row(line, links, *_cells(line)) for line in by_label[label]],
            ),
            means=tuple(_means(view, label, by_label[label])),
        )
        for label in in_order(by_label)
    ]


def _table(title: str, heading: str, columns: Sequence[str], rows: Sequence[Row]) -> Table:
    return Table(title, tuple(map(Column, columns)), tuple(rows), heading=heading)


def _row(line: RunLine, links: Links, *cells: Cell) -> Row:
    name = line.question.query.query_id + (f", repeat {line.repeat}" if line.repeat > 1 else "")
    return Row(name, cells, meaning=line.question.query.text[:160], link=links.run(line))


def _cells(line: RunLine) -> Iterator[Cell]:
    parts: Any = template("parts.html.jinja").module
    yield Cell(line.state, html=parts.chip(line.state))
    yield Cell("", html=Markup('<span class="tally">{}</span>').format(parts.tally_of(line)))
    sums = [
        Markup("<p>{}{}</p>").format(
            each.arithmetic.words, Markup(" <small>{}</small>").format(each.by) if len(line.added) > 1 else ""
        )
        for each in line.added
    ]
    yield Cell("", html=Markup('<div class="adds">{}</div>').format(Markup().join(sums)))
    yield Cell("not checked") if line.findings is None else Cell(line.findings, "count")


def _bars(lines: Sequence[RunLine], links: Links) -> Cell:
    parts: Any = template("parts.html.jinja").module
    shown: list[Markup] = []
    for line in lines:
        bar = claims_bar(line) if line.counts else parts.chip(line.state) if line.state != "done" else "no claims"
        shown.append(Markup('<a href="{}">{}</a>').format(links.run(line), bar))
    return Cell("", html=Markup().join(shown))


def _means(view: ExperimentView, label: str, lines: Sequence[RunLine]) -> Iterator[Mean]:
    """FP and FR of each judge over queries, of each the mean of its repeats, as scores are made."""
    for by in dict.fromkeys(each.by for line in lines for each in line.added):
        for variant in ("FP", "FR"):
            values: dict[str, list[float]] = defaultdict(list)
            rules = ""
            for line in lines:
                for each in line.added:
                    value = each.arithmetic.precision if variant == "FP" else each.arithmetic.recall
                    if each.by == by and value.value is not None:
                        values[line.question.query.query_id].append(value.value)
                        rules = each.arithmetic.rules
            if values:
                reports = sum(map(len, values.values()))
                mean = fmean(map(fmean, values.values()))
                yield Mean(variant, by, mean, reports, _scored(view, label, variant, by, rules))


def _scored(view: ExperimentView, label: str, variant: str, by: str, rules: str) -> float | None:
    """What scores.json has for that mean."""
    wanted = (FAMILY, label, variant, rules, "answered")
    for score in view.scores or ():
        key = (score.metric, score.system, score.variant, score.rules, score.policy)
        if key == wanted and by.startswith(score.judge):
            return score.value
    return None
