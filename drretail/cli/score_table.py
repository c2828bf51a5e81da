"""Scores on the terminal: one table for each family and judge, and what must be known beside its numbers."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from drretail.cli.output import print_notes
from drretail.cli.score_grid import print_grid
from drretail.errors import UnknownName
from drretail.viewer.sliced import BY, MEANINGS, few_words, sliced_benches
from drretail.viewer.standing import bench_of, score_tables, system_names

if TYPE_CHECKING:
    from drretail.records.score import Judging, Score, Scores
    from drretail.records.slices import SliceBy
    from drretail.viewer.standing import Bench


def print_scores(scores: "Scores") -> None:
    """All tables on stdout, each followed by what must be known beside its numbers."""
    by_bench: dict[Bench, list[Score]] = {}
    for row in scores.scores:
        by_bench.setdefault(bench_of(row), []).append(row)
    for (bench, rows), table in zip(by_bench.items(), score_tables(scores.scores), strict=True):
        if not table.columns:
            told = f"{table.title}, {table.by}: {rows[0].note}. Numbers need a language model: --judge PROVIDER:MODEL."
            print_notes([told, ""])
            continue
        print_grid(table)
        judgings = [judging for judging in scores.judgings if _bench(judging) == bench]
        print_notes([*table.notes, *_settled(rows), *_standing(judgings), ""])


def print_slices(scores: "Scores", by: "Sequence[SliceBy]") -> None:
    """The headline variants by category, kind or constraint on stdout; says so where there are none."""
    benches = sliced_benches(scores.slices, scores.scores, by)
    for sliced in benches:
        for table in sliced.tables:
            print_grid(table)
        print_notes(filter(None, [*(MEANINGS[it] for it in by), few_words(sliced.tables), *sliced.notes]))
        print_notes([""])
    if not benches:
        print_notes(["There is nothing to slice: no family that was scored has numbers."])


def slice_kinds(names: "Sequence[str]") -> "list[SliceBy]":
    """What tables are asked for by, each once. Raises UnknownName for anything else."""
    known: dict[str, SliceBy] = {kind: kind for kind in BY}
    for name in names:
        if name not in known:
            raise UnknownName("kind of slice", name, known)
    return [known[name] for name in dict.fromkeys(names)]


def _bench(row: "Judging") -> "Bench":
    return row.metric, row.judge, row.judge_params, row.rules


def _settled(rows: "Sequence[Score]") -> Iterator[str]:
    """The share of a family's judgements that needed no model, where it counts them."""
    counted = {row.system: row.items for row in rows if "settled" in row.items}
    told: list[str] = []
    for label, name in system_names(row.system for row in rows).items():
        items = counted.get(label, {})
        judged = sum(items.get(label, 0) for label in ("full", "partial", "none"))
        if judged:
            told.append(f"{name} {items['settled'] / judged:.0%} ({items['settled']:,.0f} of {judged:,.0f})")
    if told:
        yield f"Judgements settled without a model: {', '.join(told)}."


def _standing(judgings: "Iterable[Judging]") -> Iterator[str]:
    for judging in judgings:
        told = {
            "verdicts failed": judging.failed,
            "stale verdicts (another report or other words) unused": judging.stale,
            "reports not judged": judging.not_judged,
        }
        parts = [f"{count:,} {what}" for what, count in told.items() if count]
        if parts:
            yield f"{judging.system}: {', '.join(parts)}."
