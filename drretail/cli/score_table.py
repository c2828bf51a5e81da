"""Scores as tables: one for each family and judge, rows = variants, columns = systems."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.cli.output import print_table

if TYPE_CHECKING:
    from drretail.records.score import Judging, Score, Scores

COLUMNS = 3
"""Systems side by side: what 120 characters hold."""
JSON_ONLY = frozenset({"FP_eq2_report"})
"""Of a few reports only, and so no column of a table."""
KINDS = {"rule_based": "rule-based", "scripted": "scripted", "llm": "language model"}


def print_scores(scores: "Scores") -> None:
    """All tables on stdout, each followed by what must be known beside its numbers."""
    import typer

    for _, group in groupby(scores.scores, key=_bench):
        rows = list(group)
        title = _title(rows[0])
        if all(row.note is not None for row in rows):
            typer.echo(f"{title}: {rows[0].note}. Numbers need a language model: --judge PROVIDER:MODEL.\n")
            continue
        columns = _columns(rows)
        variants = [variant for variant in dict.fromkeys(row.variant for row in rows) if variant not in JSON_ONLY]
        for headings in _chunks(list(columns)):
            lines = [[variant, *(_cell(columns[heading].get(variant)) for heading in headings)] for variant in variants]
            print_table(title, ["", *headings], lines)
            title = ""
        judgings = [judging for judging in scores.judgings if _bench(judging) == _bench(rows[0])]
        for line in (*_meaning(rows), *_settled(rows), *_standing(judgings)):
            typer.echo(line)
        typer.echo("")


def _bench(row: "Score | Judging") -> tuple[str, str, str, str]:
    return row.metric, row.judge, row.judge_params, row.rules


def _title(row: "Score") -> str:
    by = "by code" if row.judge == "code" else f"judged by {row.judge} ({KINDS[row.judge_kind]})"
    rules = "" if row.rules == "default" else f", rules {row.rules}"
    return f"{row.metric}, {by}{rules}"


def _columns(rows: "Sequence[Score]") -> dict[str, "dict[str, Score]"]:
    """Heading → rows by variant: a column for each system, and one more where failed and na as 0 change a value."""
    columns: dict[str, dict[str, Score]] = {}
    for row in rows:
        heading = f"{row.system}{' (self-checked)' if row.self_checked else ''}"
        heading = heading if row.policy == "scored_only" else f"{heading}, failed and na as 0"
        columns.setdefault(heading, {})[row.variant] = row
    return dict(sorted(columns.items()))


def _chunks(headings: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(headings), COLUMNS):
        yield headings[start : start + COLUMNS]


def _cell(row: "Score | None") -> str:
    """Value, interval and number of reports: 0.74 [0.68, 0.80] n=50."""
    if row is None:
        return ""
    if row.note is not None:
        return row.note
    value = "–" if row.value is None else f"{row.value:.2f}"
    interval = "" if row.ci_low is None else f" [{row.ci_low:.2f}, {row.ci_high:.2f}]"
    return f"{value}{interval} n={_counted(row)}"


def _counted(row: "Score") -> str:
    """How many of the planned reports have a value, and why the others have none."""
    lacking = [f"{count} {why}" for why, count in _reasons(row) if count]
    return f"{row.n_scored} of {row.n_planned} ({', '.join(lacking)})" if lacking else str(row.n_scored)


def _reasons(row: "Score") -> Iterable[tuple[str, int]]:
    return (("na", row.n_na), ("unverifiable", row.n_unverifiable), ("failed", row.n_failed))


def _meaning(rows: "Sequence[Score]") -> Iterator[str]:
    """What the numbers are, where they are not means of what they are called."""
    if rows[0].metric == "checks":
        yield (
            "Each number is the share of reports without such an error, or, of checks that only warn (old_page, "
            "after_today, repeated_section), without a warning."
        )
    if any(row.self_checked for row in rows):
        yield "Self-checked: the agent takes out of its own reports what these checks find, so they say little of it."


def _settled(rows: "Iterable[Score]") -> Iterator[str]:
    """The share of a family's judgements that needed no model, where it counts them."""
    counted = {row.system: row.items for row in rows if "settled" in row.items}
    for system, items in sorted(counted.items()):
        judged = sum(items.get(label, 0) for label in ("full", "partial", "none"))
        share = f" ({items['settled'] / judged:.0%})" if judged else ""
        yield f"{system}: {items['settled']:,.0f} of {judged:,.0f} judgements settled without a model{share}."


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
