"""Tools by their names, and how models are told of them. Also tests tool.py and api/shops/tools.py."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool
from typer.testing import CliRunner, Result

from drretail.cli.app import app
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.records.run import NINE, WebMode
from drretail.tools.registry import (
    TOOLS,
    anthropic_schemas,
    json_schemas,
    langchain_tools,
    load_tool,
    openai_schemas,
    own_tools,
    submit_schema,
    tool_names,
    tool_schema_hash,
)
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit
from tests.agents.own import SHIPPING
from tests.hostile_strings import HOSTILE, arrived, got_through
from tests.tools.conftest import ANNA, BORIS

GOLDEN = Path(__file__).with_name("tool_schema_hash.txt")
RENEW = "python -c 'from drretail.tools.registry import tool_schema_hash as h; print(h())' > tests/tools/"


def test_the_nine_are_those_of_the_paper_and_their_schemas_are_stable() -> None:
    """Runs of different schemas are not comparable: change a description only on purpose, then renew the hash."""
    assert tuple(TOOLS) == NINE
    assert [tool.name for tool in TOOLS.values() if tool.access == "write"] == ["update_user_profile"]
    assert tool_schema_hash() == GOLDEN.read_text().strip(), f"renew it with: {RENEW}{GOLDEN.name}"


def test_openai_anthropic_and_langchain_say_the_same_and_a_langchain_tool_is_the_toolkits(toolkit: Toolkit) -> None:
    openai = [schema["function"] for schema in openai_schemas()]
    anthropic = [
        {"name": each["name"], "description": each["description"], "parameters": each["input_schema"]}
        for each in anthropic_schemas()
    ]
    tools = {tool.name: tool for tool in langchain_tools(toolkit)}
    langchain = [convert_to_openai_tool(tool)["function"] for tool in tools.values()]
    assert [len(forms) for forms in (openai, anthropic, langchain)] == [9, 9, 9]
    told = {schema["type"] for schema in (*openai_schemas(), submit_schema())}
    assert (told, submit_schema()["function"].keys()) == ({"function"}, openai[0].keys())
    assert openai == anthropic == langchain
    assert '"value":3' in tools["calculator"].invoke({"expression": "1+2"})
    assert "unknown_argument" in tools["calculator"].invoke({"expression": "1", "unknown_argument": 2})
    assert "address.zip" in tools["update_user_profile"].invoke({"user_id": "A", "address": {"zip": 1}})
    steps = toolkit.session.trajectory.steps()
    assert [(step.path, step.seq) for step in steps] == [("0", 0), ("0", 1), ("0", 2)]


def test_the_documentation_names_every_tool_argument_and_choice() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
    rows = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    for schema in json_schemas():
        for name, argument in schema["parameters"]["properties"].items():
            assert name in rows[schema["name"]], (schema["name"], name)
            described = page if name == "status" else rows[schema["name"]]
            assert all(choice in described for choice in argument.get("enum", ()))


def told(world: World, mode: WebMode, **options: Any) -> dict[str, str]:
    """The description of each tool as it goes over the wire, by its name."""
    toolkit = Toolkit(Session(SessionSettings(world, web_mode=mode, **options)))
    functions = [schema["function"] for schema in toolkit.openai_schemas()]
    return {function["name"]: function["description"] for function in functions}


def test_a_search_of_the_web_says_what_its_results_hold_in_this_web_mode_and_one_hash_stands_for_all(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    snippets, summaries = told(world, "snippets"), told(world, "ws")
    assert "never the whole page" in snippets["web_search"]
    assert "summary" not in snippets["web_search"]
    assert "a summary of the page" in summaries["web_search"]
    assert list(snippets) == list(summaries) == list(TOOLS)
    assert "web_search" not in told(world, "ws", without=frozenset({"web_search"}))
    before = tool_schema_hash()
    monkeypatch.setattr("drretail.tools.registry.SUMMARISED", TOOLS["calculator"])
    assert tool_schema_hash() != before


PLACE = "tests.agents.own:SHIPPING"


def points(**named: str) -> Callable[..., list[EntryPoint]]:
    """What stands in for the installed packages' entry points."""

    def found(*, group: str, name: str | None = None) -> list[EntryPoint]:
        return [EntryPoint(each, place, group) for each, place in named.items() if name in (None, each)]

    return found


