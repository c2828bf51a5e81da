"""How far people and judges agree: a row for every two of them."""

from dataclasses import replace

import pytest

from drretail.addons.lab.agreement import PEOPLE, agreement_of
from drretail.addons.lab.opinions import PREFERENCE, RATING, SUPPORT, Aspect, Kind, Opinion, Scale
from tests.build import known

OVERALL = Aspect(RATING, "overall")


def said(question: Aspect, rater: str, kind: Kind, values: list[float | None]) -> list[Opinion]:
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
    rows = {(first, second): its for (_, first, second), its in made.pairs().items()}
    assert list(rows) == [("ann", "ben"), ("ann", "a:judge"), ("ben", "a:judge"), (PEOPLE, "a:judge")]
    pearson = rows["ann", "ben"]["pearson"]
    assert (pearson.n, pearson.count("dropped"), pearson.value) == (3, 1, pytest.approx(0.5))
    assert rows[PEOPLE, "a:judge"]["percent"].value == 2 / 4  # people's means are 7, 4, 7, 2
    (together,) = made.where(name="alpha")
    assert (together.count("people"), together.n, together.note) == (2, 3, "interval")


def test_kappa_of_votes_is_over_the_sides_that_the_first_person_was_shown() -> None:
    """All prefer the first system by label in 3 of 4 pairs, and Ann saw it as A in half of them."""
    votes = Aspect(PREFERENCE, "overall")
    ann = said(votes, "ann", "person", [1, 1, 1, -1])
    ann = [replace(opinion, is_first_left=at % 2 == 0) for at, opinion in enumerate(ann)]
    others = [*said(votes, "ben", "person", [1, 1, 1, 1]), *said(votes, "a:judge", "judge", [1, 1, 1, 1])]
    its = agreement_of([*ann, *others]).pairs()
    for first, second in (("ann", "ben"), ("ann", "a:judge")):
        # Ann: A B A A, the other: A B A B; by labels the other says one thing only, and κ would be 0.
        assert its["preference: overall", first, second]["kappa"].value == pytest.approx(0.5)


def test_votes_that_are_level_are_a_tie_of_people_and_labels_that_are_level_are_nothing() -> None:
    votes = Aspect(PREFERENCE, "overall")
    made = agreement_of(
        [
            *said(votes, "ann", "person", [1, 1, -1]),
            *said(votes, "ben", "person", [-1, 1, -1]),
            *said(votes, "a:judge", "judge", [0, 1, 1]),
        ]
    )
    its = made.pairs()["preference: overall", PEOPLE, "a:judge"]
    assert (its["percent"].n, its["percent"].value) == (3, 2 / 3)
    assert its["soft_disagreement"].value == 0
    labels = agreement_of(
        [
            *said(Aspect(SUPPORT), "ann", "person", [1, 0.5, 0]),
            *said(Aspect(SUPPORT), "ben", "person", [0, 0.5, 0]),
            *said(Aspect(SUPPORT), "a:judge", "judge", [1, 0.5, 0.5]),
        ]
    )
    linear = labels.pairs()["support", PEOPLE, "a:judge"]["kappa_linear"]
    assert (linear.n, linear.count("dropped")) == (2, 1)


def test_an_order_has_an_interval_and_few_queries_have_none() -> None:
    question = Aspect(Scale("number", "interval"))
    for queries, has_interval in ((4, False), (12, True)):
        opinions = [
            Opinion(question, name, "person", f"i{at}", at + 5.0 * k * (at % 3), f"q{at % queries}")
            for k, name in enumerate(("ann", "ben"))
            for at in range(24)
        ]
        (its,) = agreement_of(opinions).pairs().values()
        assert [row.name for row in its.values() if row.ci_low is not None] == ["spearman"] * has_interval
    # Of 24 items and 12 queries: artanh of ρ by Student, with the variance that Fisher has.
    row = its["spearman"]
    assert (round(known(row.ci_low), 3), round(known(row.ci_high), 3)) == (0.791, 0.931)
