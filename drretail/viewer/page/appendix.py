"""What stands behind the numbers, at the end of a report: all tables, the method, how to read and to repeat it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from drretail.eval.compare.distractors import distractor_tables
from drretail.eval.registry import PAIRWISE, details_of
from drretail.records.comparison import OPTIONS, SettingTable
from drretail.records.pairs import PairScore, RankScore
from drretail.records.run import System
from drretail.records.score import Agreement, Judging, Score, SliceScore
from drretail.records.scoreboard import ShownColumn
from drretail.tables.figures import counted
from drretail.tables.table import Column, Table, table_of, upright
from drretail.tables.widths import parts
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
from drretail.viewer.tables.pairs import Paired, paired
from drretail.viewer.tables.scoreboard import printed_board
from drretail.viewer.tables.scores import (
    ANSWERED,
    NONE_HELD,
    RECORDED,
    Metrics,
    model_words,
    score_tables,
    table_key_of,
)
from drretail.viewer.tables.slices import MEANINGS, SlicedTables, all_few, few_words, level_slices, sliced_tables

_COUNTS = {"verdicts": "Verdicts", "failed": "Failed", "stale": "Stale, unused", "not_judged": "Reports not judged"}


def render_scores(view: ExperimentView, lines: Sequence[RunLine]) -> Markup:
    """The tables of all families."""
    html = template("scores.html.jinja").render(
        view=view,
        has_answered=any(
            row.manner == ANSWERED for table in score_tables(view.scores or (), view.metrics) for row in table.rows
        ),
        by_parts=by_parts(view),
        distractors=[sheet_of(distractor_table(table)) for table in headlines_first(distractor_tables(view.ablations))],
        distractors_heading=DISTRACTORS,
        distractors_note=DISTRACTORS_NOTE,
        score_parts=score_parts(view.scores or (), view.slices, view.metrics),
        details=list(map(sheet_of, details_of(view.folder, (score.metric for score in view.scores or ())))),
        pair_parts=pair_parts(view.pairs, view.ranks),
        agreement=agreement_sheet(view.agreements, view.metrics),
        unexplained=_Unexplained(() if view.scoreboard is None else view.scoreboard.columns),
        unsaid=_Once() if view.scoreboard is None else _Once(printed_board(view.scoreboard).notes),
        stale=sum(line.stale for line in lines),
        score_command=" && ".join(score_commands(view)),
    )
    return Markup(html)  # noqa: S704 — escaped by its template


def render_method(view: ExperimentView) -> Markup:
    """What was run and judged, how to read a report, and the commands that make it again."""
    html = template("method.html.jinja").render(
        view=view,
        judges=judge_table(view.judgings, view.pairs),
        models={label: list(model_lines(system)) for label, system in view.definition.systems.items()},
        commands=commands(view),
        queries_link=data_address("application/jsonl", queries_file(view)),
    )
    return Markup(html)  # noqa: S704


def _judge_words(judge: str, params: str) -> str:
    words = f"a recorded language model ({judge})" if judge == RECORDED else judge
    return f"{words}, settings {params}" if params else words


class _Once:
    """Gives of some notes those that it was not given before: tables of one page share many."""

    def __init__(self, said: Iterable[str] = ()) -> None:
        self._said = {*said}

    def __call__(self, notes: Iterable[str]) -> list[str]:
        new = [note for note in notes if note not in self._said]
        self._said.update(new)
        return new


class _Unexplained:
    """Gives of some columns those whose names nothing on the page has explained yet."""

    def __init__(self, columns: Iterable[ShownColumn]) -> None:
        self._said = {column.name for column in columns if column.meaning}

    def __call__(self, columns: Iterable[Column]) -> list[Column]:
        new = [column for column in columns if column.meaning and column.name not in self._said]
        self._said.update(column.name for column in new)
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


COLUMNS = 10
"""Of numbers side by side: as many as the page's width holds."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with the places of its columns in each part that stands by itself."""

    table: Table
    parts: list[list[int]]
    is_turned: bool = False
    """Whether it is a single system's, with a row for each score."""


