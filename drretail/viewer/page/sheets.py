"""The score section of a page: each table cut to its width, and its slices folded below it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from drretail.records.comparison import OPTIONS, Option, SettingTable
from drretail.records.pairs import PairScore, RankScore
from drretail.records.score import Agreement, Score, SliceScore
from drretail.tables.table import Table, upright
from drretail.tables.widths import parts
from drretail.viewer.tables.ablations import HEADINGS, ablation_table, headlines_first, note_of
from drretail.viewer.tables.agreement import agreement_table
from drretail.viewer.tables.pairs import Paired, paired
from drretail.viewer.tables.scores import NONE_HELD, Metrics, score_tables, table_key_of
from drretail.viewer.tables.slices import MEANINGS, SlicedTables, few_words, sliced_tables

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
class AblationPart:
    """All tables of one option."""

    by: Option
    heading: str
    sheets: list[Sheet]
    note: str


def ablation_parts(tables: Sequence[SettingTable]) -> list[AblationPart]:
    """One for each option that systems differ in, headlines first."""
    return [
        AblationPart(by, HEADINGS[by], [sheet_of(ablation_table(table)) for table in headlines_first(its)], note_of(by))
        for by in OPTIONS
        if (its := [table for table in tables if table.by == by])
    ]


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


def glossary(scores: Sequence[Score], metrics: Metrics = NONE_HELD) -> dict[str, str]:
    """What the names of all tables' columns mean, each once, in the order of the tables."""
    tables = score_tables(scores, metrics)
    return {column.name: column.meaning for table in tables for column in table.columns if column.meaning}


def sheet_of(table: Table) -> Sheet:
    """The table cut to the page's width."""
    if table.is_turned:
        turned = upright(table)
        return Sheet(turned, [[*range(len(turned.columns))]], is_turned=True)
    return Sheet(table, parts(table.columns, [1] * len(table.columns), COLUMNS))


def _slices(sliced: SlicedTables | None) -> Slices | None:
    telling = [table for table in sliced.tables if len(table.columns) > 1] if sliced else []
    if not telling:
        return None
    notes = [*MEANINGS.values(), few_words(telling)]
    return Slices([sheet_of(table) for table in telling], [note for note in notes if note])
