"""The last word where reviewers disagree."""

from contextlib import closing
from pathlib import Path

import pytest

from drretail.querygen.review.adjudication import Adjudication
from drretail.querygen.review.decisions import Outcome, current_decisions, outcomes
from drretail.querygen.review.item import Items
from drretail.querygen.review.records import Review, ReviewLog
from drretail.records.query import Query
from tests.querygen.review.scripted import Clock, Person, reviewed

Queries = tuple[Query, ...]


@pytest.fixture
def reviews(queries: Queries) -> list[Review]:
    return [
        reviewed(queries[0], "ann", text=f"{queries[0].text} Please."),
        reviewed(queries[0], "bob", text=f"{queries[0].text} Thanks."),
        reviewed(queries[1], "ann"),
        reviewed(queries[1], "bob", "reject"),
    ]


def settle(person: Person, items: Items, file: Path, queries: Queries, reviews: list[Review]) -> list[Outcome]:
    disputed = [it for it in outcomes(queries, current_decisions(reviews, queries, [])) if it.what == "disputed"]
    with closing(ReviewLog(file)) as log:
        assert Adjudication(person, items, log, "carl", Clock()).settle(disputed) == len(log.reviews)
        return list(outcomes(queries, current_decisions([*reviews, *log.reviews], queries, [])))


def test_only_what_is_disputed_is_asked_and_the_reviewers_are_heard(
    items: Items, file: Path, queries: Queries, reviews: list[Review]
) -> None:
    person = Person("2", "r")
    found = settle(person, items, file, queries, reviews)
    assert "ann: edit" in person.screen
    assert "{+Please.+}" in " ".join(person.screen.split())
    assert [it.what for it in found] == ["edited", "rejected", "undecided"]
    assert [it.by for it in found] == ["carl", "carl", ""]
    assert found[0].result is not None
    assert found[0].result.text.endswith("Thanks.")


def test_one_may_accept_skip_quit_or_edit_otherwise(
    items: Items, file: Path, queries: Queries, reviews: list[Review]
) -> None:
    person = Person("3", "x", "s", "e", "y", edits=[(queries[1].text, f"{queries[1].text} Soon.")])
    assert [it.what for it in settle(person, items, file, queries, reviews)] == ["disputed", "edited", "undecided"]


def test_quitting_keeps_what_was_settled(items: Items, file: Path, queries: Queries, reviews: list[Review]) -> None:
    found = settle(Person("a", "q"), items, file, queries, reviews)
    assert [it.what for it in found] == ["accepted", "disputed", "undecided"]


def test_a_wrong_key_is_answered_with_the_right_ones_and_p_shows_the_shopper(
    items: Items, file: Path, queries: Queries, reviews: list[Review]
) -> None:
    person = Person("x", "p", "q")
    settle(person, items, file, queries, reviews)
    assert "Please type one of a, 1, 2, e, r, or s, p, q." in person.screen
    assert person.seen.count("The shopper") == 2
    assert "[p] the shopper" in person.screen


def test_whoever_quits_while_editing_settles_nothing_more(
    items: Items, file: Path, queries: Queries, reviews: list[Review]
) -> None:
    person = Person("e", "x", "q", "r", edits=[(queries[0].text, f"{queries[0].text} Soon.")])
    found = settle(person, items, file, queries, reviews)
    assert [it.what for it in found] == ["disputed", "disputed", "undecided"]
    assert "Please type one of y, e, n, or q." in person.screen
    assert person.unused == ["r"]
