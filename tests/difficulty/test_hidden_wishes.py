"""Queries that leave out limits which the shopper tells when asked."""

from pathlib import Path

import pytest

from drretail.difficulty.hidden_wishes import NO_SENTENCE, NOT_NECESSARY, by_sentence, hide
from drretail.difficulty.variations import UNMET, UNTYPED
from drretail.env.offers import Offers
from drretail.env.world import open_world
from drretail.querygen.lint import Linter
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.shop import USER, build_shop

FEEDER = Want(name="bird feeder", kinds=("bird feeder",), again=True)
TEXT = "I'd like a bird feeder. It should cost $30 at most."
QUERY = Query(query_id="q1", user_id=USER, text=TEXT, wish=Wish(wants=(FEEDER,), budget=Money.of(30)), source="t")
"""The best feeder of the shop costs more, and the one that $30 buys is worth no less."""


@pytest.fixture
def offers(tmp_path: Path) -> Offers:
    return Offers(open_world(build_shop(tmp_path / "world")))


def wanting(text: str = TEXT, **changed: object) -> Query:
    want = FEEDER.model_copy(update={name: value for name, value in changed.items() if name in Want.model_fields})
    budget = changed.get("budget", Money.of(30))
    return QUERY.model_copy(update={"text": text, "wish": Wish.model_validate({"wants": (want,), "budget": budget})})


CEDAR = wanting("A bird feeder, please. It has to be of cedar.", must=("cedar",), budget=None)


def test_the_sentence_of_a_necessary_limit_becomes_what_the_shopper_says(offers: Offers) -> None:
    made = hide([CEDAR], offers, manner="open", questions=4)
    (query,) = made.queries
    assert query.text == "A bird feeder, please."
    assert [(fact.topic, fact.field, fact.value, fact.say) for fact in query.hidden] == [
        ("feature", "must", "cedar", "It has to be of cedar.")
    ]
    assert (query.query_id, query.wish, query.manner, query.questions) == ("q1-hidden", CEDAR.wish, "open", 4)
    assert query.full_text == CEDAR.text
    assert Linter(offers.world).findings(query) == Linter(offers.world).findings(CEDAR)


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (wanting("I'd like a bird feeder. It should cost $500 at most.", budget=Money.of(500)), NOT_NECESSARY),
        (QUERY.model_copy(update={"wish": None}), UNTYPED),
        (wanting("A bird feeder. $2 at most.", budget=Money.of(2)), UNMET),
        (CEDAR.model_copy(update={"text": "A bird feeder of cedar, please."}), NO_SENTENCE),
        (CEDAR.model_copy(update={"text": "A bird feeder, please. Of cedar. Yes, cedar."}), NO_SENTENCE),
        (CEDAR.model_copy(update={"text": "A bird feeder, please."}), NO_SENTENCE),
    ],
    ids=["kept by the best cart", "not typed", "not sold", "in the want's sentence", "stated twice", "not stated"],
)
def test_what_cannot_be_left_out_is_not_hidden(query: Query, why: str, offers: Offers) -> None:
    assert dict(hide([query], offers).without) == {why: 1}


def test_what_an_order_shows_is_left_to_the_record_where_that_is_asked_for(offers: Offers) -> None:
    text = "A bird feeder, please. Tanagrove has to have made it."
    other = wanting(text, brands_wanted=("Tanagrove",), must=("cedar",), budget=None)
    parts = [part for part in (other.wish or Wish()).parts() if part.field == "brands_wanted"]
    assert by_sentence(text, other.wish or Wish(), parts)[1]
    weatherproof = CEDAR.model_copy(update={"user_id": "AF" + "Y" * 26})  # who ordered the feeder of cedar
    (query,) = hide([weatherproof], offers, from_record=True).queries
    assert [(fact.known_from, fact.shown_by) for fact in query.hidden] == [("record", ("O:0000000003",))]
