"""Tools by name: the nine, a plugin's, and module:attribute."""

from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any, cast

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.tools.registry import TOOLS, load_tool, own_tools, tool_names
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit
from tests.agents.own import SHIPPING
from tests.hostile_strings import HOSTILE, arrived, got_through

PLACE = "tests.agents.own:SHIPPING"


def points(**named: str) -> Callable[..., list[EntryPoint]]:
    """What stands in for the installed packages' entry points."""

    def found(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [EntryPoint(each, place, group) for each, place in named.items() if name in (None, each)]

    return found


def test_tools_are_loaded_by_name_as_plugins_and_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_tool("calculator") is TOOLS["calculator"]
    assert load_tool(PLACE) is SHIPPING
    monkeypatch.setattr("drretail.plugins.entry_points", points(shipping=PLACE))
    assert load_tool("shipping") is SHIPPING
    assert tool_names() == [*TOOLS, "shipping"]


def test_a_wrong_name_is_told_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"There is no tool 'calculater'. Did you mean calculator"):
        load_tool("calculater")
    with pytest.raises(UserError, match=r"tests\.agents\.own:shipping is not a tool"):
        load_tool("tests.agents.own:shipping")


def test_what_is_no_tool_is_told_and_one_name_is_a_list_of_one() -> None:
    assert list(own_tools(PLACE)) == ["shipping"]
    no_tool: Any = test_a_wrong_name_is_told_the_nearest
    with pytest.raises(UserError, match=r"are drretail\.Tools or their names, and .* is neither"):
        own_tools([no_tool])


def _untold() -> list[Tool]:
    def sessionless() -> ToolResult:
        """Weighs."""
        return ToolResult({}, ())

    def fine(session: Session) -> ToolResult:
        """Weighs."""
        return ToolResult({}, ())

    access: Any = "reed"
    return [
        Tool("sessionless", sessionless, "read"),
        Tool("two words", fine, "read"),
        Tool("fine", fine, access),
    ]


def test_a_tool_that_no_model_could_be_told_of_is_refused() -> None:
    def mute(session: Session, weight: float) -> ToolResult:
        return ToolResult({"weight": weight}, ())

    with pytest.raises(UserError, match="The tool mute cannot be described to a model"):
        own_tools([Tool("mute", mute, "read")])
    for wrong in _untold():
        with pytest.raises(UserError, match=r"The tool .* cannot be described to a model: .*\.$"):
            own_tools([wrong])
    untyped: Any = lambda session: ToolResult({}, ())  # noqa: E731
    assert list(own_tools([Tool("fine", untyped, "read")])) == ["fine"]


def test_what_a_tool_of_one_s_own_hands_on_holds_no_form_of_a_prompt_s() -> None:
    def notes(session: Session) -> ToolResult:
        """Gives what customers wrote."""
        return ToolResult({"notes": [one.text for one in HOSTILE], HOSTILE[0].text: "x"}, ())

    with Toolkit(
        Session(cast("World", None), tool_timeout=30), tools={"notes": Tool("notes", notes, "read")}
    ) as toolkit:
        text = toolkit.call("notes", {}).text
    assert got_through(text, ("tag", "token", "turn")) == set()
    assert len(arrived(text)) == len(HOSTILE)
