"""Triplets become unique facts: same words once, the same in other words once, with all their references."""

from drretail.eval.triplets.facts import Fact, Triplet, distinct_facts, unique_facts

TRIPLETS = (
    Triplet(fact="It costs $5.", ref="1", source="P:A"),
    Triplet(fact="It costs $5.", ref="2", url="https://b.example", source="W:b"),
    Triplet(fact="it  costs $5.", ref="1", source="P:A"),
    Triplet(fact="Its price is $5.", ref="9"),
    Triplet(fact="It is red."),
)


def test_facts_in_the_same_words_are_one() -> None:
    assert distinct_facts(TRIPLETS) == ["It costs $5.", "Its price is $5.", "It is red."]


def test_duplicates_keep_all_references_under_the_first_words() -> None:
    assert unique_facts(TRIPLETS, [[1, 2]]) == [Fact("It costs $5.", ("P:A", "W:b"), ("9",)), Fact("It is red.")]
    assert unique_facts(TRIPLETS, []) == [
        Fact("It costs $5.", ("P:A", "W:b")),
        Fact("Its price is $5.", (), ("9",)),
        Fact("It is red."),
    ]
    assert unique_facts((), []) == []
