"""The policy of offline:judge: the name of the answer schema chooses the rules, the tags hold the data."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.tool import tool_call

from drretail.llm.offline.judge.comparing import comparison_of
from drretail.llm.offline.judge.extracting import extract_claims
from drretail.llm.offline.judge.rating import rating_of
from drretail.llm.offline.judge.supporting import judge_claim
from drretail.llm.offline.judge.tags import question, tag_contents
from drretail.llm.offline.plain import filled, plain_answer
from drretail.llm.offline.turn import Turn


def judge(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The answer in the asked schema: as a call of the bound tool, or as JSON where a ``<schema>`` tag asks for it."""
    turn = Turn(messages, tools, choice)
    name = turn.forced_tool
    asked = question(messages)
    if name is not None:
        function = next(tool["function"] for tool in tools if tool["function"]["name"] == name)
        schema = function.get("parameters") or {"type": "object"}
        return AIMessage("", tool_calls=[tool_call(name=name, args=_answer(name, schema, asked), id=None)])
    schema = _schema_in(asked)
    if schema is None:
        return plain_answer(turn)
    return AIMessage(json.dumps(_answer(str(schema.get("title", "")), schema, asked), ensure_ascii=False))


def _answer(name: str, schema: dict[str, Any], asked: str) -> Any:
    rule = _RULES.get(name)
    return filled(schema, "") if rule is None else rule(asked)


def _extracted(asked: str, *, only_cited: bool) -> dict[str, Any]:
    report = "\n".join(tag_contents("report", asked))
    found = extract_claims(report, only_cited=only_cited)
    return {
        "claims": [
            {"claim_id": number, "claim": it.claim, "quote": it.quote, "sources": list(it.sources)}
            for number, it in enumerate(found, 1)
        ]
    }


def _supported(asked: str) -> dict[str, Any]:
    opinion = judge_claim("\n".join(tag_contents("claim", asked)), tag_contents("source", asked))
    return {"support": opinion.label, "justification": opinion.reason, "quote": opinion.quote}


_RULES: dict[str, Callable[[str], dict[str, Any]]] = {
    "CitedClaims": lambda asked: _extracted(asked, only_cited=True),
    "AllClaims": lambda asked: _extracted(asked, only_cited=False),
    "Support": _supported,
    "Rating": rating_of,
    "Comparison": comparison_of,
}


def _schema_in(asked: str) -> dict[str, Any] | None:
    for content in tag_contents("schema", asked):
        schema = json.loads(content)
        return schema if isinstance(schema, dict) else None
    return None
