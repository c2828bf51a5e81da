from typing import Annotated, Any, Literal

import pytest
from annotated_types import Ge, Le

from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.tools.arguments import read_arguments, recordable
from drretail.tools.registry import TOOLS
from drretail.tools.schema import read_schema
from drretail.tools.tool import ToolResult

SEARCH = read_schema(TOOLS["product_catalog_search"].function).parameters
UPDATE = read_schema(TOOLS["update_user_profile"].function).parameters


def problem(given: object) -> ToolError:
    with pytest.raises(ToolError) as raised:
        read_arguments(SEARCH, given)
    assert raised.value.kind == "invalid_argument"
    return raised.value


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"limit": 5, "price_max": 20, "category": None}, {"limit": 5, "price_max": 20.0}),
        ({"limit": "20"}, {"limit": 20}),
        ({"price_max": "24.99"}, {"price_max": 24.99}),
        ({"rating_min": "+4"}, {"rating_min": 4.0}),
    ],
)
def test_given_arguments_come_back_typed_and_without_defaults(given: dict[str, Any], read: dict[str, Any]) -> None:
    found = read_arguments(SEARCH, {"query": "x", **given})
    assert found == {"query": "x", **read}
    assert [type(found[name]) for name in read] == [type(value) for value in read.values()]


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


def test_a_wrong_choice_or_name_is_told_the_right_ones_and_what_is_missing_is_described() -> None:
    assert problem({"query": "x", "sort_by": "cheapest"}).allowed == ["relevance", "price", "rating", "popularity"]
    unknown = problem({"query": "x", "max_price": 5})
    assert unknown.message.startswith("There is no argument 'max_price'. Did you mean price_min, price_max")
    assert "price_max" in (unknown.allowed or ())
    missing = [problem(given) for given in ({}, {"query": None})]
    assert [raised.field for raised in missing] == ["query", "query"]
    assert all(raised.message.startswith("query is missing: Words that describe") for raised in missing)
    for given in (None, [], "query=x", 5):
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


def example(
    session: Session,
    name: str,
    size: Literal["s", "m"] = "m",
    count: Annotated[int, Ge(1), Le(9)] | None = None,
    *,
    hidden: int = 0,
) -> ToolResult:
    """Does something
    over two lines.

    And more.

    Args:
        name: What it is called,
            e.g. "x".
        size: How large.
        count: How many.

    Returns:
        Something
        good.
    """
    raise NotImplementedError


def test_the_schema_comes_from_signature_and_docstring() -> None:
    schema = read_schema(example)
    assert schema.description == "Does something over two lines.\n\nAnd more.\n\nReturns: Something good."
    assert schema.as_json() == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": 'What it is called, e.g. "x".'},
            "size": {"type": "string", "description": "How large.", "enum": ["s", "m"], "default": "m"},
            "count": {"type": "integer", "description": "How many.", "minimum": 1, "maximum": 9},
        },
        "required": ["name"],
        "additionalProperties": False,
    }


def typed(session: Session, name: str) -> ToolResult:
    raise NotImplementedError


def untyped(session: Session, name) -> ToolResult:  # pyright: ignore -- the mistake
    raise NotImplementedError


def either(session: Session, name: str | int) -> ToolResult:
    raise NotImplementedError


NAMED = "Does something.\n\nArgs:\n    name: A name."


@pytest.mark.parametrize(
    ("function", "docstring", "message"),
    [
        (typed, "Does something.", "name"),
        (typed, f"{NAMED}\n    title: Gone.", "title"),
        (untyped, NAMED, "has no type"),
        (either, NAMED, "not one type"),
    ],
)
def test_a_function_that_says_too_little_never_reaches_a_model(
    monkeypatch: pytest.MonkeyPatch, function: Any, docstring: str, message: str
) -> None:
    monkeypatch.setattr(function, "__doc__", docstring)
    with pytest.raises(ValueError, match=message):
        read_schema(function)
