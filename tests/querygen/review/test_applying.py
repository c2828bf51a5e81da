"""What comes out of a review."""

from pathlib import Path

import pytest

from drretail.querygen.reading import read_queries
from drretail.querygen.review.decisions import Outcome, current_decisions, outcomes, write_reviewed
from drretail.querygen.review.item import Items
from drretail.querygen.review.revisions import read_history_of
from drretail.records.query import Query
from tests.querygen.review.scripted import Clock, reviewed

Queries = tuple[Query, ...]


@pytest.fixture
def decided(queries: Queries) -> tuple[Outcome, ...]:
    """The first edited by two alike, the second rejected, the third undecided."""
    text = f"{queries[0].text} Write to me@example.com."
    reviews = [
        reviewed(queries[0], "ann", text=text),
        reviewed(queries[0], "bob", text=text),
        reviewed(queries[1], "ann", "reject"),
    ]
    return outcomes(queries, current_decisions(reviews, queries, []))


def test_a_new_file_holds_what_was_accepted_and_edited_and_its_history_says_by_whom(
    tmp_path: Path, file: Path, queries: Queries, decided: tuple[Outcome, ...], items: Items
) -> None:
    before, to = file.read_bytes(), tmp_path / "reviewed.jsonl"
    applied = write_reviewed(to, decided, items, Clock())
    (only,) = read_queries(to)
    assert only.text.endswith("me@example.com.")
    assert (applied.edited, applied.rejected) == ((queries[0].query_id,), (queries[1].query_id,))
    assert applied.waiting == (queries[2].query_id,)
    assert file.read_bytes() == before
    edited, rejected = read_history_of(to)
    assert (edited.what, edited.by, edited.before, edited.after) == ("edited", "ann, bob", queries[0], only)
    assert [finding.code for finding in edited.findings] == ["email_in_text"]
    assert (rejected.what, rejected.by, rejected.after) == ("rejected", "ann", None)

    first = to.read_bytes()
    write_reviewed(to, decided, items, Clock())
    assert (to.read_bytes(), len(read_history_of(to))) == (first, 2), "writing twice adds nothing"
