"""One reviewer asked query by query."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from drretail.querygen.review.draft import RULE
from drretail.querygen.review.item import Items
from drretail.querygen.review.records import ReviewLog, read_reviews_of
from drretail.querygen.review.session import Session
from drretail.querygen.revisions import version_of
from drretail.records.query import Query
from tests.querygen.review.scripted import Clock, Person

ACCEPT = ("y", "y", "y", "", "a")
Queries = tuple[Query, ...]


@pytest.fixture
def log(file: Path) -> Iterator[ReviewLog]:
    with closing(ReviewLog(file)) as opened:
        yield opened


def sit(person: Person, items: Items, log: ReviewLog, queries: Queries) -> int:
    return Session(person, items, log, "ann", Clock()).review(queries)


def test_a_page_shows_query_shopper_findings_and_basket_within_the_width(
    items: Items, log: ReviewLog, queries: Queries
) -> None:
    person = Person()
    sit(person, items, log, queries[:1])
    words = " ".join(person.screen.split())
    for title in ("The shopper", "Checks", "The cheapest basket", "The query"):
        assert title in words
    assert queries[0].text in words
    assert "Nothing was found." in words
    assert "orders between" in words
    assert max(len(line) for line in person.screen.splitlines()) <= 80


def test_decisions_are_kept_with_answers_note_reviewer_and_version(
    items: Items, log: ReviewLog, queries: Queries, file: Path
) -> None:
    person = Person(*ACCEPT, "yes", "no", "n", " too vague ", "reject", *ACCEPT)
    assert sit(person, items, log, queries) == 3
    first, second, _ = read_reviews_of(file)
    assert (first.decision, first.reviewer, first.note) == ("accept", "ann", None)
    assert first.version == version_of(queries[0])
    assert (second.decision, second.note) == ("reject", "too vague")
    assert second.answers is not None
    assert second.answers.noes == ("answerable", "fits_profile")


def test_what_was_decided_is_on_disk_before_the_next_question(
    items: Items, log: ReviewLog, queries: Queries, file: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        sit(Person(*ACCEPT, "y", "^C"), items, log, queries)
    assert [it.query_id for it in read_reviews_of(file)] == [queries[0].query_id]


@pytest.mark.parametrize("typed", [["q"], ["y", "y", "quit"], []])
def test_quitting_and_the_end_of_input_keep_nothing_half_decided(
    items: Items, log: ReviewLog, queries: Queries, typed: list[str]
) -> None:
    assert sit(Person(*typed), items, log, queries) == 0
    assert log.reviews == []


def test_a_skipped_query_stays_undecided(items: Items, log: ReviewLog, queries: Queries) -> None:
    assert sit(Person("s", *ACCEPT, "y", "s"), items, log, queries) == 1
    assert [it.query_id for it in log.reviews] == [queries[1].query_id]


def test_going_back_asks_anew_and_both_decisions_stay_in_the_log(
    items: Items, log: ReviewLog, queries: Queries
) -> None:
    person = Person(*ACCEPT, "b", "y", "y", "y", "", "r", *ACCEPT, *ACCEPT)
    assert sit(person, items, log, queries) == 3
    assert [it.decision for it in log.reviews] == ["accept", "reject", "accept", "accept"]
    assert person.unused == []


def test_anything_else_is_asked_again(items: Items, log: ReviewLog, queries: Queries) -> None:
    person = Person("", "maybe", "quite so", *ACCEPT)
    assert sit(person, items, log, queries[:1]) == 1
    assert person.screen.count("Please type one of y, n") == 3


def test_the_same_shopper_is_shown_once_and_again_when_asked_for(
    items: Items, log: ReviewLog, queries: Queries
) -> None:
    person = Person(*ACCEPT, "p", "s", "q")
    sit(person, items, log, queries)
    assert person.screen.count("The same as of the query before") == 1
    assert person.screen.count("In short: ") == 3  # ANNA's twice, CARA's


def test_who_answers_no_and_accepts_is_asked_once_more(items: Items, log: ReviewLog, queries: Queries) -> None:
    person = Person("y", "n", "y", "", "a", "n", "r")
    sit(person, items, log, queries[:1])
    assert log.reviews[0].decision == "reject"


def test_a_query_without_a_user_is_not_asked_whether_it_fits(items: Items, log: ReviewLog) -> None:
    generic = Query(query_id="g-1", mode="generic", text="Which birdhouse is best?", source="test")
    session = Session(Person("y", "y", "", "a"), _with(items, generic), log, "ann", Clock())
    session.review([generic])
    answers = log.reviews[0].answers
    assert answers is not None
    assert answers.fits_profile is None


def test_an_edit_is_checked_again_and_shown_before_it_is_kept(items: Items, log: ReviewLog, queries: Queries) -> None:
    query = queries[0]
    person = Person("y", "y", "y", "", "e", "y", edits=[(query.text, f"{query.text} Write to me@example.com.")])
    sit(person, items, log, queries[:1])
    edit = log.reviews[0].edit
    assert edit is not None
    assert (edit.before, edit.fields) == (query, ("text",))
    assert edit.after.text == f"{query.text} Write to me@example.com."
    assert edit.diff.endswith("{+Write to me@example.com.+}")
    assert "email_in_text" in person.screen
    assert person.prompts[-1].startswith("Keep it?")


def test_an_edit_is_set_against_the_other_queries_and_not_against_itself(items: Items, queries: Queries) -> None:
    first, second = queries[:2]
    itself, other = (first.model_copy(update={"text": f"{it.text} Thanks."}) for it in (first, second))
    assert "near_duplicate" not in [finding.code for finding in items.check(itself).findings]
    assert "near_duplicate" in [finding.code for finding in items.check(other).findings]


def test_an_edit_can_be_edited_again_or_dropped(items: Items, log: ReviewLog, queries: Queries) -> None:
    text = queries[0].text
    person = Person("y", "y", "y", "", "e", "e", "n", "a", edits=[(text, "Short."), ("Short.", "Shorter.")])
    sit(person, items, log, queries[:1])
    assert "{+Shorter.+}" in person.screen
    assert (log.reviews[0].decision, log.reviews[0].edit) == ("accept", None)


def test_what_is_typed_can_be_edited_with_the_text(items: Items, log: ReviewLog, queries: Queries) -> None:
    person = Person("y", "y", "y", "", "e", "y", edits=[('"brands_wanted": []', '"brands_wanted": ["Acme"]')])
    sit(person, items, log, queries[:1])
    edit = log.reviews[0].edit
    assert edit is not None
    assert edit.fields == ("constraints",)
    assert edit.after.constraints.brands_wanted == ("Acme",)
    assert "brand_unknown" in person.screen


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"constraints": {', '"constraints": [', "no JSON"),
        ('"rationale"', '"user_id"', "only constraints, expected_tools, rationale"),
        ('"constraints": {', '"constraints": {"bugdet": 3,', "bugdet"),
    ],
)
def test_a_draft_that_makes_no_query_is_refused_in_a_sentence(
    items: Items, log: ReviewLog, queries: Queries, old: str, new: str, said: str
) -> None:
    person = Person("y", "y", "y", "", "e", "n", "r", edits=[(old, new)])
    sit(person, items, log, queries[:1])
    assert "This makes no query." in person.screen
    assert said in person.screen
    assert log.reviews[0].decision == "reject"


def test_a_draft_without_text_or_change_is_no_edit(items: Items, log: ReviewLog, queries: Queries) -> None:
    empty, same = (f"{queries[0].text}\n\n{RULE}", RULE), ("no such words", "")
    person = Person("y", "y", "y", "", "e", "n", "e", "a", edits=[empty, same])
    sit(person, items, log, queries[:1])
    assert "The text is empty." in person.screen
    assert "Nothing was changed." in person.screen
    assert log.reviews[0].decision == "accept"


def test_a_query_can_neither_steer_the_terminal_nor_hide_words(items: Items, log: ReviewLog) -> None:
    odd = Query(query_id="g-1", mode="generic", text="Is it\x1b[2J\x07 good\u202e?", source="test")
    person = Person("q")
    Session(person, _with(items, odd), log, "ann", Clock()).review([odd])
    assert "Is it\ufffd[2J\ufffd good\ufffd?" in person.screen


def _with(items: Items, query: Query) -> Items:
    return Items(items.world, [query])


def test_one_may_quit_where_an_edit_makes_no_query(items: Items, log: ReviewLog, queries: Queries) -> None:
    person = Person("y", "y", "y", "", "e", "q", "r", edits=[('"constraints": {', '"constraints": [')])
    sit(person, items, log, queries[:2])
    assert "This makes no query." in person.screen
    assert "[q] quit" in person.prompts[-1]
    assert (log.reviews, person.unused) == ([], ["r"])
