"""Scores on the terminal: one table for each family and judge, and what must be known beside its numbers."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from drretail.errors import UnknownName
from drretail.viewer.output import print_table, print_text
from drretail.viewer.tables.scores import NOT_RATED, score_tables, table_key_of
from drretail.viewer.tables.slices import BY, MEANINGS, few_words, sliced_tables

if TYPE_CHECKING:
    from drretail.records.score import Judging, Scores, SliceBy
    from drretail.viewer.tables.scores import TableKey


def print_scores(scores: "Scores") -> None:
    """All tables on stdout, each followed by what must be known beside its numbers."""
    table_keys = dict.fromkeys(map(table_key_of, scores.scores))
    for table_key, table in zip(table_keys, score_tables(scores.scores, scores.metrics), strict=True):
        if not table.columns:
            unrated = f"{NOT_RATED}. Numbers need a language model: --judge PROVIDER:MODEL."
            first, *others = [unrated] if table.unrated else table.notes
            print_text(f"{table.full_title}: {first}", *others, "")
            continue
        judgings = [judging for judging in scores.judgings if _table_key(judging) == table_key]
        print_table(replace(table, notes=(*table.notes, *_unused(judgings))))


def print_slices(scores: "Scores", by: "Sequence[SliceBy]") -> None:
    """The headline variants by category, kind or constraint on stdout; says so where there are none."""
    tables_of_judges = sliced_tables(scores.slices, scores.scores, by, scores.metrics)
    for sliced in tables_of_judges:
        for table in sliced.tables:
            print_table(table)
        print_text(*filter(None, [*(MEANINGS[it] for it in by), few_words(sliced.tables), *sliced.notes]), "")
    if not tables_of_judges:
        print_text("There is nothing to slice: no family that was scored has numbers.")


def slice_kinds(names: "Sequence[str]") -> "list[SliceBy]":
    """What tables are asked for by, each once. Raises UnknownName for anything else."""
    known: dict[str, SliceBy] = {kind: kind for kind in BY}
    for name in names:
        if name not in known:
            raise UnknownName("kind of slice", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def _table_key(row: "Judging") -> "TableKey":
    return row.metric, row.judge, row.judge_params, row.rules


def _unused(judgings: "Iterable[Judging]") -> Iterator[str]:
    for judging in judgings:
        told = {
            "verdicts failed": judging.failed,
            "stale verdicts (another report or other words) unused": judging.stale,
            "reports not judged": judging.not_judged,
        }
        parts = [f"{count:,} {what}" for what, count in told.items() if count]
        if parts:
            yield f"{judging.system}: {', '.join(parts)}."
