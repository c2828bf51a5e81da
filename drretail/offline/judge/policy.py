"""The policy of offline:judge: the name of the answer schema chooses the rules, the tags hold the data."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.tool import tool_call

from drretail.offline.chat import Turn
from drretail.offline.judge.claims import extract_claims
from drretail.offline.judge.support import Opinion, judge_claim
from drretail.offline.plain import filled, plain_answer
from drretail.parsing import parse_json

_TAG = re.compile(r"<(?P<name>[a-z_]+)(?P<more>\s[^<>\n]*)?>\n(?P<inner>.*?)\n</(?P=name)>", re.DOTALL)
QUESTION = "Q"
"""The id of the shopper's question among the sources."""


def judge(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    """The answer in the asked schema: as a call of the bound tool, or as JSON where a ``<schema>`` tag asks for it."""
    turn = Turn(messages, tools, choice)
    name = turn.forced_tool
    # What follows the first question are repairs of the answer.
    asked = next((message.text for message in messages if isinstance(message, HumanMessage)), "")
    if name is not None:
        function = next(tool["function"] for tool in tools if tool["function"]["name"] == name)
        schema = function.get("parameters") or {"type": "object"}
        return AIMessage("", tool_calls=[tool_call(name=name, args=_answer(name, schema, asked), id=None)])
    schema = next((parse_json(content) for content in tag_contents("schema", asked)), None)
    if not isinstance(schema, dict):
        return plain_answer(turn)
    return AIMessage(json.dumps(_answer(str(schema.get("title", "")), schema, asked), ensure_ascii=False))


def tag_contents(name: str, text: str) -> list[str]:
    """What stands in the outermost tags of this name, in order."""
    return [found["inner"] for found in _TAG.finditer(text) if found["name"] == name]


def _answer(name: str, schema: dict[str, Any], asked: str) -> Any:
    rule = _RULES.get(name)
    return filled(schema, "") if rule is None else rule(asked)


def _extracted(asked: str, *, only_cited: bool = False, **fields: Any) -> dict[str, Any]:
    report = "\n".join(tag_contents("report", asked))
    found = extract_claims(report, only_cited=only_cited)
    return {
        "claims": [
            {"claim_id": number, "claim": it.claim, "quote": it.quote, "sources": list(it.sources), **fields}
            for number, it in enumerate(found, 1)
        ]
    }


def _supported(asked: str) -> dict[str, Any]:
    opinion = judge_claim("\n".join(tag_contents("claim", asked)), tag_contents("source", asked))
    return {"support": opinion.label, "justification": opinion.reason, "quote": opinion.quote}


def _all_supported(asked: str) -> dict[str, Any]:
    """Each claim by the sources that it names; figures of the question (the source Q) and of a source's own tag need no
    other source."""
    found = [it for it in _TAG.finditer(asked) if it["name"] in ("source", "claim")]
    sources = [(_attribute("id", it), it) for it in found if it["name"] == "source"]
    claims = [it for it in found if it["name"] == "claim"]
    opinions: list[Opinion] = []
    for claim in claims:
        cited = _attribute("sources", claim).split()
        own = [it for name, it in sources if name in cited]
        question = [it["inner"] for name, it in sources if name == QUESTION]
        given = "\n".join([*question, *(it["more"] or "" for it in own)])
        opinions.append(judge_claim(claim["inner"], [it["inner"] for it in own], given=given))
    return {
        "claims": [
            {
                "claim_id": number,
                "quotes": [it.quote] if it.quote else [],
                "justification": it.reason,
                "label": it.label,
            }
            for number, it in enumerate(opinions, 1)
        ]
    }


def _attribute(name: str, tag: re.Match[str]) -> str:
    found = re.search(rf"\s{name}=\"([^\"]*)\"", tag["more"] or "")
    return found[1] if found else ""


_RULES: dict[str, Callable[[str], dict[str, Any]]] = {
    "ReportClaims": lambda asked: _extracted(asked, values=[]),
    "ClaimsAndPicks": lambda asked: {**_extracted(asked, values=[]), "picks": []},
    "CitedClaims": lambda asked: _extracted(asked, only_cited=True),
    "AllClaims": _extracted,
    "ClaimsSupport": _all_supported,
    "Support": _supported,
}
