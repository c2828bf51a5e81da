"""What stands behind the numbers, at the end of a report: all tables, the method, how to read and to repeat it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.eval.compare.distractors import distractor_tables
from drretail.eval.registry import PAIRWISE, details_of
from drretail.records.comparison import OPTIONS
from drretail.records.pairs import PairScore
from drretail.records.run import System
from drretail.records.score import Judging
from drretail.records.scoreboard import ShownColumn
from drretail.tables.figures import counted
from drretail.tables.table import Column, Table, table_of
from drretail.viewer.commands import commands, is_demo, queries_file, score_commands
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
from drretail.viewer.tables.scoreboard import printed_board
from drretail.viewer.tables.scores import ANSWERED, RECORDED, model_words, score_tables, table_key_of
from drretail.viewer.tables.slices import SlicedTables, all_few, few_words, level_slices, sliced_tables

_COUNTS = {
    "verdicts": "Verdicts",
    "failed": "Failed",
    "stale": "Outdated verdicts (unused)",
    "not_judged": "Reports not judged",
}


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """The tables of all families."""
    scores, metrics = view.scores or (), view.metrics
    tables = score_tables(scores, metrics)
    slices = {sliced.table_key: sliced for sliced in sliced_tables(view.slices, scores, metrics=metrics)}
    html = template("scores.html.jinja").render(
        view=view,
        has_answered=any(row.manner == ANSWERED for table in tables for row in table.rows),
        unexplained=_Unexplained(() if view.scoreboard is None else view.scoreboard.columns),
        unsaid=_Once() if view.scoreboard is None else _Once(printed_board(view.scoreboard).notes),
        by_parts=list(_by_parts(view)),
        distractors=[distractor_table(table) for table in headlines_first(distractor_tables(view.ablations))],
        distractors_heading=DISTRACTORS,
        distractors_note=DISTRACTORS_NOTE,
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


@dataclass(frozen=True, slots=True)
class ByPart:
    """Scores by an option, by level, or of twins."""

    by: str
    heading: str
    tables: Sequence[Table]
    notes: Sequence[str]
    more: Sequence[Table] = ()
    """Tables of an option that it is not read for."""


def _by_parts(view: ExperimentView) -> Iterator[ByPart]:
    """One for each option that systems differ in, one by level and one of twins, where there are any."""
    for by in OPTIONS:
        if of_option := [table for table in view.ablations if table.by == by]:
            main = main_tables(of_option)
            more = [table for table in headlines_first(of_option) if table not in main]
            drawn = [[ablation_table(table, view.metrics) for table in tables] for tables in (main, more)]
            yield ByPart(by, HEADINGS[by], drawn[0], [note_of(by)], drawn[1])
    for sliced in sliced_tables(level_slices(view.slices), view.scores or (), metrics=view.metrics)[:1]:
        if telling := _telling(sliced, few=True):
            yield ByPart("level", "Score by level of difficulty", *telling)
    if any(row.j is not None for row in view.twins):
        table = twin_table(view.twins)
        yield ByPart("twin", table.title, [table], table.notes)


def _telling(sliced: SlicedTables | None, *, few: bool = False) -> tuple[list[Table], list[str]] | None:
    """The tables that say something, and their notes: several columns, and unless ``few`` one of enough queries."""
    found = sliced.tables if sliced else ()
    tables = [table for table in found if len(table.columns) > 1 and (few or not all_few(table))]
    if not sliced or not tables:
        return None
    return tables, [note for note in (*sliced.meanings_of(tables), few_words(tables)) if note]


def render_method(view: ExperimentView) -> Markup:
    """What was run and judged, how to read a report, and the commands that make it again."""
    html = template("method.html.jinja").render(
        view=view,
        judges=judge_table(view.judgings, view.pairs),
        models={label: list(model_lines(system)) for label, system in view.definition.systems.items()},
        commands=commands(view),
        queries_link="" if is_demo(view) else data_address("application/jsonl", queries_file(view)),
    )
    return Markup(html)  # noqa: S704


def _judge_words(judge: str, params: str) -> str:
    words = f"a recorded language model ({judge})" if judge == RECORDED else judge
    return f"{words}, settings {params}" if params else words


class _Once:
    """Returns the notes that no earlier table of the page has shown."""

    def __init__(self, notes: Iterable[str] = ()) -> None:
        self._shown = {*notes}

    def __call__(self, notes: Iterable[str]) -> list[str]:
        new = [note for note in notes if note not in self._shown]
        self._shown.update(new)
        return new


class _Unexplained:
    """Returns the columns that the page has not explained yet."""

    def __init__(self, columns: Iterable[ShownColumn]) -> None:
        self._explained = {column.name for column in columns if column.meaning}

    def __call__(self, columns: Iterable[Column]) -> list[Column]:
        new = [column for column in columns if column.meaning and column.name not in self._explained]
        self._explained.update(column.name for column in new)
        return new


def model_lines(system: System) -> Iterator[str]:
    """A line for each model of a system, with the roles that it plays where there are several models."""
    roles: dict[str, list[str]] = defaultdict(list)
    for role, model in sorted(system.models.items()):
        params = "".join(f", {name} {value}" for name, value in sorted((model.params or {}).items()))
        roles[f"{model_words(model.spec, model.kind)}{params}"].append(role)
    for words, played in roles.items():
        yield f"model: {words}" if len(roles) == 1 else f"{', '.join(played)}: {words}"


def judge_table(judgings: Sequence[Judging], pairs: Sequence[PairScore] = ()) -> Table:
    """Who judged what over all systems, in the order of the scores; of pairs, how many comparisons were decided."""
    groups: dict[tuple[str, str, str, str], list[Judging]] = defaultdict(list)
    for judging in judgings:
        groups[judging.metric, judging.judge, judging.judge_params, judging.rules].append(judging)
    rows = [
        (
            metric,
            _judge_words(judge, params),
            rules,
            *(sum(getattr(judging, name) for judging in group) for name in _COUNTS),
        )
        for (metric, judge, params, rules), group in groups.items()
    ]
    compared: dict[tuple[str, str, str], list[PairScore]] = defaultdict(list)
    for pair in pairs:
        compared[pair.judge, pair.judge_params, pair.rules].append(pair)
    rows += [
        (
            PAIRWISE,
            _judge_words(judge, params),
            rules,
            counted(sum(pair.n_scored - pair.forfeits for pair in group), "comparison"),
            sum(pair.failed_verdicts for pair in group),
            sum(pair.stale_verdicts for pair in group),
            sum(pair.not_judged for pair in group),
        )
        for (judge, params, rules), group in compared.items()
    ]
    return table_of("Judges", ["Family", "Judge", "Rules", *_COUNTS.values()], rows)
