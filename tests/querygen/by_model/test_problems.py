"""What a model is told about its answers."""

from typing import Any

import pytest

from drretail.env.world import World
from drretail.querygen.by_model.answer import WrittenQuery
from drretail.querygen.by_model.place import Place
from drretail.querygen.by_model.problems import Examiner, listed, unusable
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from tests.querygen.by_model.scripted import written
from tests.querygen.conftest import product_id

ANNA = Place("anna", 1, "ANNA")
ANYBODY = Place("generic-home", 1, category="Home_and_Kitchen")


@pytest.fixture(scope="module")
def examiner(world: World) -> Examiner:
    return Examiner(world, Linter(world))


def problem(examiner: Examiner, place: Place = ANNA, earlier: tuple[Query, ...] = (), **changes: Any) -> str | None:
    answer = WrittenQuery.model_validate(written(**changes))
    query = examiner.query_of(answer, place.query_id(1), place.user_id, "fake:x")
    return listed(examiner.findings(query, earlier)) or None


def test_nothing_is_said_of_a_good_answer(examiner: Examiner) -> None:
    assert problem(examiner) is None
    assert problem(examiner, ANYBODY, expected_tools=["web_search", "product_catalog_search", "calculator"]) is None


TEXT = written()["query"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"budget": None}, "names a budget that the constraints lack"),
        ({"budget": {"amount": 90, "currency": "USD", "bounds": "total"}}, "the typed budget"),
        ({"brands_wanted": ["Tallow"]}, "'Tallow' (the text lacks tallow)"),
        ({"must": ["waterproof"]}, "'waterproof'"),
        ({"deadline": "by Friday"}, "'by Friday'"),
        ({"quantities": [{"thing": "ladder", "number": 2}]}, "'ladder'"),
        ({"categories": ["Spaceships"]}, "not in the shop: 'Spaceships'"),
        ({"owned": [product_id("cast iron skillet", 1)]}, "was not ordered, or not kept"),
        (
            {"expected_tools": ["get_user_orders", "product_catalog_search", "calculator"]},
            "web_search is not among the expected tools",
        ),
        ({"expected_tools": ["get_user_orders", "web_search", "telepathy"]}, "telepathy"),
        ({"expected_tools": ["product_catalog_search", "web_search", "calculator"]}, "reads the user's record"),
        ({"query": "Which planters?"}, "fewer than 20 words"),
        ({"query": f"{TEXT} Write to me at mara@example.org."}, "mara@example.org"),
        ({"rationale": "Just so."}, "fewer than 8 words"),
        ({"rationale": "It grows out of the order 1234567890 that the record shows."}, "1234567890"),
    ],
)
def test_each_fault_is_told(examiner: Examiner, changes: dict[str, Any], told: str) -> None:
    assert told in (problem(examiner, **changes) or "")


def test_one_of_a_thing_is_no_quantity_and_an_id_may_come_as_evidence(examiner: Examiner) -> None:
    owned = product_id("bird feeder", 1)
    changes = {"quantities": [{"thing": "planter", "number": 1}], "owned": [f"P:{owned}"]}
    answer = WrittenQuery.model_validate(written(**changes))
    constraints = examiner.query_of(answer, "q", "ANNA", "fake:x").constraints
    assert (constraints.quantities, constraints.owned) == ({}, (owned,))


def test_a_generic_question_expects_nothing_of_a_record(examiner: Examiner) -> None:
    assert "expects a tool that reads a shopper's record" in (problem(examiner, ANYBODY) or "")


def test_a_question_like_an_earlier_one_is_told(examiner: Examiner) -> None:
    earlier = Query(query_id="anna-0", text=TEXT.replace("$60", "$70"), source="fake:x")
    assert "stands in an earlier query" in (problem(examiner, earlier=(earlier,)) or "")


@pytest.mark.parametrize("amount", [0, -5, 1e30, float("inf"), float("nan"), 12.345])
def test_what_is_no_amount_of_money_is_told_before_anything_else(amount: float) -> None:
    answer = WrittenQuery.model_validate(written(budget={"amount": amount, "currency": "USD", "bounds": "total"}))
    assert unusable(answer) is not None
    assert unusable(WrittenQuery.model_validate(written())) is None
