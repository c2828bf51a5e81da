import pytest

from drretail.viewer.claims import Support
from drretail.viewer.diff.answers import Statement, changes, likeness_of


def said(number: int, text: str, *sources: str, support: Support | None = None) -> Statement:
    return Statement(number, text, sources, support)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("The tube feeder costs $24.99 [P:B1].", "Tube feeder: it costs $24.99.", True),
        ("The tube feeder costs $24.99.", "The tube feeder costs $19.99.", False),
        ("It costs $1,299.", "It costs $1299 [P:B1].", True),
        ("Fill the feeder with sunflower seeds.", "Wash the bath with vinegar.", False),
    ],
)
def test_statements_are_the_same_by_their_figures_and_words(a: str, b: str, *, same: bool) -> None:
    assert (likeness_of(said(1, a), said(1, b)) >= 0.5) is same


def test_what_is_cited_counts_like_a_word() -> None:
    a, same = said(1, "It is good.", "P:B1"), said(1, "It is good.", "P:B1")
    assert likeness_of(a, same) == 1
    assert likeness_of(a, said(1, "It is good.", "P:B2")) == pytest.approx(1 / 3)


def test_the_likest_are_matched_first_and_each_once() -> None:
    a = [said(1, "The cedar feeder is weatherproof"), said(2, "The cedar hopper feeder is weatherproof")]
    b = [said(1, "The cedar hopper feeder is weatherproof"), said(2, "Squirrels dislike pepper")]
    found = [(change.kind, change.a and change.a.number, change.b and change.b.number) for change in changes(a, b)]
    assert found == [("only_a", 1, None), ("only_b", None, 2), ("same", 2, 1)]


def test_the_same_statement_with_another_verdict_is_told_first() -> None:
    a = [said(1, "Squirrels dislike pepper"), said(2, "It is cedar", support="none")]
    (first, *_) = changes(a, [said(1, "It is cedar", support="full")])
    assert (first.kind, first.a, first.b and first.b.support) == ("verdict", a[1], "full")
