from typing import Any

import pytest

from drretail.errors import ToolError
from drretail.tools.arguments import read_arguments, recordable
from drretail.tools.registry import TOOLS
from drretail.tools.schema import read_schema

SEARCH = read_schema(TOOLS["product_catalog_search"].function).parameters
UPDATE = read_schema(TOOLS["update_user_profile"].function).parameters


def problem(given: object) -> ToolError:
    with pytest.raises(ToolError) as raised:
        read_arguments(SEARCH, given)
    assert raised.value.kind == "invalid_argument"
    return raised.value


def test_given_arguments_come_back_typed_and_without_defaults() -> None:
    given = {"query": "x", "limit": 5, "price_max": 20, "category": None}
    read = read_arguments(SEARCH, given)
    assert read == {"query": "x", "limit": 5, "price_max": 20.0}
    assert isinstance(read["price_max"], float)


@pytest.mark.parametrize(
    ("argument", "sent", "understood"),
    [
        ("limit", "20", 20),
        ("price_max", "24.99", 24.99),
        ("rating_min", "+4", 4.0),
    ],
)
def test_clean_numerals_in_strings_are_numbers(argument: str, sent: object, understood: float) -> None:
    assert read_arguments(SEARCH, {"query": "x", argument: sent})[argument] == understood


@pytest.mark.parametrize(
    ("argument", "sent", "message"),
    [
        ("limit", 0, "limit must be a whole number from 1 to 50; 0 is not."),
        ("limit", 2.5, "limit must be a whole number from 1 to 50; 2.5 is not."),
        ("limit", True, "limit must be a whole number from 1 to 50."),
        ("price_max", "$25", "price_max must be a number of at least 0."),
        ("price_max", float("nan"), "price_max must be a number of at least 0."),
        ("price_min", -1, "price_min must be a number of at least 0; -1 is not."),
        ("rating_min", 5.1, "rating_min must be a number from 0 to 5; 5.1 is not."),
        ("query", 7, "query must be a string."),
        ("query", "x" * 501, "query has 501 characters; at most 500 are allowed."),
        ("query", "\ud83d", "query holds half of a character (an unpaired surrogate)."),
    ],
)
def test_wrong_values_are_named_with_what_is_allowed(argument: str, sent: object, message: str) -> None:
    raised = problem({"query": "x", argument: sent})
    assert (raised.field, raised.message) == (argument, message)


def test_a_wrong_choice_lists_the_right_ones() -> None:
    raised = problem({"query": "x", "sort_by": "cheapest"})
    assert raised.allowed == ["relevance", "price", "rating", "popularity"]


def test_an_unknown_argument_is_answered_with_the_nearest() -> None:
    raised = problem({"query": "x", "max_price": 5})
    assert raised.message.startswith("There is no argument 'max_price'. Did you mean price_min, price_max")
    assert raised.allowed is not None
    assert "price_max" in raised.allowed


@pytest.mark.parametrize("given", [{}, {"query": None}])
def test_a_missing_argument_is_described(given: dict[str, Any]) -> None:
    raised = problem(given)
    assert raised.field == "query"
    assert raised.message.startswith("query is missing: Words that describe")


@pytest.mark.parametrize("given", [None, [], "query=x", 5])
def test_arguments_that_are_no_object_are_refused(given: object) -> None:
    assert problem(given).message == "The arguments must be a JSON object."


def test_fields_of_an_object_are_read_like_arguments() -> None:
    read = read_arguments(UPDATE, {"user_id": "A", "address": {"city": "X", "zip": None}})
    assert read == {"user_id": "A", "address": {"city": "X"}}
    with pytest.raises(ToolError, match="Did you mean zip") as raised:
        read_arguments(UPDATE, {"user_id": "A", "address": {"zip_": "1"}})
    assert raised.value.field == "address.zip_"


def test_whatever_was_sent_can_be_written_down() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert recordable({"a": [1, 2.5, None, True, "ä"]}) == {"a": [1, 2.5, None, True, "ä"]}
    assert recordable({1: "\ud83d", "n": float("nan")}) == {"1": "\ufffd", "n": "nan"}
    assert "… (list)" in str(recordable(loop))
