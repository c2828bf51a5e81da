import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.facts import product_of, settle
from drretail.grounding.products import compact_json, order_item, record_text
from drretail.records.evidence import EvidenceText
from tests.grounding.shelf import BATH, FEEDER, HOUSE, ORDER, PACK, STATION, text_of

RECORD = text_of(record_text(STATION))
OTHER = text_of(record_text(FEEDER))
BOUGHT = text_of(compact_json(order_item(ORDER, HOUSE)))
SUM = text_of("43.99 + 36.99 = 80.98")


@pytest.mark.parametrize(
    "claim",
    [
        "The Quillet Bird Feeding Station Kit costs $43.99.",
        "The Quillet Bird Feeding Station Kit is rated 4.5 out of 5 from 2,067 ratings.",
        "It has 2,067 reviews [P:B0SHELF001].",
        "The kit (B0SHELF001) is priced at $43.99.",
    ],
)
def test_a_claim_of_nothing_but_right_values_is_right(claim: str) -> None:
    settled = settle(claim, [RECORD])
    assert settled is not None
    assert settled.value == 1
    assert settled.quote in settled.source.text


@pytest.mark.parametrize(
    "claim",
    [
        "The Quillet Bird Feeding Station Kit costs $44.99.",
        "The Quillet Bird Feeding Station Kit, which squirrels hate, is rated 4.9 out of 5.",
        "It has 267 reviews and four hooks.",
    ],
)
def test_one_contradicted_value_makes_a_claim_wrong(claim: str) -> None:
    settled = settle(claim, [RECORD])
    assert settled is not None
    assert settled.value == 0
    assert settled.quote in settled.source.text


@pytest.mark.parametrize(
    "claim",
    [
        "The kit costs $43.99 and keeps squirrels away.",
        "The kit is easy to set up.",
        "The kit costs $7.00 more than the feeder.",
        "The kit does not cost $50.",
        "The kit was $59.99 before.",
        "The kit costs about $44 to most buyers.",
        "The kit costs $44.",
    ],
)
def test_a_claim_that_says_more_is_left_to_the_judge(claim: str) -> None:
    assert settle(claim, [RECORD]) is None


def test_of_several_products_the_one_that_is_named_is_taken() -> None:
    claim = "The Ostrabel Panorama Tube Feeder costs $36.99."
    settled = settle(claim, [RECORD, OTHER])
    assert settled is not None
    assert (settled.value, settled.source) == (1, OTHER)
    assert settle("It costs $36.99.", [RECORD, OTHER]) is None


def test_a_price_that_is_the_lowest_of_several_contradicts_nothing() -> None:
    assert settle("The suet cakes cost $19.88.", [text_of(record_text(PACK))]) is None


def test_an_order_has_its_date() -> None:
    right = settle("You bought the Marlowick Cedar Nest Box on 13 September 2020.", [BOUGHT])
    wrong = settle("You bought the Marlowick Cedar Nest Box on 14 September 2020.", [BOUGHT])
    assert right is not None
    assert wrong is not None
    assert (right.value, wrong.value) == (1, 0)


def test_a_calculation_has_one_result() -> None:
    right, wrong = settle("Together that is $80.98.", [SUM]), settle("Together that is $81.98.", [SUM])
    assert right is not None
    assert wrong is not None
    assert (right.value, wrong.value) == (1, 0)
    assert settle("Together that is $80.98, which leaves $19.02 of $100.", [SUM]) is None


NEST = text_of(record_text(HOUSE))
UNPRICED = text_of(record_text(BATH))
KIT, TUBE = "the Quillet Bird Feeding Station Kit", "the Ostrabel Panorama Tube Feeder"
RUNNER_UP = f"The runner-up is {TUBE}: $36.99, $7.00 less, but rated 4.3 out of 5 against 4.5, from 12,408 ratings"
STATISTICS = text_of('{"evidence":"U:statistics","orders":2,"currency":"USD","mean_order":101.98}')
TOTALS = [SUM, text_of("100-80.98 = 19.02")]


@pytest.mark.parametrize(
    ("claim", "sources", "value"),
    [
        (f"Get {KIT} ($43.99) and {TUBE} ($36.99).", [RECORD, OTHER], 1),
        (f"Get {KIT} ($43.99) and {TUBE} ($39.66).", [RECORD, OTHER], 0),
        (f"Get {KIT} ($36.99) and {TUBE} ($43.99).", [RECORD, OTHER], 0),
        (f"{RUNNER_UP} where the pick has 2,067.", [RECORD, OTHER], 1),
        (f"{RUNNER_UP} where the pick has 2,068.", [RECORD, OTHER], 0),
        (f"{RUNNER_UP} where the pick has 2,067.".replace("less", "more"), [RECORD, OTHER], 0),
        (f"{RUNNER_UP} where the pick has 2,067.".replace("4.5", "4.6"), [RECORD, OTHER], 0),
        (f"Get {KIT} ($43.99) and {TUBE} ($36.99), which lasts longer.", [RECORD, OTHER], None),
        (f"Get {KIT} ($43.99) and {TUBE} ($36.99).", [RECORD, OTHER, NEST], None),
        (f"Get {KIT} ($43.99) and {TUBE}.", [RECORD, OTHER], None),
        (f"{KIT} is not $43.99, and {TUBE} costs $36.99.", [RECORD, OTHER], None),
        ("Prices: the shop lists none for the Tarnside Heated Bird Bath.", [UNPRICED], 1),
        (f"Prices: the shop lists none for {KIT}.", [RECORD], 0),
        ("Get the Tarnside Heated Bird Bath with Stand: no price listed.", [UNPRICED], 1),
        (f"Get {KIT}: no price listed, 4.5 out of 5.", [RECORD], 0),
        (f"{KIT}: no price listed by others.", [UNPRICED], None),
        ("Your orders come to $101.98 on average.", [STATISTICS], 1),
        ("Your orders come to $501.98 on average.", [STATISTICS], 0),
        ("Together that is $80.98, $19.02 under your $100.", TOTALS, 1),
        ("Together that is $80.98, $29.02 under your $100.", TOTALS, 0),
        ("Together that is $80.98, $19.02 under your $200.", TOTALS, None),
    ],
)
def test_values_that_belong_to_one_record_beyond_doubt_are_settled(
    claim: str, sources: list[EvidenceText], value: int | None
) -> None:
    settled = settle(claim, sources)
    assert (settled and settled.value) == value, settled
    assert settled is None or settled.quote in settled.source.text


def test_web_pages_and_missing_sources_settle_nothing() -> None:
    page = text_of('{"evidence":"W:aaaaaaaa","snippet":"The kit costs $43.99."}', "snippet")
    assert settle("The kit costs $43.99.", [page]) is None
    assert settle("The kit costs $43.99.", []) is None
    assert settle("The kit costs $43.99.", [RECORD, page]) is None


@given(st.text(max_size=120))
def test_no_words_without_a_value_are_ever_settled_as_right(text: str) -> None:
    if not any(character.isdigit() for character in text):
        assert settle(text, [RECORD]) is None


def test_a_record_is_read_back_as_its_product() -> None:
    assert product_of(record_text(STATION)) == STATION
    assert product_of("no record") is None
    assert product_of('{"product_id": "X"}') is None


def test_only_what_was_delivered_is_at_hand() -> None:
    claim = "You already have the Marlowick Cedar Nest Box (ordered 13 September 2020)."
    cancelled = text_of(BOUGHT.text.replace('"Delivered"', '"Cancelled"'))
    right = settle(claim, [BOUGHT])
    assert right is not None
    assert right.value == 1
    assert settle(claim, [cancelled]) is None
