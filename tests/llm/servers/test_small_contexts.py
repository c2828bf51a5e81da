import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from drretail.journal import Journal
from drretail.llm.models import Models
from drretail.llm.servers.small_contexts import HITS, ITEMS, TEXT, lean_arguments, lean_result, lean_schemas
from drretail.records.models import Abilities
from drretail.records.trajectory import Trajectory
from drretail.tools.registry import openai_schemas
from tests.llm.clients import opened
from tests.llm.provider import Provider, completes


def test_the_lean_schemas_keep_every_name_type_and_choice_in_half_the_length() -> None:
    full, lean = openai_schemas(), lean_schemas(openai_schemas())
    assert len(json.dumps(lean)) < len(json.dumps(full)) / 2

    def shape(tool: dict[str, Any]) -> Any:
        given = tool["function"]["parameters"]
        choices = {name: (each["type"], each.get("enum")) for name, each in given["properties"].items()}
        return tool["function"]["name"], choices, given["required"]

    assert [shape(tool) for tool in lean] == [shape(tool) for tool in full]
    assert all(tool["function"]["description"] for tool in lean)


def test_fewer_and_shorter_results_are_asked_for() -> None:
    assert lean_arguments({"query": "bed"}, {"query", "limit"}) == {"query": "bed", "limit": HITS}
    assert lean_arguments({"limit": 2}, {"limit"}) == {"limit": 2}
    assert lean_arguments({"limit": "many"}, {"limit"}) == {"limit": "many"}, "for the tool to refuse"
    assert lean_arguments({"query": "bed"}, {"query"}) == {"query": "bed"}
    assert lean_arguments("no object", {"limit"}) == "no object"
    cut = lean_result({"title": "Bed", "description": "x" * 1000, "features": [*"abcdefghij"], "price": 3})
    assert (cut["title"], cut["price"], len(cut["description"])) == ("Bed", 3, TEXT + 1)
    assert cut["features"] == [*"abcdefgh", "…"]
    assert len(cut["features"]) == ITEMS + 1


@pytest.mark.anyio
@pytest.mark.parametrize(("context", "is_lean"), [(8_192, True), (40_000, False)])
async def test_a_model_of_a_small_context_is_shown_lean_tools(tmp_path: Path, context: int, is_lean: bool) -> None:
    with Provider(completes({"content": "Hello."})) as provider:
        model = opened("openai", provider).knowing(Abilities(context=context))
        models = Models({"researcher": model}, Journal(tmp_path / "journal.jsonl"), Trajectory())
        await models.call("researcher", [HumanMessage("Hello?")], tools=openai_schemas())
        sent = provider.seen[0].body["tools"]
    assert sent == (lean_schemas(openai_schemas()) if is_lean else openai_schemas())
    assert models.is_lean("researcher") == is_lean
