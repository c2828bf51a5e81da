"""The wish that the shopper reads in a question, and how it is asked for it."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.llm.registry import open_model
from drretail.llm.structured import structured
from drretail.offline.shopper.policy import shop
from drretail.offline.shopper.understanding import understood
from drretail.prompts import tagged
from drretail.records.money import Money
from drretail.records.wish import Want, Wish
from tests.offline.shopper.team import schema

MUGS_AND_LAMP = "Get four enamel mugs, not plastic, and a rechargeable headlamp for less than $70 in all."


@pytest.mark.parametrize(
    ("question", "wants"),
    [
        ("I need a tent.", [Want(name="tent", kinds=("tent",))]),
        ("I want two tents.", [Want(name="tents", kinds=("tents",), quantity=2)]),
        ("I need a chair. Let's say three.", [Want(name="chair", kinds=("chair",), quantity=3)]),
        ("I need a gel pen set.", [Want(name="gel pen set", kinds=("gel pen set", "gel pen"))]),
        (
            "We're running low on our enamel mugs.",
            [Want(name="enamel mugs", kinds=("enamel mugs",), again=True)],
        ),
        (
            "I need a kettle under $20 each, nothing from Tallis, with at least 4.5 stars.",
            [
                Want(
                    name="kettle",
                    kinds=("kettle",),
                    price_max=Money.of(20),
                    rating_min=4.5,
                    brands_unwanted=("Tallis",),
                )
            ],
        ),
        (
            "I need a diaper bag and a swaddle blanket. The swaddle blanket has to be cotton.",
            [
                Want(name="diaper bag", kinds=("diaper bag",)),
                Want(name="swaddle blanket", kinds=("swaddle blanket",), must=("cotton",)),
            ],
        ),
        ("Thanks!", []),
    ],
)
def test_each_thing_that_is_plainly_asked_for_is_a_want(question: str, wants: list[Want]) -> None:
    wish = understood(question)
    assert list(wish.wants) == wants
    assert not wish.room


def test_limits_of_everything_are_the_wishs() -> None:
    wish = understood(f"{MUGS_AND_LAMP} I need it by December 24.")
    assert (wish.budget, wish.deadline) == (Money.of(70), "by December 24")
    assert [(want.name, want.quantity, want.price_max) for want in wish.wants] == [
        ("enamel mugs", 4, None),
        ("rechargeable headlamp", 1, None),
    ]
    assert wish.wants[0].must_not == ("plastic",)


def test_of_two_things_that_are_weighed_either_will_do() -> None:
    (want,) = understood("Please suggest a dome tent or an enamel mug. I can spend $95.").wants
    assert (want.name, want.kinds) == ("dome tent or enamel mug", ("dome tent", "enamel mug"))


def test_where_nothing_is_plainly_asked_for_any_of_what_is_named_will_do_and_more_may_be_added() -> None:
    wish = understood("I've used my old dome tent since May. Which camp stove would a friend pick?")
    (want,) = wish.wants
    assert "camp stove" in want.kinds
    assert wish.room


def test_of_what_the_shopper_has_only_what_the_question_speaks_of_is_named_as_owned() -> None:
    owned = "B0A  2023-01-01  Orrin Dome Tent, Waterproof\nB0B  2022-05-01  Orrin Tent Pegs for Dome Tent\nand 3 more"
    assert understood("My dome tent leaks. I need a camp stove.", owned).owned == ("B0A",)
    assert understood("I need a dome tent.", owned).owned == ()


@given(st.text(alphabet=st.sampled_from("ab $€0129.,-–!\n'’<> nounderavoidfromIneedaor"), max_size=200))
def test_any_text_is_understood(question: str) -> None:
    assert Wish.model_validate(understood(question).model_dump()) is not None


def test_the_answer_names_every_field_of_wish_and_wants() -> None:
    answer = shop([HumanMessage(tagged("query", MUGS_AND_LAMP))], schema("Understood"), "any")
    (call,) = answer.tool_calls
    assert call["name"] == "Understood"
    assert call["args"].keys() == Wish.model_fields.keys()
    assert all(want.keys() == Want.model_fields.keys() for want in call["args"]["wants"])
    assert call["args"]["budget"] == {"amount": "70", "currency": "USD"}
    assert Wish.model_validate_json(json.dumps(call["args"]), strict=True) == understood(MUGS_AND_LAMP)


def test_a_model_without_structured_output_is_asked_in_words() -> None:
    asked = "\n".join([tagged("query", "I need a tent."), tagged("schema", json.dumps(_titled("Understood")))])
    assert json.loads(shop([HumanMessage(asked)], []).text)["wants"][0]["name"] == "tent"
    other = "\n".join([tagged("query", "I need a tent."), tagged("schema", json.dumps(_titled("Other")))])
    assert not shop([HumanMessage(other)], []).text.startswith("{")


def test_it_is_asked_for_as_any_model_is() -> None:
    bound = structured(open_model("offline:shopper"), _titled("Understood"))
    assert bound is not None
    answer = asyncio.run(bound.ainvoke([HumanMessage(tagged("query", "I need a tent."))]))
    assert answer.tool_calls[0]["args"]["wants"][0]["kinds"] == ["tent"]


def _titled(title: str) -> dict[str, Any]:
    return Wish.model_json_schema() | {"title": title, "description": "A wish."}
