"""Whatever a model calls, and whatever a tool of one's own does, there is a reply and a record of it."""

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from drretail.env.session import Session
from drretail.records.base import canonical_json
from drretail.records.run import Step
from drretail.tools.registry import TOOLS
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, error_of

ARGUMENTS = sorted({
    "query", "category", "price_min", "rating_min", "sort_by", "match", "limit", "offset", "product_id", "user_id",
    "order_id", "status", "email", "address", "expression",
})  # fmt: skip


def nested(depth: int, opening: Any = 1) -> Any:
    value = opening
    for _ in range(depth):
        value = {"a": value} if isinstance(value, list) else [value]
    return value


class Unspeakable:
    """Has no name that could be written down."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


STRANGE: dict[str, Any] = {
    "huge": 10**5000,
    "hugely negative": -(10**400),
    "deep": nested(5000),
    "deeply empty": nested(5000, []),
    "unspeakable": Unspeakable(),
    "unspeakable key": {Unspeakable(): 1},
    "huge key": {10**5000: 1},
    "key of bytes": {b"": 1},
}
"""By name, since hypothesis prints what it draws."""
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(exclude_categories=())),
    st.binary(max_size=8),
    st.sampled_from([ANNA, "\ud800", "\x00", "\x1b[31m", "x" * 100_000, math.nan, math.inf]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner), max_leaves=4
)
CALLS = st.one_of(VALUES, st.dictionaries(st.sampled_from(ARGUMENTS), VALUES, max_size=4))


def written(step: Step) -> str:
    """The step as run.json holds it."""
    return canonical_json(step.model_dump(mode="json"))


# The world and the toolkit are the same for all examples; each adds its step.
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.one_of(st.sampled_from(sorted(TOOLS)), VALUES), args=CALLS)
def test_no_call_raises_and_each_is_recorded(toolkit: Toolkit, session: Session, name: Any, args: Any) -> None:
    check(toolkit, session, name, args)


@pytest.mark.parametrize("tool", sorted(TOOLS))
@pytest.mark.parametrize("strange", sorted(STRANGE))
def test_no_strange_value_raises(toolkit: Toolkit, session: Session, tool: str, strange: str) -> None:
    value = STRANGE[strange]
    check(toolkit, session, tool, value)
    check(toolkit, session, value, {})
    for argument in ARGUMENTS:
        check(toolkit, session, tool, {argument: value})


def check(toolkit: Toolkit, session: Session, name: Any, args: Any) -> None:
    reply = toolkit.call(name, args)
    assert reply.error is None or len(error_of(reply)["message"]) < 1500
    assert len(written(session.trajectory.steps()[-1])) < 1_000_000


@pytest.mark.parametrize("given_as", [nested(5000), {"query": nested(5000)}, {"limit": 10**5000, "query": "x"}])
def test_what_cannot_be_printed_is_refused_and_recorded_in_part(toolkit: Toolkit, given_as: Any) -> None:
    reply = toolkit.call("product_catalog_search", given_as)
    assert reply.error == "invalid_argument"
    assert len(written(toolkit.session.trajectory.steps()[-1])) < 2000


@pytest.mark.parametrize("name", ["x" * 100_000, "\x1b[2J" * 20, "\ud800"])
def test_an_unknown_name_is_repeated_short_and_without_what_a_terminal_obeys(toolkit: Toolkit, name: str) -> None:
    for reply in (toolkit.call(name, {}), toolkit.call("calculator", {name: 1})):
        message = error_of(reply)["message"]
        assert message.isprintable()
        assert len(message) < 500
    assert len(error_of(toolkit.call("get_product_details", {"product_id": name[:190]}))["message"]) < 500


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
        None,
        {"a": 1},
        "text",
        ToolResult({"a": {1, 2}}, ()),
        ToolResult({"a": math.nan}, ()),
        ToolResult(nested(5000), ()),
        ToolResult([1], ()),  # pyright: ignore[reportArgumentType] -- what a tool of one's own may do
        ToolResult({}, None),  # pyright: ignore[reportArgumentType]
        ToolResult({}, ("C:1",)),  # pyright: ignore[reportArgumentType]
        SystemExit,
        KeyboardInterrupt,
        RecursionError,
    ],
)
def test_a_tool_of_ones_own_that_gives_anything_else_fails_its_call(session: Session, returned: Any) -> None:
    with Toolkit(session, tools=own_tool(returned)) as toolkit:
        assert toolkit.call("own", {}).error == "unavailable"
    (step,) = session.trajectory.steps()
    assert step.error is not None
    assert written(step)
