"""What stands behind the numbers, at the end of a report: all tables, the method, how to read and to repeat it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from drretail.eval.compare.distractors import distractor_tables
from drretail.eval.registry import details_of
from drretail.records.comparison import OPTIONS, Option
from drretail.records.score import Judging
from drretail.tables.table import Table, table_of
from drretail.viewer.commands import commands, queries_file, score_commands
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import data_address, template
from drretail.viewer.page.run_lines import RunLine
from drretail.viewer.tables.ablations import (
    DISTRACTORS,
    DISTRACTORS_NOTE,
    HEADINGS,
    ablation_table,
    distractor_table,
    headlines_first,
    main_tables,
    note_of,
    twin_table,
)
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.pairs import paired
from drretail.viewer.tables.scores import ANSWERED, score_tables, table_key_of
from drretail.viewer.tables.slices import MEANINGS, SlicedTables, few_words, level_slices, sliced_tables

_COUNTS = {"verdicts": "Verdicts", "failed": "Failed", "stale": "Stale, unused", "not_judged": "Reports not judged"}


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """The tables of all families."""
    scores, metrics = view.scores or (), view.metrics
    tables = score_tables(scores, metrics)
    slices = {sliced.table_key: sliced for sliced in sliced_tables(view.slices, scores, metrics=metrics)}
    levels = (_telling(sliced) for sliced in sliced_tables(level_slices(view.slices), scores, metrics=metrics))
    html = template("scores.html.jinja").render(
        view=view,
        has_answered=any(row.manner == ANSWERED for table in tables for row in table.rows),
        # What the names of all tables' columns mean, each once, in the order of the tables.
        glossary={column.name: column.meaning for table in tables for column in table.columns if column.meaning},
        ablations=list(_ablations(view)),
        headings=HEADINGS,
        ablation_note=note_of,
        distractors=[distractor_table(table) for table in headlines_first(distractor_tables(view.ablations))],
        distractors_heading=DISTRACTORS,
        distractors_note=DISTRACTORS_NOTE,
        levels=next(filter(None, levels), None),
        twins=twin_table(view.twins) if view.twins else None,
        # Of each metric, judge and set of rules its table, and what is sliced of it.
        tables=[
            (table, _telling(slices.get(key)))
            for table, key in zip(tables, dict.fromkeys(map(table_key_of, scores)), strict=True)
        ],
        details=details_of(view.folder, (score.metric for score in scores)),
        pairs=[by_judge for by_judge in paired(view.pairs, view.ranks, beside=False) if not by_judge.hidden],
        agreement=agreement_table(view.agreements, metrics),
        stale=sum(line.stale for line in lines),
        score_command=" && ".join(score_commands(view)),
    )
    return Markup(html)  # noqa: S704 — escaped by its template


def _ablations(view: ExperimentView) -> Iterator[tuple[Option, list[Table], list[Table]]]:
    """Of each option that systems differ in the tables that it is read for, and the others."""
    for by in OPTIONS:
        if of_option := [table for table in view.ablations if table.by == by]:
            main = main_tables(of_option)
            more = [table for table in headlines_first(of_option) if table not in main]
            drawn = [[ablation_table(table, view.metrics) for table in tables] for tables in (main, more)]
            yield by, drawn[0], drawn[1]


def _telling(sliced: SlicedTables | None) -> tuple[list[Table], list[str]] | None:
    """The tables with several slices, and their notes; None where nothing is sliced, or every slice holds all."""
    tables = [table for table in sliced.tables if len(table.columns) > 1] if sliced else []
    if not sliced or not tables:
        return None
    return tables, [note for note in (*(MEANINGS[kind] for kind in sliced.kinds), few_words(tables)) if note]


def render_method(view: ExperimentView) -> Markup:
    """What was run and judged, how to read a report, and the commands that make it again."""
    html = template("method.html.jinja").render(
        view=view,
        judges=judge_table(view.judgings),
        commands=commands(view),
        queries_link=data_address("application/jsonl", queries_file(view)),
    )
    return Markup(html)  # noqa: S704


def judge_table(judgings: Sequence[Judging]) -> Table:
    """Who judged what over all systems, in the order of the scores."""
    groups: dict[tuple[str, str, str, str], list[Judging]] = defaultdict(list)
    for judging in judgings:
        groups[judging.metric, judging.judge, judging.judge_params, judging.rules].append(judging)
    rows = [
        (
            metric,
            f"{judge}, settings {params}" if params else judge,
            rules,
            *(sum(getattr(judging, name) for judging in group) for name in _COUNTS),
        )
        for (metric, judge, params, rules), group in groups.items()
    ]
    return table_of("Judges", ["Family", "Judge", "Rules", *_COUNTS.values()], rows)
