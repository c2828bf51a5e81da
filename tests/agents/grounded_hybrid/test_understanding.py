"""How the question is understood: asked first, once more where it does not fit, and never the query's own wish."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.grounded_hybrid.understanding import Understood, UnderstoodWant
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.prompts import tag_content
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.agents.conftest import QUERY
from tests.agents.grounded_hybrid.staging import FOR_30, WISH, play, plays, understanding
from tests.agents.hybrid_react.cast import UNDERSTANDING

ANSWERED = Wish(
    wants=(
        Want(
            name="press", kinds=("French press", "pour-over"), must=("glass",), rating_min=4.5, price_max=Money.of(40)
        ),
        Want(name="filters", kinds=("coffee filter",), quantity=3, optional=True, again=True),
    ),
    budget=Money.of("60.50", "EUR"),
    room=True,
    deadline="by Friday",
)


def answer(**fields: Any) -> AIMessage:
    return AIMessage(json.dumps(FOR_30.model_dump(mode="json") | fields))


def test_the_wish_is_the_first_answer_and_is_kept_in_the_run(world: World) -> None:
    cast = plays(understood=(understanding(FOR_30),))
    run = play(world, cast).run
    assert run.understood == FOR_30
    first = next(step for step in run.steps if step.kind == "model")
    assert (first.path, first.role) == ("0", "supervisor")
    (asked,) = cast.shown[UNDERSTANDING]
    assert asked.schema == "Understood"
    assert tag_content("query", asked.messages[1].text) == QUERY.text
    assert "B0TEST0001" in (tag_content("owned", asked.messages[1].text) or "")


def test_an_answer_becomes_the_same_wish() -> None:
    assert Understood.model_validate_json(ANSWERED.model_dump_json(), strict=True).as_wish() == ANSWERED


@pytest.mark.parametrize(("answered", "record"), [(Understood, Wish), (UnderstoodWant, Want)])
def test_every_field_of_a_wish_has_to_be_answered(answered: type[Wish], record: type[Wish]) -> None:
    schema = answered.model_json_schema()
    assert list(schema["properties"]) == list(record.model_fields) == schema["required"]


@pytest.mark.parametrize(
    ("unfit", "why"),
    [
        (AIMessage("Two feeders, I suppose."), "Invalid JSON"),
        (answer(budget={"amount": "$30", "currency": "USD"}), "is not a decimal number"),
        (answer(wants=[]).model_copy(update={"content": "{}"}), "wants: Field required"),
        (answer(wants=FOR_30.model_dump(mode="json")["wants"] * 2), "two wants have the same name"),
        (answer(budget=None, people=3), "people: Extra inputs are not permitted"),
    ],
)
def test_what_does_not_fit_is_asked_for_once_more(world: World, unfit: AIMessage, why: str) -> None:
    cast = plays(understood=(unfit, understanding(FOR_30)))
    run = play(world, cast).run
    assert (run.understood, run.notes) == (FOR_30, play(world, plays(understood=(understanding(FOR_30),))).run.notes)
    assert why in (tag_content("problem", cast.shown[UNDERSTANDING][1].last) or "")


@pytest.mark.parametrize("unusable", [AIMessage("No."), ModelError("refusal", "no"), ModelError("timeout", "slow")])
def test_without_a_usable_answer_the_run_goes_on_without_a_wish(world: World, unusable: AIMessage | ModelError) -> None:
    cast = plays(understood=(unusable, unusable))
    run = play(world, cast).run
    assert (run.status, run.understood) == ("done", None)
    assert run.notes[0].startswith("not known how the question was understood: ")
    for turn in (cast.shown["supervisor"][0], *cast.shown["researcher"], *cast.shown["report"]):
        assert tag_content("wish", turn.messages[1].text) is None
        assert tag_content("query", turn.messages[1].text) or tag_content("sub_problem", turn.messages[1].text)
    assert len(cast.shown[UNDERSTANDING]) == (2 if isinstance(unusable, AIMessage) else 1)


def test_a_product_that_is_in_no_order_is_not_owned(world: World) -> None:
    run = play(world, plays(understood=(answer(owned=["B0TEST0004", "B0NOBODYS1"]),))).run
    assert run.understood is not None
    assert run.understood.owned == ("B0TEST0004",)
    assert run.notes[0] == "named as owned, but in no order: B0NOBODYS1"


def test_without_a_shopper_no_orders_are_shown(world: World) -> None:
    cast = plays()
    play(world, cast, query=Query(query_id="q2", text=QUERY.text, source="test"))
    (asked,) = cast.shown[UNDERSTANDING]
    assert tag_content("owned", asked.messages[1].text) is None


def test_a_question_for_nothing_to_buy_is_understood_as_that(world: World) -> None:
    cast = plays(understood=(understanding(Wish()),), cart="\n\n```picks\n```")
    run = play(world, cast).run
    assert (run.status, run.understood, run.picks) == ("done", Wish(), ())
    assert json.loads(tag_content("wish", cast.shown["report"][0].messages[1].text) or "") == {"owned_besides": 2}


def test_the_query_s_own_wish_changes_nothing(world: World) -> None:
    """Two queries that differ in their wish alone are answered alike."""
    typed = QUERY.model_copy(update={"wish": Wish(wants=(Want(name="zither", kinds=("zither",)),))})
    runs = [play(world, plays(understood=(understanding(WISH),)), query=query) for query in (QUERY, typed)]
    assert runs[0].run == runs[1].run
