"""Raters held beside each other."""

from random import Random

import pytest

from drretail.lab.agreement import PEOPLE, agreement_of, pair_agreements
from drretail.lab.opinions import PREFERENCE, RATING, SUPPORT, Kind, Opinion, Question, Scale

OVERALL = Question(RATING, "overall")


def said(question: Question, rater: str, kind: Kind, values: list[float | None]) -> list[Opinion]:
    """What one rater said of items 0, 1, 2 …: two systems' reports on each query, one after the other."""
    return [
        Opinion(question, rater, kind, str(at), value, query_id=f"q{at // 2}", system="ab"[at % 2])
        for at, value in enumerate(values)
        if value is not None
    ]


def test_every_two_raters_have_a_row_and_people_together_one_more_beside_each_judge() -> None:
    made = agreement_of(
        [
            *said(OVERALL, "ann", "person", [8, 4, 6, 2]),
            *said(OVERALL, "ben", "person", [6, 4, 8, None]),
            *said(OVERALL, "a:judge", "judge", [7, 5, 7, 3]),
        ]
    )
    rows = {(pair.first, pair.second): pair for pair in made.pairs}
    assert list(rows) == [("ann", "ben"), ("ann", "a:judge"), ("ben", "a:judge"), (PEOPLE, "a:judge")]
    assert (rows["ann", "ben"].n, rows["ann", "ben"].n_dropped) == (3, 1)
    assert rows["ann", "ben"].pearson == pytest.approx(0.5)
    assert rows[PEOPLE, "a:judge"].percent == 2 / 4  # people's means are 7, 4, 7, 2
    (together,) = made.people
    assert (together.n_people, together.n_items, together.level) == (2, 3, "interval")


def test_a_judge_is_held_beside_the_mean_of_people_by_points_and_by_order() -> None:
    made = agreement_of(
        [
            *said(OVERALL, "ann", "person", [8, 4, 6, 2]),
            *said(OVERALL, "ben", "person", [6, 4, 8, None]),
            *said(OVERALL, "a:judge", "judge", [7, 5, 3, 7]),
        ]
    )
    (row,) = made.alignments
    assert row.mean_absolute_deviation == (0 + 1 + 4 + 5) / 4
    assert row.pairwise_comparison_accuracy == 1 / 2
    assert row.ranking_agreement == 1 / 2


def test_votes_that_are_level_are_a_tie_of_people_and_labels_that_are_level_are_nothing() -> None:
    votes = Question(PREFERENCE, "overall")
    made = agreement_of(
        [
            *said(votes, "ann", "person", [1, 1, -1]),
            *said(votes, "ben", "person", [-1, 1, -1]),
            *said(votes, "a:judge", "judge", [0, 1, 1]),
        ]
    )
    row = next(pair for pair in made.pairs if pair.first == PEOPLE)
    assert (row.n, row.percent) == (3, 2 / 3)
    assert row.soft_disagreement == 0
    labels = agreement_of(
        [
            *said(Question(SUPPORT), "ann", "person", [1, 0.5, 0]),
            *said(Question(SUPPORT), "ben", "person", [0, 0.5, 0]),
            *said(Question(SUPPORT), "a:judge", "judge", [1, 0.5, 0.5]),
        ]
    )
    row = next(pair for pair in labels.pairs if pair.first == PEOPLE)
    assert (row.n, row.n_dropped) == (2, 1)
    assert row.kappa_linear is not None


def test_words_without_an_order_have_no_correlation() -> None:
    words = Question(Scale("label", "nominal"))
    (row,) = agreement_of([*said(words, "ann", "person", [0, 1]), *said(words, "ben", "person", [0, 2])]).pairs
    assert (row.kappa, row.kappa_linear, row.spearman) == (pytest.approx(1 / 3), None, None)


def test_raters_with_nothing_in_common_have_no_row() -> None:
    made = agreement_of([*said(OVERALL, "ann", "person", [8, None]), *said(OVERALL, "ben", "person", [None, 4])])
    assert made.pairs == ()


def test_a_kappa_that_was_planted_lies_in_its_interval_and_chance_is_not_excluded() -> None:
    held = chance = 0
    for seed in range(40):
        lot = Random(seed)
        truth = [float(lot.random() < 0.5) for _ in range(120)]
        told = [value if lot.random() < 0.8 else 1 - value for value in truth]  # κ = .6
        coin = [float(lot.random() < 0.5) for _ in range(120)]
        raters = (("ann", truth), ("ben", told), ("cy", coin))
        opinions = [
            Opinion(Question(SUPPORT), name, "person", f"i{at}", value, f"q{at // 4}")
            for name, values in raters
            for at, value in enumerate(values)
        ]
        rows = {(row.first, row.second): row for row in pair_agreements(opinions)}
        near, far = rows["ann", "ben"], rows["ann", "cy"]
        assert near.low is not None
        assert near.high is not None
        assert far.low is not None
        assert far.high is not None
        held += near.low <= 0.6 <= near.high
        chance += far.low <= 0 <= far.high
    assert held >= 36
    assert chance >= 36


def test_an_order_has_an_interval_and_few_queries_have_none() -> None:
    question = Question(Scale("number", "interval"))
    for queries, has_interval in ((4, False), (12, True)):
        opinions = [
            Opinion(question, name, "person", f"i{at}", at + 5.0 * k * (at % 3), f"q{at % queries}")
            for k, name in enumerate(("ann", "ben"))
            for at in range(24)
        ]
        (row,) = pair_agreements(opinions)
        assert (row.low is not None) is has_interval
