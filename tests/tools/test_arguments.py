"""An id is taken in every form that the shop prints, and is never another record's."""

import math
from functools import reduce
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.errors import ToolError
from drretail.records.base import canonical_json
from drretail.records.run import Step
from drretail.tools.arguments import read_arguments, recordable
from drretail.tools.registry import TOOLS
from drretail.tools.tool import Tool, ToolResult, read_schema
from drretail.tools.toolkit import Toolkit, ToolReply
from tests.tools.conftest import ANNA, BORIS, error_of

SEARCH = read_schema(TOOLS["product_catalog_search"].function).parameters


def problem(given: object) -> ToolError:
    with pytest.raises(ToolError) as raised:
        read_arguments(SEARCH, given)
    assert raised.value.kind == "invalid_argument"
    return raised.value


@pytest.mark.parametrize(
    ("argument", "sent", "message"),
    [
        ("limit", 0, "limit must be a whole number from 1 to 50; 0 is not."),
        ("limit", 51, "limit must be a whole number from 1 to 50; 51 is not."),
        ("limit", 2.5, "limit must be a whole number from 1 to 50; 2.5 is not."),
        ("limit", "2.5", "limit must be a whole number from 1 to 50; 2.5 is not."),
        ("limit", 2**53, "limit must be a whole number from 1 to 50."),
        ("limit", 2**53 - 1, "limit must be a whole number from 1 to 50; 9.0072e+15 is not."),
        ("price_max", -0.5, "price_max must be a number of at least 0; -0.5 is not."),
        ("query", "x" * 501, "query has 501 characters; at most 500 are allowed."),
        ("limit", True, "limit must be a whole number from 1 to 50."),
        ("price_max", "$25", "price_max must be a number of at least 0."),
        ("price_max", float("nan"), "price_max must be a number of at least 0."),
        ("rating_min", 5.1, "rating_min must be a number from 0 to 5; 5.1 is not."),
        ("query", 7, "query must be a string."),
        ("query", "\ud83d", "query holds half of a character (an unpaired surrogate)."),
    ],
)
def test_wrong_values_are_named_with_what_is_allowed(argument: str, sent: object, message: str) -> None:
    raised = problem({"query": "x", argument: sent})
    assert (raised.field, raised.message) == (argument, message)


def test_values_at_their_limits_and_numerals_in_strings_are_taken() -> None:
    given = {
        "query": "x" * 500,
        "limit": " 50 ",
        "price_min": "0",
        "price_max": "+12.50",
        "rating_min": 5,
        "offset": 0.0,
    }
    read = read_arguments(SEARCH, given | {"category": None})
    assert read == given | {"limit": 50, "price_min": 0.0, "price_max": 12.5, "rating_min": 5.0, "offset": 0}
    kinds = {name: type(value) for name, value in read.items()}
    assert (kinds["limit"], kinds["offset"], kinds["price_min"], kinds["rating_min"]) == (int, int, float, float)
    assert recordable([{"a": (1, math.inf, -(2**63), None, True)}, 2**63 - 1, {1}]) == [
        {"a": [1, "inf", "a whole number of 64 bits", None, True]},
        2**63 - 1,
        "… (set)",
    ]
    assert recordable([[[["deep"]]]], 3) == [[["… (list)"]]]
    assert recordable({"a": {"b": {"c": 1}}}, 2) == {"a": {"b": "… (dict)"}}


def test_a_wrong_choice_or_name_is_told_the_right_ones_and_what_is_missing_is_described() -> None:
    assert problem({"query": "x", "sort_by": "cheapest"}).allowed == ["relevance", "price", "rating", "popularity"]
    unknown = problem({"query": "x", "max_price": 5})
    assert unknown.message.startswith("There is no argument 'max_price'. Did you mean price_min, price_max")
    assert "price_max" in (unknown.allowed or ())
    missing = [problem(given) for given in ({}, {"query": None})]
    assert [raised.field for raised in missing] == ["query", "query"]
    assert all(raised.message.startswith("query is missing: Words that describe") for raised in missing)
    for wrong in (None, [], "query=x", 5):
        assert problem(wrong).message == "The arguments must be a JSON object."