@dataclass(frozen=True, slots=True)
class Slices:
    sheets: list[Sheet]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ByPart:
    """Scores by an option, by level, or of twins."""

    by: str
    heading: str
    sheets: list[Sheet]
    notes: list[str]
    more: Sequence[Sheet] = ()
    """Tables of an option that it is not read for."""


def by_parts(view: ExperimentView) -> list[ByPart]:
    """One for each option that systems differ in, one by level and one of twins, where there are any."""

    def sheets(tables: Iterable[SettingTable]) -> list[Sheet]:
        return [sheet_of(ablation_table(table, view.metrics)) for table in tables]

    parts: list[ByPart] = []
    for by in OPTIONS:
        if of_option := [table for table in view.ablations if table.by == by]:
            main = main_tables(of_option)
            more = [table for table in headlines_first(of_option) if table not in main]
            parts.append(ByPart(by, HEADINGS[by], sheets(main), [note_of(by)], sheets(more)))
    for sliced in sliced_tables(level_slices(view.slices), view.scores or (), metrics=view.metrics)[:1]:
        if slices := _slices(sliced, few=True):
            parts.append(ByPart("level", "Score by level of difficulty", slices.sheets, slices.notes))
    if any(row.j is not None for row in view.twins):
        table = twin_table(view.twins)
        parts.append(ByPart("twin", table.title, [sheet_of(table)], list(table.notes)))
    return parts


@dataclass(frozen=True, slots=True)
class ScorePart:
    sheet: Sheet
    slices: Slices | None
    """None where nothing is sliced, or where every slice holds all queries."""


def score_parts(scores: Sequence[Score], slices: Sequence[SliceScore], metrics: Metrics = NONE_HELD) -> list[ScorePart]:
    """One for each metric, judge and set of rules, in the order of the scores; ``metrics`` as in ``score_tables``."""
    by_table = {sliced.table_key: sliced for sliced in sliced_tables(slices, scores, metrics=metrics)}
    tables_of_judges = list(dict.fromkeys(table_key_of(score) for score in scores))
    return [
        ScorePart(sheet_of(table), _slices(by_table.get(table_key)))
        for table_key, table in zip(tables_of_judges, score_tables(scores, metrics), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class PairPart:
    """A judge's pairs: all in overall quality, strengths, and each pair in every dimension, folded."""

    paired: Paired
    sheets: list[Sheet]
    pairs: list[Sheet]


def pair_parts(pairs: Sequence[PairScore], ranks: Sequence[RankScore]) -> list[PairPart]:
    """One for each judge that can tell reports apart, without pairs with floors or such."""
    return [
        PairPart(
            table_key,
            [sheet_of(table) for table in (_noted(table_key), table_key.strengths) if table is not None],
            [sheet_of(table) for table in table_key.pairs],
        )
        for table_key in paired(pairs, ranks, beside=False)
        if not table_key.hidden
    ]


def _noted(table_key: Paired) -> Table | None:
    """All pairs in overall quality, with what the columns of every table of pairs mean."""
    return None if table_key.overall is None else replace(table_key.overall, notes=table_key.notes)


def agreement_sheet(agreements: Sequence[Agreement], metrics: Metrics = NONE_HELD) -> Sheet | None:
    """How far judges agree; None where no two judged the same."""
    table = agreement_table(agreements, metrics)
    return None if table is None else sheet_of(table)


def sheet_of(table: Table) -> Sheet:
    """The table cut to the page's width."""
    if table.is_turned:
        turned = upright(table)
        return Sheet(turned, [[*range(len(turned.columns))]], is_turned=True)
    return Sheet(table, parts(table.columns, [1] * len(table.columns), COLUMNS))


def _slices(sliced: SlicedTables | None, *, few: bool = False) -> Slices | None:
    """Those that say something: several columns, and unless ``few`` one that rests on enough queries."""
    tables = sliced.tables if sliced else ()
    telling = [table for table in tables if len(table.columns) > 1 and (few or not all_few(table))]
    if not telling:
        return None
    notes = [*(MEANINGS[kind] for kind in sliced.kinds), few_words(telling)] if sliced else []
    return Slices([sheet_of(table) for table in telling], [note for note in notes if note])
