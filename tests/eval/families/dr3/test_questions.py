"""What is asked, and how answers are read: insights, requirements, long sources."""

import pytest

from drretail.eval.claims.support import SourceText
from drretail.eval.families.dr3.accuracy import LONGEST_SOURCE, part_of, pieces_of_long
from drretail.eval.families.dr3.checklist import wish_requirements
from drretail.eval.families.dr3.insights import MarkedInsights, marked
from drretail.eval.judging.passages import OMITTED, best_pieces, size
from drretail.records.base import sha256_of
from drretail.records.evidence import EvidenceText
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish


def source(text: str) -> SourceText:
    return SourceText(
        "W:aaaaaaaa", EvidenceText(sha256=sha256_of(text), form="page", text=text, shown=True, path="0", seq=0)
    )


@pytest.mark.parametrize(
    ("said", "value"), [(1, 1), (0.5, 0.5), (0, 0), (0.75, 1), (0.74, 0.5), (0.25, 0.5), (0.24, 0), (9, 1), (-1, 0)]
)
def test_the_released_rules_snap_odd_numbers(said: float, value: float) -> None:
    answer = MarkedInsights.model_validate({"insights": [{"insight_id": 1, "found": "", "score": said}]})
    assert dict(reversed(marked(answer)))[1].value == value


def test_the_released_rules_count_an_insight_that_was_left_out_as_nought() -> None:
    answer = MarkedInsights.model_validate({"insights": [{"insight_id": 2, "found": "", "score": 1}]})
    by_number = dict(reversed(marked(answer)))
    assert [by_number[number].value for number in (1, 2, 3)] == [0, 1, 0]


def required(wish: Wish | None) -> list[tuple[str | None, str]]:
    made = wish_requirements(Query(query_id="q1", text="?", wish=wish, source="test"))
    return [(criterion.kind, criterion.text) for criterion in made.criteria]


def test_a_typed_wish_becomes_requirements_in_words() -> None:
    feeder = Want(
        name="feeder",
        kinds=("Bird Feeders", "feeder"),
        quantity=2,
        must=("cotton",),
        must_not=("perfume",),
        rating_min=4,
        ratings_min=1000,
        price_max=Money(amount="25.5"),
        brands_wanted=("Anvil", "Oak"),
        brands_unwanted=("Flimsy",),
    )
    scoop = Want(name="scoop", kinds=("scoop",), optional=True)
    wish = Wish(wants=(feeder, scoop), budget=Money.of(60), deadline="2023-12-24", owned=("a seed scoop",))
    assert required(wish) == [
        ("want", "It recommends what is asked for as feeder (Bird Feeders or feeder), 2 pieces."),
        ("must", "As feeder it recommends only what meets this demand: cotton."),
        ("must_not", "As feeder it recommends nothing that is or has what is not wanted: perfume."),
        ("rating_min", "As feeder it recommends only what is rated with at least 4 stars."),
        ("ratings_min", "As feeder it recommends only what has at least 1,000 ratings."),
        ("price_max", "As feeder it recommends only what costs no more than $25.50 a piece."),
        ("brands_wanted", "As feeder it recommends only what is by Anvil or Oak."),
        ("brands_unwanted", "As feeder it recommends nothing by Flimsy."),
        ("want", "It says whether to buy what is asked for as scoop."),
        ("budget", "What it recommends costs no more than $60.00 together."),
        ("deadline", "It keeps to the date by which things are needed: 2023-12-24."),
        ("owned", "It does not recommend to buy again what is owned already: a seed scoop."),
    ]


def test_where_more_of_what_is_owned_is_wanted_nothing_is_asked_of_it() -> None:
    again = Wish(wants=(Want(name="scoop", kinds=("scoop",), again=True),), owned=("a seed scoop",))
    assert [kind for kind, _ in required(again)] == ["want"]


def test_a_wish_for_nothing_requires_that_and_of_one_that_nobody_typed_nothing_is_required() -> None:
    assert required(Wish()) == [("want", "It recommends to buy nothing.")]
    assert required(None) == []


def test_a_source_of_up_to_20_000_characters_is_shown_whole_and_a_longer_one_by_its_five_best_pieces() -> None:
    whole = source("x" * LONGEST_SOURCE)
    assert pieces_of_long([whole], ["Birds."], None) == [whole]
    filler = ("lorem " * 84)[:500]
    marked_pieces = [f"The zebra number {number} likes oats. ".ljust(500, ".") for number in range(7)]
    text = "".join(filler + piece for piece in marked_pieces) + filler * 30
    (cut,) = pieces_of_long([source(text)], ["A zebra likes oats."], None)
    assert len(text) > LONGEST_SOURCE
    assert [number for number in range(7) if f"zebra number {number} " in cut.text.text] == [0, 1, 2, 3, 4]
    assert "lorem" not in cut.text.text
    assert (cut.text.sha256, cut.ref.share) == (sha256_of(text), round(size(cut.text.text) / len(text), 3))


def test_pieces_stand_in_their_order_with_marks_where_something_is_left_out() -> None:
    text = "".join(name * 10 for name in ("ab ", "cd ", "ef ", "gh "))
    assert best_pieces(text, ["gh", "ab"], 30, 2) == f"{'ab ' * 10}{OMITTED}{'gh ' * 10}"


def test_sources_are_sorted_by_their_form() -> None:
    assert [part_of(it) for it in ("F:abcdefgh", "W:abcdefgh", "https://a.example/x", "P:B01", "C:abcdefgh")] == [
        "files",
        "sandbox",
        "sandbox",
        None,
        None,
    ]