ARGUMENTS = sorted({each.name for tool in TOOLS.values() for each in read_schema(tool.function).parameters})


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=())),
    st.binary(max_size=8),
    st.sampled_from([ANNA, "\ud800", "\x00", "\x1b[31m", "x" * 100_000, math.nan, math.inf]),
)
VALUES = st.recursive(SCALARS, lambda of: st.lists(of, max_size=3) | st.dictionaries(st.text(), of), max_leaves=4)
CALLS = st.one_of(VALUES, st.dictionaries(st.sampled_from(ARGUMENTS), VALUES, max_size=4))


def written(step: Step) -> str:
    """The step as the file of its run holds it."""
    return canonical_json(step.model_dump(mode="json"))


# The world and the toolkit are the same for all examples; each adds its step.
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.one_of(st.sampled_from(sorted(TOOLS)), VALUES), args=CALLS)
def test_no_call_raises_and_each_is_recorded(toolkit: Toolkit, session: Session, name: Any, args: Any) -> None:
    reply = toolkit.call(name, args)
    assert reply.error is None or len(error_of(reply)["message"]) < 1500
    assert len(written(session.trajectory.steps()[-1])) < 1_000_000


def test_an_unknown_name_is_repeated_short_and_without_what_a_terminal_obeys(toolkit: Toolkit) -> None:
    for name in ("x" * 100_000, "\x1b[2J" * 20, "\ud800"):
        unknown = [toolkit.call(name, {}), toolkit.call("calculator", {name: 1})]
        missing = toolkit.call("get_product_details", {"product_id": name[:190]})
        messages = [error_of(reply)["message"] for reply in (*unknown, missing)]
        assert all(message.isprintable() for message in messages[:2]), name[:9]
        assert max(map(len, messages)) < 500, name[:9]


def test_a_whole_number_is_recorded_as_one_as_long_as_64_bits_hold_it(toolkit: Toolkit, session: Session) -> None:
    for number, recorded in ((2**63 - 1, 2**63 - 1), (2**63, "a whole number of 64 bits")):
        toolkit.call("calculator", {"expression": number})
        assert session.trajectory.steps()[-1].args == {"expression": recorded}


def own_tool(returned: Any) -> dict[str, Tool]:
    def given_back(session: Session) -> ToolResult:
        """Does what the test says.

        Returns:
            Something.
        """
        if isinstance(returned, type):
            raise returned("away")
        return returned

    return {"own": Tool("own", given_back, "read")}


@pytest.mark.parametrize(
    "returned",
    [
        {"a": 1},
        ToolResult({"a": {1, 2}}, ()),
        ToolResult({"a": math.nan}, ()),
        ToolResult(reduce(lambda value, _: {"a": value}, range(5000), dict[str, Any]()), ()),
        ToolResult([1], ()),  # pyright: ignore[reportArgumentType] -- what a tool of one's own may do
        ToolResult({}, None),  # pyright: ignore[reportArgumentType]
        ToolResult({}, ("C:1",)),  # pyright: ignore[reportArgumentType]
        KeyboardInterrupt,
        RecursionError,
    ],
)
def test_a_tool_of_ones_own_that_gives_anything_else_fails_its_call(session: Session, returned: Any) -> None:
    toolkit = Toolkit(session, tools=own_tool(returned))
    assert toolkit.call("own", {}).error == "unavailable"
    (step,) = session.trajectory.steps()
    assert step.error is not None
    assert written(step)


ID, OTHER, ORDER = "B0TOOLS001", "B0TOOLS002", "0000000004"
PRINTED = [
    "{}", "P: {}", "[P:{}]", "http://ecommerce.com/{}", "[P:{}][W:ft4ssxyi]", "[P:{0}](http://ecommerce.com/{0}/)",
]  # fmt: skip
AROUND = [
    "{}", '"{}"', "“{}”", "({})", "**{}**", '\\"{}\\"', "{}.", "product {}", '{{"product_id": "{}"}}', "id={}",
]  # fmt: skip


def opened(toolkit: Toolkit, product_id: str) -> ToolReply:
    return toolkit.call("get_product_details", {"product_id": product_id})


