"""What a model is told about its answers."""

from typing import Any

import pytest

from drretail.env.world import World
from drretail.querygen.by_model.answer import WrittenQuery, as_constraints
from drretail.querygen.by_model.place import Place
from drretail.querygen.by_model.problems import Examiner, unusable
from drretail.querygen.lint import Linter
from drretail.records.query import Query
from tests.querygen.by_model.scripted import written
from tests.querygen.conftest import product_id

ANNA = Place("anna", 1, "ANNA")
ANYBODY = Place("generic-home", 1, category="Home_and_Kitchen")


@pytest.fixture(scope="module")
def examiner(world: World) -> Examiner:
    return Examiner(Linter(world), world.catalog.categories())


def problem(examiner: Examiner, place: Place = ANNA, earlier: tuple[Query, ...] = (), **changes: Any) -> str | None:
    answer = WrittenQuery.model_validate(written(**changes))
    query = Query(
        query_id=place.query_id(1),
        user_id=place.user_id,
        text=answer.query,
        mode="generic" if place.user_id is None else "profile_aware",
        rationale=answer.rationale,
        expected_tools=tuple(answer.expected_tools),
        constraints=as_constraints(answer.constraints),
        source="fake:x",
    )
    return examiner.problem(answer, place, earlier, query)


def test_nothing_is_said_of_a_good_answer(examiner: Examiner) -> None:
    assert problem(examiner) is None
    assert problem(examiner, ANYBODY, expected_tools=["web_search", "product_catalog_search", "calculator"]) is None


TEXT = written()["query"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"budget": None}, "names a budget that the constraints lack"),
        ({"budget": {"amount": 60, "currency": "EUR", "bounds": "total"}}, "the typed budget"),
        ({"brands_wanted": ["Tallow"]}, "'Tallow' (the text lacks tallow)"),
        ({"must": ["waterproof"]}, "'waterproof'"),
        ({"deadline": "by Friday"}, "'by Friday'"),
        ({"quantities": [{"thing": "ladder", "number": 2}]}, "'ladder'"),
        ({"quantities": [{"thing": "planter", "number": 3}]}, "doesn't say that 3 of 'planter' are wanted"),
        ({"quantities": [{"thing": "planter", "number": 1}]}, "leave 'planter' out of quantities"),
        ({"categories": ["Spaceships"]}, "no category 'Spaceships'"),
        ({"owned": [product_id("cast iron skillet", 1)]}, "leave it out of owned"),
        ({"expected_tools": ["get_user_orders", "product_catalog_search", "calculator"]}, "web_search is not among"),
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


def test_numbers_may_be_words_or_digits_but_no_part_of_an_amount(examiner: Examiner) -> None:
    for said in ("a pair of planters", "2 planters"):
        assert problem(examiner, query=TEXT.replace("two planters", said)) is None
    dear = TEXT.replace("two planters", "planters").replace("$60", "$2")
    told = problem(examiner, query=dear, budget={"amount": 2, "currency": "USD", "bounds": "total"})
    assert "doesn't say that 2" in (told or "")


def test_a_generic_question_expects_nothing_of_a_record(examiner: Examiner) -> None:
    told = problem(examiner, ANYBODY, owned=[product_id("bird feeder", 1)]) or ""
    assert "expects a tool that reads a shopper's record" in told
    assert "leave it out of owned" in told


def test_a_question_like_an_earlier_one_is_told(examiner: Examiner) -> None:
    earlier = Query(query_id="anna-0", text=TEXT.replace("$60", "$70"), source="fake:x")
    assert "too much like" in (problem(examiner, earlier=(earlier,)) or "")


@pytest.mark.parametrize("amount", [0, -5, 1e30, float("inf"), float("nan"), 12.345])
def test_what_is_no_amount_of_money_is_told_before_anything_else(amount: float) -> None:
    answer = WrittenQuery.model_validate(written(budget={"amount": amount, "currency": "USD", "bounds": "total"}))
    assert unusable(answer) is not None
    assert unusable(WrittenQuery.model_validate(written())) is None
