from pathlib import Path

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool

from drretail.errors import UnknownName
from drretail.records.run import NINE
from drretail.tools.registry import (
    FAMILIES,
    TOOLS,
    anthropic_schemas,
    json_schemas,
    langchain_tools,
    openai_schemas,
    tool_schema_hash,
    tools_of,
)
from drretail.tools.toolkit import Toolkit

GOLDEN = Path(__file__).with_name("tool_schema_hash.txt")
RENEW = "python -c 'from drretail.tools.registry import tool_schema_hash as h; print(h())' > tests/tools/"


def test_the_nine_are_those_of_the_paper() -> None:
    assert tuple(TOOLS) == NINE
    assert [tool.name for tool in TOOLS.values() if tool.access == "write"] == ["update_user_profile"]


def test_openai_anthropic_and_langchain_say_the_same(toolkit: Toolkit) -> None:
    openai = [schema["function"] for schema in openai_schemas()]
    anthropic = [
        {"name": each["name"], "description": each["description"], "parameters": each["input_schema"]}
        for each in anthropic_schemas()
    ]
    langchain = [convert_to_openai_tool(tool)["function"] for tool in langchain_tools(toolkit)]
    assert [len(forms) for forms in (openai, anthropic, langchain)] == [9, 9, 9]
    assert openai == anthropic == langchain


def test_a_langchain_tool_goes_through_the_toolkit(toolkit: Toolkit) -> None:
    tools = {tool.name: tool for tool in langchain_tools(toolkit, "0.4")}
    assert '"value":3' in tools["calculator"].invoke({"expression": "1+2"})
    assert "unknown_argument" in tools["calculator"].invoke({"expression": "1", "unknown_argument": 2})
    assert "address.zip" in tools["update_user_profile"].invoke({"user_id": "A", "address": {"zip": 1}})
    assert [(step.path, step.seq) for step in toolkit.session.trajectory.steps()] == [
        ("0.4", 0),
        ("0.4", 1),
        ("0.4", 2),
    ]


def test_the_schemas_are_stable() -> None:
    """Runs of different schemas are not comparable: change a description only on purpose, then renew the hash."""
    assert tool_schema_hash() == GOLDEN.read_text().strip(), f"renew it with: {RENEW}{GOLDEN.name}"


def test_the_documentation_names_every_tool_argument_and_choice() -> None:
    page = (Path(__file__).parents[2] / "docs" / "tools.md").read_text(encoding="utf-8")
    rows = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    for schema in json_schemas():
        for name, argument in schema["parameters"]["properties"].items():
            assert name in rows[schema["name"]], (schema["name"], name)
            described = page if name == "status" else rows[schema["name"]]
            assert all(choice in described for choice in argument.get("enum", ()))


def test_every_tool_belongs_to_one_family_and_user_holds_the_five_of_orders_and_users() -> None:
    assert sorted(name for names in FAMILIES.values() for name in names) == sorted(TOOLS)
    assert tools_of(["user"]) == {name for name in TOOLS if name.startswith(("get_user_", "get_order_", "update_user"))}
    assert len(tools_of(["user"])) == 5
    assert tools_of([]) == frozenset()


def test_a_wrong_family_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean catalog"):
        tools_of(["catalogue"])
