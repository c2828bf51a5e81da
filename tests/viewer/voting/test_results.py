"""What people said, counted."""

from drretail.viewer.voting.results import PairCount, results_of, results_sentence
from tests.viewer.voting.agents import vote


def test_votes_are_counted_for_systems_whichever_is_named_first() -> None:
    found = results_of([vote("ann", "1", "a"), vote("ben", "1", "b", a="b", b="a"), vote("ann", "2", "tie")])
    assert found.pairs == (PairCount("a", "b", "depth", 2, 1, 0),)
    assert [(person.annotator, person.votes, person.pairs) for person in found.people] == [("ann", 2, 2), ("ben", 1, 1)]


def test_two_people_are_held_beside_each_other() -> None:
    ann = [vote("ann", str(number), choice) for number, choice in enumerate(("a", "b", "a", "b"))]
    ben = [vote("ben", str(number), choice) for number, choice in enumerate(("a", "b", "a", "a"))]
    (row,) = results_of([*ann, *ben]).agreement
    assert (row.first, row.second, row.n, row.kappa) == ("ann", "ben", 4, 0.5)


def test_the_end_of_the_server_says_who_has_said_how_much() -> None:
    assert results_sentence(results_of([vote("ann", "1", "a"), vote("ann", "2", "a")])) == "ann: 2 votes on 2 pairs."
    assert results_sentence(results_of([])) == "Nobody has voted."
