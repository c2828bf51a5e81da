"""The numbers of a review, as tables and as a document."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from drretail.querygen.review.decisions import Applied
    from drretail.querygen.review.summary import Agreement, Reviewer, Summary
    from drretail.tables.table import Cell

ABOUT = {
    "decision": "decision",
    "deep_research": "takes deep research",
    "answerable": "answerable with the nine tools",
    "fits_profile": "fits the shopper",
    "edit": "edited text",
    "wish": "wish",
}


def summary_document(file: Path, now: "Summary", applied: "Applied | None") -> dict[str, Any]:
    """What the tables say, with every number unrounded; shares are 0 to 1."""
    from drretail.querygen.review.records import reviews_path

    document: dict[str, Any] = {
        "file": str(file),
        "reviews": str(reviews_path(file)),
        "queries": now.queries,
        "outcomes": now.counts,
        "by_query": [{"query_id": it.query.query_id, "what": it.what, "by": it.by} for it in now.outcomes],
        "reviewers": [asdict(it) for it in now.reviewers],
        "agreement": [asdict(it) for it in now.agreements],
        "disagreements": [asdict(it) for it in now.disagreements],
        "stale": now.stale,
    }
    if applied is not None:
        names = ("edited", "rejected", "waiting")
        document["applied"] = {"queries": len(applied.queries)} | {name: list(getattr(applied, name)) for name in names}
    return document


def print_summary(file: Path, now: "Summary") -> None:
    """Tables of reviewers, answers, agreement and disagreements, as far as there is something to tell."""
    from drretail.tables.table import table_of
    from drretail.viewer.output import print_table

    if now.reviewers:
        print_table(
            table_of("Reviewers", ["", "decided", "accepted", "edited", "rejected"], map(_counts, now.reviewers))
        )
        rows = [(it.name, _share(it.edit_rate), _share(it.words_changed), it.wishes_typed) for it in now.reviewers]
        print_table(table_of("Edits", ["", "texts changed", "words changed in these", "wishes typed or changed"], rows))
        print_table(table_of("Answers: yes, no", ["", *(it.name for it in now.reviewers)], _answers(now)))
    if now.agreements:
        print_table(
            table_of("Agreement", ["", "about", "queries", "the same", "Cohen's kappa"], map(_agreed, now.agreements))
        )
    if now.disagreements:
        rows = [
            (it.query_id, _about(it.about), ", ".join(f"{who}: {what}" for who, what in it.said.items()), it.settled_by)
            for it in now.disagreements
        ]
        print_table(table_of("Disagreements", ["query", "about", "who says what", "settled by"], rows))
    for line in _lines(file, now):
        typer.echo(line)


def _about(about: str) -> str:
    """What reviewers agree or disagree on, in words; a field of the wish by its label."""
    from drretail.querygen.review.summary import WISH
    from drretail.querygen.review.typings import label_of

    return ABOUT.get(about) or f"{WISH}{label_of(about.removeprefix(WISH))}"


def _counts(it: "Reviewer") -> tuple[object, ...]:
    return it.name, it.decided, it.accepted, it.edited, it.rejected


def _answers(now: "Summary") -> list[tuple[object, ...]]:
    return [
        (ABOUT[question], *(f"{it.answers[question].yes}, {it.answers[question].no}" for it in now.reviewers))
        for question in now.reviewers[0].answers
    ]


def _agreed(it: "Agreement") -> tuple[object, ...]:
    kappa = f"na: {it.na}" if it.kappa is None else it.kappa
    return f"{it.first}, {it.second}", _about(it.about), it.n, _share(it.share), kappa


def _share(value: float | None) -> "Cell":
    from drretail.tables.table import Cell

    return Cell(value, "percent")


def _lines(file: Path, now: "Summary") -> list[str]:
    counts = ", ".join(f"{count} {what}" for what, count in now.counts.items())
    lines = [f"{file}: {now.queries} queries: {counts}"]
    for it in now.reviewers:
        if it.accepted_with_a_no:
            lines.append(f"{it.name} accepts, with a no to a question: {', '.join(it.accepted_with_a_no)}")
    disputed = ", ".join(now.ids("disputed"))
    if disputed:
        lines.append(f"Disputed, and so not applied until somebody settles them with --settle: {disputed}")
    if now.stale:
        lines.append(f"{now.stale} decisions are about queries that were changed or taken out since: they don't count.")
    return lines
