"""Whether a query needs its profile."""

from collections.abc import Callable

import pytest

from drretail.env.world import World
from drretail.querygen.checks.need import Need, first_choice, needs
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from tests.querygen.conftest import bought, product_id, products

Asking = Callable[..., Query]


@pytest.fixture
def asking(query: Query) -> Asking:
    """The query with another text and user, without any constraint."""

    def ask(text: str, user_id: str = "ANNA") -> Query:
        return Query.model_validate(
            query.model_dump(mode="json") | {"text": text, "user_id": user_id, "constraints": {}}
        )

    return ask


def reasons(linter: Linter, query: Query) -> tuple[Need, ...]:
    case = linter.case(query)
    assert case.shopper is not None
    return needs(case, case.shopper)


def test_a_question_that_anybody_could_ask_needs_no_profile(linter: Linter, asking: Asking) -> None:
    query = asking("What is the best bed sheet set, and why do people pay more for linen?", "BERT")
    assert reasons(linter, query) == ()
    (finding,) = (it for it in linter.check(query).findings if it.code == "profile_not_needed")
    assert finding.found is not None
    assert product_id("bed sheet set", 4) in finding.found


def test_a_thing_that_is_had_stands_in_the_record_only(linter: Linter, asking: Asking) -> None:
    text = "I've had my cast iron skillet for long. Which food storage containers would go with it?"
    assert reasons(linter, asking(text, "BERT")) == ("owned",)
    assert reasons(linter, asking(text.replace("cast iron skillet", "humidifier"), "BERT")) == ()


@pytest.fixture
def outdoors(make_world: Callable[..., World]) -> Linter:
    """A shop in which headlamps are sold in another department than all else; Bert has a blanket."""
    moved = [
        it.model_copy(update={"category": "Sports_and_Outdoors", "categories": ("Sports_and_Outdoors",)})
        if "Headlamp" in it.title
        else it
        for it in products()
    ]
    return Linter(make_world(moved, bought("BERT", "weighted blanket")))


ASIDE = "I've had my weighted blanket for a while. Which headlamp is the brightest, and why do people pay more?"


def test_a_thing_of_another_sort_that_is_told_by_the_way_asks_for_no_record(outdoors: Linter, asking: Asking) -> None:
    assert reasons(outdoors, asking(ASIDE, "BERT")) == ()


@pytest.mark.parametrize(
    "text",
    [
        ASIDE.replace("headlamp is the brightest", "bed sheet set is the best"),
        ASIDE.replace("is the brightest", "would go with it"),
        ASIDE + " The blanket must not get dirty.",
        ASIDE + " Please look at my orders.",
        ASIDE + " Tell me what suits what I own.",
        "Which headlamp is the brightest, now that I've had my weighted blanket for a while?",
    ],
)
def test_whatever_comes_back_to_it_asks_for_the_record(outdoors: Linter, asking: Asking, text: str) -> None:
    assert "owned" in reasons(outdoors, asking(text, "BERT"))


def test_the_answer_to_a_question_of_place_is_in_the_profile(linter: Linter, asking: Asking) -> None:
    assert reasons(linter, asking("Which birdhouse suits the birds in my state?", "BERT")) == ("place",)


def test_what_the_user_usually_spends_is_in_the_record(linter: Linter, asking: Asking) -> None:
    query = asking("Which bed sheet set is the best within what I normally spend, and why?", "BERT")
    assert reasons(linter, query) == ("spending",)


def test_what_was_bought_before_is_no_new_choice(make_world: Callable[..., World], asking: Asking) -> None:
    best = product_id("bed sheet set", 4)
    orders = bought("BERT", "bed sheet set", number=4)
    linter = Linter(make_world(products(), orders))
    query = asking("Which bed sheet set is the best, and why?", "BERT")
    case = linter.case(query)
    assert case.shopper is not None
    anybody, user = (first_choice(case, case.slots[0], shopper) for shopper in (None, case.shopper))
    assert (anybody and anybody.product.product_id) == best
    assert (user and user.product.product_id) != best
    assert "choice" in reasons(linter, query)


def test_a_brand_that_was_bought_again_and_again_comes_first(make_world: Callable[..., World], asking: Asking) -> None:
    linter = Linter(make_world(products(), bought("BERT", "planner", "bird bath", number=3)))
    assert reasons(linter, asking("Which bed sheet set is the best, and why?", "BERT")) == ("choice",)


def test_whoever_buys_at_another_price_makes_another_choice(make_world: Callable[..., World], asking: Asking) -> None:
    orders = [*bought("BERT", "planner", number=2), *bought("BERT", "bird bath", number=1, first=5)]
    linter = Linter(make_world(products(), sorted(orders, key=lambda row: row.place)))
    case = linter.case(asking("Which bed sheet set is the best, and why?", "BERT"))
    assert case.shopper is not None
    assert case.shopper.price_level == 0.4
    choice = first_choice(case, case.slots[0], case.shopper)
    # The dearest is rated 4.7, the one nearer to where the user buys 4.4.
    assert (choice and choice.product.product_id) == product_id("bed sheet set", 3)


def test_what_is_wanted_again_comes_first(make_world: Callable[..., World], asking: Asking) -> None:
    linter = Linter(make_world(products(), bought("BERT", "shampoo", number=0)))
    case = linter.case(asking("I've almost finished the shampoo I bought. Order the same again, or another?", "BERT"))
    assert case.shopper is not None
    choice = first_choice(case, case.slots[0], case.shopper)
    assert (choice and choice.product.product_id) == product_id("shampoo", 0)
