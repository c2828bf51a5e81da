"""offline:judge: it answers by the schema's name and the tags, whatever the words around them."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.offline.judge.policy import judge
from drretail.prompts import tagged

REPORT = "The bed costs $5 [P:B0X]. Cedar lasts ten years [W:abcdefgh]."
SOURCE = '{"product_id":"B0X","title":"Soft Bed","price":5,"average_rating":4.5}'


def bound(name: str, **properties: Any) -> list[dict[str, Any]]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return [{"type": "function", "function": {"name": name, "parameters": parameters}}]


def answer(name: str, prompt: str, **properties: Any) -> dict[str, Any]:
    message = judge([HumanMessage(prompt)], bound(name, **properties), "any")
    (call,) = message.tool_calls
    assert call["name"] == name
    return call["args"]


def test_claims_come_with_number_quote_and_sources() -> None:
    found = answer("CitedClaims", tagged("report", REPORT))
    assert found == {
        "claims": [
            {
                "claim_id": 1,
                "claim": "The bed costs $5.",
                "quote": "The bed costs $5 [P:B0X].",
                "sources": ["P:B0X"],
            },
            {
                "claim_id": 2,
                "claim": "Cedar lasts ten years.",
                "quote": "Cedar lasts ten years [W:abcdefgh].",
                "sources": ["W:abcdefgh"],
            },
        ]
    }


def test_support_has_label_reason_and_quote() -> None:
    prompt = tagged("claim", "The Soft Bed costs $5.") + "\n" + tagged("source", SOURCE, id="P:B0X")
    assert answer("Support", prompt) == {
        "support": "full_support",
        "justification": "its words and figures stand together in the sources",
        "quote": '"price":5',
    }


def test_each_claim_is_judged_by_its_own_sources_and_figures_of_the_query_need_none() -> None:
    claims = {
        "The Soft Bed costs $5, under your $20.": "P:B0X",
        "The Soft Bed costs $9.": "P:B0X",
        "The Soft Bed costs $5.": "P:B0Y",
    }
    given = [tagged("source", "A soft bed under $20?", id="Q"), tagged("source", SOURCE, id="P:B0X")]
    given += [tagged("source", "Nothing of a price.", id="P:B0Y")]
    given += [tagged("claim", text, id=str(at), sources=own) for at, (text, own) in enumerate(claims.items(), 1)]
    found = answer("ClaimsSupport", "\n".join(given))["claims"]
    labels = [(each["claim_id"], each["label"]) for each in found]
    assert labels == [(1, "full_support"), (2, "no_support"), (3, "no_support")]
    assert found[0]["quotes"] == ['"price":5']


@given(st.text(alphabet="abc $59.?!\n", max_size=60), st.text(alphabet="xyz <>&49\n", max_size=60))
def test_rewording_the_prompt_around_the_tags_changes_nothing(before: str, after: str) -> None:
    data = tagged("claim", "The Soft Bed costs $5.") + "\n" + tagged("source", SOURCE, id="P:B0X")
    assert answer("Support", f"{before}\n{data}\n{after}") == answer("Support", data)
    report = tagged("report", REPORT)
    for name in ("ReportClaims", "CitedClaims", "AllClaims"):
        assert answer(name, f"{before}\n{report}\n{after}") == answer(name, report)


def test_an_unknown_schema_is_filled_so_that_it_fits() -> None:
    choice = {"type": "string", "enum": ["A", "B"]}
    assert answer("Preference", "Which one?", winner=choice) == {"winner": "A"}


def test_without_a_tool_the_schema_in_the_prompt_is_answered_as_json() -> None:
    schema = tagged("schema", json.dumps({"title": "CitedClaims", "type": "object"}))
    message = judge([HumanMessage(f"{tagged('report', REPORT)}\n{schema}")], [], None)
    assert json.loads(message.text) == answer("CitedClaims", tagged("report", REPORT))


def test_a_question_without_schema_gets_a_plain_sentence() -> None:
    assert judge([HumanMessage("Hello?")], [], None).text
