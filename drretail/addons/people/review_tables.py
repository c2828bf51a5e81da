"""The numbers of a review, as tables and as a document."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Table, table_of
from drretail.stats.raters import agreement_table

if TYPE_CHECKING:
    from drretail.addons.people.review.decisions import Applied
    from drretail.addons.people.review.summary import Summary


ABOUT = {
    "decision": "decision",
    "deep_research": "takes deep research",
    "answerable": "answerable with the nine tools",
    "fits_profile": "fits the shopper",
    "edit": "edit",
}


def summary_document(file: Path, now: "Summary", applied: "Applied | None") -> dict[str, Any]:
    """The content of the tables, with every number unrounded; shares are from 0 to 1."""
    from drretail.addons.people.review.records import reviews_path

    document: dict[str, Any] = {
        "file": str(file),
        "reviews": str(reviews_path(file)),
        "queries": now.queries,
        "outcomes": now.counts,
        "by_query": [
            {"query_id": outcome.query.query_id, "what": outcome.what, "by": outcome.by} for outcome in now.outcomes
        ],
        "reviewers": [asdict(reviewer) for reviewer in now.reviewers],
        "agreement": [asdict(agreement) for agreement in now.agreements],
        "disagreements": [asdict(disagreement) for disagreement in now.disagreements],
        "stale": now.stale,
    }
    if applied is not None:
        names = ("edited", "rejected", "waiting")
        document["applied"] = {"queries": len(applied.queries)} | {name: list(getattr(applied, name)) for name in names}
    return document


def summary_parts(file: Path, now: "Summary") -> Iterator[Table | str]:
    """Tables of reviewers, answers, agreement and disagreements, if there are any, then the counts."""
    if now.reviewers:
        columns = ["decided", "accepted", "edited", "rejected"]
        rows = [(reviewer.name, *(getattr(reviewer, name) for name in columns)) for reviewer in now.reviewers]
        yield table_of("Reviewers", ["", *columns], rows)
        rows = [
            (reviewer.name, _share(reviewer.edit_rate), _share(reviewer.words_changed), reviewer.wishes_typed)
            for reviewer in now.reviewers
        ]
        yield table_of("Edits", ["", "texts changed", "words changed in these", "wishes typed or changed"], rows)
        rows = [
            (ABOUT[question], *(", ".join(map(str, each.answers[question].values())) for each in now.reviewers))
            for question in now.reviewers[0].answers
        ]
        yield table_of("Answers: yes, no", ["", *(reviewer.name for reviewer in now.reviewers)], rows)
    if now.agreements:
        yield agreement_table("Agreement", now.agreements, "queries", ABOUT.__getitem__)
    if now.disagreements:
        rows = [
            (
                disagreement.query_id,
                ABOUT[disagreement.about],
                ", ".join(f"{who}: {what}" for who, what in disagreement.answers.items()),
                disagreement.settled_by,
            )
            for disagreement in now.disagreements
        ]
        yield table_of("Disagreements", ["query", "about", "who says what", "settled by"], rows)
    counts = ", ".join(f"{count} {what}" for what, count in now.counts.items())
    yield f"{file}: {counted(now.queries, 'query')}: {counts}"
    for reviewer in now.reviewers:
        if reviewer.accepted_with_a_no:
            yield f"{reviewer.name} accepts, with a no to a question: {', '.join(reviewer.accepted_with_a_no)}"
    disputed = ", ".join(now.ids("disputed"))
    if disputed:
        yield f"Disputed, and so not applied until drretail view --review {file} settles them: {disputed}"
    if now.stale:
        yield f"{now.stale} decisions are about queries that were changed or taken out since: they don't count."


def _share(value: float | None) -> "Cell":
    return Cell(value, "percent")
