"""What models read of the tools, and of the answers that are asked of them, is written for models."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from drretail.agents.hybrid_react.moves import SUPERVISOR_TOOLS
from drretail.env.session import Session
from drretail.env.world import World
from drretail.eval.claims.extraction import AllClaims, CitedClaims, ReportClaims
from drretail.eval.claims.labels import ClaimsSupport, Support
from drretail.eval.families.pairwise.judge import Comparison
from drretail.eval.families.quality.score import Rating
from drretail.eval.families.reading.score import ReportPicks
from drretail.querygen.by_model.answer import WrittenQuery
from drretail.records.base import Record
from drretail.records.evidence import IntermediateReport, PageSummary
from drretail.records.run import WebMode
from drretail.tools.registry import SUMMARISED, TOOLS, json_schemas, tool_schema_hash
from drretail.tools.toolkit import Toolkit

DEVELOPERS = re.compile(
    r"``|\b(?:raises|session|paper|listing|table|bm25|schema|json|null|dict|ledger|overlay|kwargs?"
    r"|parameter|docstring|instance|exception|journal|toolkit)\b|\b(?:error:|eq\.)"
    r"|[a-z_]\(\)|::|->|(?-i:\b(?:None|True|False)\b)",
    re.IGNORECASE,
)
"""Words of whoever writes the code, which tell a model nothing."""
ANSWERS: tuple[type[Record], ...] = (
    PageSummary,
    IntermediateReport,
    WrittenQuery,
    Rating,
    Support,
    ClaimsSupport,
    Comparison,
    ReportPicks,
    ReportClaims,
    CitedClaims,
    AllClaims,
)


def descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield schema["description"]
        for value in schema.values():
            yield from descriptions(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from descriptions(value)


def of_developers(text: str) -> str | None:
    found = DEVELOPERS.search(text)
    return None if found is None else found[0]


def told(world: World, mode: WebMode, **options: Any) -> dict[str, str]:
    """The description of each tool as it goes over the wire, by its name."""
    with Toolkit(Session(world, web_mode=mode, **options)) as toolkit:
        functions = [schema["function"] for schema in toolkit.openai_schemas()]
    return {function["name"]: function["description"] for function in functions}


@pytest.mark.parametrize("tools", [TOOLS, {"web_search": SUMMARISED}, SUPERVISOR_TOOLS])
def test_no_tool_is_described_for_developers(tools: Any) -> None:
    for text in descriptions(json_schemas(tools)):
        assert of_developers(text) is None, text


@pytest.mark.parametrize("answer", ANSWERS)
def test_no_answer_is_described_for_developers(answer: type[Record]) -> None:
    for text in descriptions(answer.model_json_schema()):
        assert of_developers(text) is None, text


def test_a_search_of_the_web_says_what_its_results_hold_in_this_web_mode(world: World) -> None:
    fields = {mode: told(world, mode) for mode in get_args(WebMode)}
    assert "never the whole page" in fields["snippets"]["web_search"]
    assert "summary" not in fields["snippets"]["web_search"]
    assert "a summary of the page" in fields["ws"]["web_search"]
    for names in fields.values():
        assert list(names) == list(TOOLS)
    assert "web_search" not in told(world, "ws", without=frozenset({"web_search"}))


def test_the_hash_of_the_schemas_stands_for_every_web_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tool_schema_hash()
    monkeypatch.setattr("drretail.tools.registry.SUMMARISED", TOOLS["calculator"])
    assert tool_schema_hash() != before
