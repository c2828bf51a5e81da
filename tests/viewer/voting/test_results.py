"""What people said, counted."""

from drretail.viewer.voting.results import PairCount, results_of
from tests.viewer.voting.agents import vote


def test_votes_are_counted_for_systems_whichever_is_named_first() -> None:
    found = results_of([vote("ann", "1", "a"), vote("ben", "1", "b", a="b", b="a"), vote("ann", "2", "tie")])
    assert found.pairs == (PairCount("a", "b", "depth", 2, 1, 0),)
    assert [(person.annotator, person.votes, person.pairs) for person in found.people] == [("ann", 2, 2), ("ben", 1, 1)]