def mended(toolkit: Toolkit) -> dict[str, str] | None:
    return toolkit.session.trajectory.steps()[-1].mended


def test_a_product_id_is_taken_in_every_form_and_case(toolkit: Toolkit) -> None:
    for printed, around in product(PRINTED, AROUND):
        for form in (written := around.format(printed.format(ID)), written.lower(), written.upper()):
            reply = opened(toolkit, form)
            assert reply.value.get("product_id") == ID, (form, reply.text)
            assert mended(toolkit) == (None if form == ID else {"product_id": ID}), form


def test_an_order_id_is_taken_in_every_form(toolkit: Toolkit) -> None:
    for written in ("[O:{}]", "order O:{}", "order {}", " {} ", "#{}", "o:{}"):
        reply = toolkit.call("get_order_details", {"order_id": written.format(ORDER)})
        assert (reply.value.get("order_id"), mended(toolkit)) == (ORDER, {"order_id": ORDER}), written


def test_the_acting_users_id_is_taken_in_every_form_and_anothers_stays_anothers(toolkit: Toolkit) -> None:
    for written in (f'"{ANNA}"', ANNA.lower(), "U:profile", "[U:orders]", f"U:statistics@{ANNA}"):
        reply = toolkit.call("get_user_profile", {"user_id": written})
        assert (reply.value.get("user_id"), mended(toolkit)) == (ANNA, {"user_id": ANNA}), written
    assert toolkit.call("get_user_profile", {"user_id": f"[U:profile@{BORIS}]"}).error == "forbidden"
    assert toolkit.session.attempts[-1].user_id == BORIS


SEVERAL_OR_NONE = (
    "[P:{0}][P:{1}]", "{0}, {1}", "{0} or {1}", "P:{0} {1}", "http://ecommerce.com/{0}/{1}", "{0}/{1}", "{0}-{1}",
    "P:{0} (not P:{1})", "Tube feeder {0}", "O:{0}", "http://elsewhere.example/{0}",
)  # fmt: skip


def test_several_ids_and_what_is_none_open_nothing(toolkit: Toolkit) -> None:
    for written in SEVERAL_OR_NONE:
        error = error_of(opened(toolkit, written.format(ID, OTHER)))
        assert (error["type"], "product_id" in error["message"]) == ("not_found", True), written
        assert "[P:" not in error["message"], "a text of the shop that is repeated cites nothing"


def test_the_error_shows_the_right_form_and_the_nearest_of_what_was_shown(toolkit: Toolkit) -> None:
    assert "Did you mean" not in error_of(opened(toolkit, "B0TOOLS009"))["message"]
    toolkit.call("product_catalog_search", {"query": "window bird feeder", "match": "all"})
    message = error_of(opened(toolkit, "P:B0TOOLSOO3"))["message"]
    assert 'e.g. "B0EXAMPLE1"' in message
    assert "Did you mean B0TOOLS003?" in message
    assert "2 ids: make one call for each" in error_of(opened(toolkit, f"[P:{ID}][P:{OTHER}]"))["message"]
    for title in ("Tanagrove tube bird feeder", "Tube feeder 2023"):
        assert "make one call for each" not in error_of(opened(toolkit, title))["message"]
    toolkit.call("get_user_orders", {"user_id": ANNA})
    message = error_of(toolkit.call("get_order_details", {"order_id": "000000004"}))["message"]
    assert ORDER in message.split("Did you mean")[-1]
    assert "Did you mean" not in error_of(opened(toolkit, "000000004"))["message"], "an order is no product"


def test_where_nobody_asks_no_user_is_meant_by_a_mark(world: World) -> None:
    toolkit = Toolkit(Session(SessionSettings(world, scope="any")))
    message = error_of(toolkit.call("get_user_profile", {"user_id": "[U:profile]"}))["message"]
    assert message.endswith('"AEXAMPLEUSER00000000000000A1". Nobody asks here, so that U:… names nobody.')
    assert "Nobody asks" not in error_of(toolkit.call("get_user_profile", {"user_id": "AENOBODY0"}))["message"]