def test_tools_are_loaded_by_name_as_plugins_and_by_place(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_tool("calculator") is TOOLS["calculator"]
    assert load_tool(PLACE) is SHIPPING
    assert list(own_tools(PLACE)) == ["shipping"]
    monkeypatch.setattr("drretail.plugins.entry_points", points(shipping=PLACE))
    assert load_tool("shipping") is SHIPPING
    assert tool_names() == [*TOOLS, "shipping"]
    with pytest.raises(UnknownName, match=r"There is no tool 'calculater'. Did you mean calculator"):
        load_tool("calculater")
    for taken in ([SHIPPING, PLACE], [TOOLS["calculator"]]):
        with pytest.raises(UserError, match=r"There is a tool '(shipping|calculator)' already: give the agent's own"):
            own_tools(taken)
    assert list(own_tools([PLACE, replace(SHIPPING, name="other")])) == ["shipping", "other"]
    no_tool: Any = points
    with pytest.raises(UserError, match=r"are drretail\.Tools or their names, and .* is neither"):
        own_tools([no_tool])


def test_a_tool_that_no_model_could_be_told_of_is_refused_and_so_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def weigh(session: Session, weight: float) -> ToolResult:
        return ToolResult({"weight": weight}, ())

    def untyped(session: Session, weight) -> ToolResult:  # pyright: ignore -- the mistake
        return ToolResult({}, ())

    def either(session: Session, weight: str | float) -> ToolResult:
        return ToolResult({}, ())

    def sessionless() -> ToolResult:
        return ToolResult({}, ())

    told = "Weighs.\n\nArgs:\n    weight: It."
    rows: list[tuple[Callable[..., ToolResult], str | None, Any, str, str]] = [
        (weigh, None, "read", "mute", "."),
        (weigh, "Weighs.", "read", "weigh", "weight"),
        (weigh, f"{told}\n    title: Gone.", "read", "weigh", "title"),
        (untyped, told, "read", "untyped", "has no type"),
        (either, told, "read", "either", "not one type"),
        (sessionless, "Weighs.", "read", "sessionless", "is not the session"),
        (weigh, told, "read", "two words", "."),
        (weigh, told, "reed", "weigh", "."),
    ]
    for function, docstring, access, name, fault in rows:
        function.__doc__ = docstring
        with pytest.raises(UserError, match=rf"The tool {name} cannot be described to a model: .*{fault}.*\.$"):
            own_tools([Tool(name, function, access)])
    without_types: Any = lambda session: ToolResult({}, ())  # noqa: E731
    assert list(own_tools([Tool("fine", without_types, "read")])) == ["fine"]
    monkeypatch.setattr("tests.agents.own.SHIPPING", replace(SHIPPING, name="two words"))
    with pytest.raises(UserError, match="The tool two words cannot be described to a model"):
        load_tool(PLACE)


def test_what_a_tool_of_one_s_own_hands_on_holds_no_form_of_a_prompt_s() -> None:
    def notes(session: Session) -> ToolResult:
        """Gives what customers wrote."""
        return ToolResult({"notes": [one.text for one in HOSTILE], HOSTILE[0].text: "x"}, ())

    session = Session(SessionSettings(cast("World", None), tool_timeout=30))
    toolkit = Toolkit(session, tools={"notes": Tool("notes", notes, "read")})
    text = toolkit.call("notes", {}).text
    assert got_through(text, ("tag", "token", "turn")) == set()
    assert len(arrived(text)) == len(HOSTILE)


def run(*args: object) -> Result:
    return CliRunner().invoke(app, ["tools", *map(str, args)])


def refusal(*args: object) -> str:
    """The one sentence for what the user must fix; the command line prints it and ends with 2."""
    result = run(*args)
    assert isinstance(result.exception, UserError), result.output
    return str(result.exception)


def raises(session: Session, weight: float) -> ToolResult:
    """Weighs.

    Args:
        weight: It.
    """
    raise KeyError("grams")


def gives_none(session: Session) -> Any:
    """Gives nothing."""


RAISES, NONE = (Tool(each.__name__, each, "read") for each in (raises, gives_none))


def test_a_call_acts_for_the_user_given(shop_folder: Path) -> None:
    for flags, evidence in ((("--vary", "scope=any"), f"U:profile@{ANNA}"), (("--user", ANNA), "U:profile")):
        result = run("get_user_profile", "--args", json.dumps({"user_id": ANNA}), "--world", shop_folder, *flags)
        assert json.loads(result.stdout)["evidence"] == evidence, result.output


OWN = "tests.tools.test_registry"
OTHERS = ("get_user_orders", "--args", json.dumps({"user_id": BORIS}))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            (f"{OWN}:RAISES", "--args", '{"weight": 3}'),
            r":RAISES failed: KeyError: 'grams' \(.*registry\.py, line \d+\)\.$",
        ),
        ((f"{OWN}:NONE",), "gives_none gave NoneType, and no ToolResult"),
        ((*OTHERS, "--user", ANNA), f"orders of user '{ANNA}' only"),
        ((*OTHERS, "--user", "AENOBODY"), "AENOBODY"),
        # refused before a world is opened
        (("calculator", "--args", "{expression}", "--world", "nowhere"), "--args is not JSON"),
        (("calculator", "--world", "nowhere"), "calculator: expression is missing"),
        (
            ("get_user_orders", "--args", '{"user_id": "A", "status": "lost"}', "--world", "nowhere"),
            "Allowed: Delivered, Shipped",
        ),
    ],
)
def test_what_a_tool_raises_or_refuses_is_one_sentence(shop_folder: Path, args: tuple[str, ...], message: str) -> None:
    assert re.search(message, refusal(*args, *(() if "--world" in args else ("--world", shop_folder))))
