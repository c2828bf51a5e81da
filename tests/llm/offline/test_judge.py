"""offline:judge answers by the schema's name and the tags."""

import json
from typing import Any

from langchain_core.messages import HumanMessage

from drretail.llm.offline.judge import extract_claims, judge_claim, judge_offline
from drretail.llm.prompt import tagged

REPORT = "The bed costs $5 [P:B0X]. Cedar lasts ten years [W:abcdefgh]."
SOURCE = '{"product_id":"B0X","category":"Pets","title":"Soft Bed","price":5,"average_rating":4.5}'


def answer(name: str, prompt: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    message = judge_offline([HumanMessage(prompt)], [tool], "any")
    (call,) = message.tool_calls
    assert call["name"] == name
    return call["args"]


def test_claims_come_with_number_quote_and_sources_and_support_with_label_reason_and_quote() -> None:
    bed = {"claim": "The bed costs $5.", "quote": "The bed costs $5 [P:B0X].", "sources": ["P:B0X"]}
    cedar = {
        "claim": "Cedar lasts ten years.",
        "quote": "Cedar lasts ten years [W:abcdefgh].",
        "sources": ["W:abcdefgh"],
    }
    found = answer("CitedClaims", tagged("report", REPORT))
    assert found == {"claims": [{"claim_id": 1, **bed}, {"claim_id": 2, **cedar}]}
    prompt = tagged("claim", "The Soft Bed costs $5.") + "\n" + tagged("source", SOURCE, id="P:B0X")
    assert answer("Support", prompt) == {
        "support": "full_support",
        "justification": "fields of its sources say so",
    }


def test_each_claim_is_judged_by_its_own_sources() -> None:
    claims = {"The Soft Bed costs $5.": "P:B0X", "The bed costs $9.50.": "P:B0X", "A bed costs $5.": "P:B0Y"}
    given = [tagged("source", "A bed?", id="Q"), tagged("source", SOURCE, id="P:B0X")]
    given += [tagged("source", "Nothing of a price.", id="P:B0Y")]
    given += [tagged("claim", text, id=str(at), sources=own) for at, (text, own) in enumerate(claims.items(), 1)]
    found = answer("ClaimsSupport", "\n".join(given))["claims"]
    labels = [(each["claim_id"], each["label"]) for each in found]
    assert labels == [(1, "full_support"), (2, "contradicted"), (3, "not_rated")]
    assert found[0]["quotes"] == ['"price":5']


def test_an_unknown_schema_is_filled_one_in_the_prompt_answered_as_json_and_none_by_a_sentence() -> None:
    choice = {"type": "string", "enum": ["A", "B"]}
    assert answer("Preference", "Which one?", winner=choice) == {"winner": "A"}
    schema = tagged("schema", json.dumps({"title": "CitedClaims", "type": "object"}))
    message = judge_offline([HumanMessage(f"{tagged('report', REPORT)}\n{schema}")], [], None)
    assert json.loads(message.text) == answer("CitedClaims", tagged("report", REPORT))
    assert judge_offline([HumanMessage("Hello?")], [], None).text


LISTED = "Cedar lasts 10 years.\n\n## References\n\n{} https://wood.example/cedar-10 - 10 cedars tested\n"


def test_each_sentence_with_a_source_or_a_figure_is_a_claim_in_any_language() -> None:
    rows = [
        # headings, questions, lists of sources and what states no figure are no claims
        ("# Beds that cost $5 [P:B0X]", []),
        ("Does it cost $5?", []),
        ("", []),
        (LISTED.format("1. The 8 best cedars of 2025"), ["Cedar lasts 10 years."]),
        (LISTED.format("- Hoka. (2023). *Cedar 9*."), ["Cedar lasts 10 years."]),
        (LISTED.format("[1]"), ["Cedar lasts 10 years."]),
        # claims are restated without marks
        ("- The bed **holds** 90 pounds [P:B0X][W:abcdefgh]", ["The bed holds 90 pounds"]),
        ("Das Bett kostet 5 € und ist weich [P:B0X].", ["Das Bett kostet 5 € und ist weich."]),
        ("このベッドは5ドルです [P:B0X]", ["このベッドは5ドルです"]),
        ("السرير ناعم [P:B0X].", ["السرير ناعم."]),
        # a mark owns the text before it, and the figures right behind it
        ("The bed is $5 [P:B0X], the bowl $7 [P:B0Y] and soft.", ["The bed is $5", "the bowl $7 and soft."]),
        ("The bed [P:B0X] is $5, so two are $10.", ["The bed is $5,", "so two are $10."]),
    ]
    for text, claims in rows:
        assert [found.claim for found in extract_claims(text, only_cited=False)] == claims, text


def test_a_row_is_one_claim_for_each_product_with_the_heads_and_sources_of_its_cells() -> None:
    rows = [
        ("| | Bed [P:B0X] | Bowl [P:B0Y] |\n|---|---|---|\n| Price | $5 | $7 |\n", BOTH),
        ("| | Bed | Bowl |\n|---|---|---|\n| Price | $5 | $7 |\n| Source | [P:B0X] | [P:B0Y] |\n", BOTH),
        ("| | Bed | Bowl |\n|---|---|---|\n| Price | $5 [P:B0X] | $7 [P:B0Y] |\n", BOTH),
        (
            "| Product | Price | Stars |\n|---|---|---|\n| Bed [P:B0X] | $5 | 4.5 |\n| Bowl [P:B0Y] | | 4.1 |\n",
            [("Product: Bed; Price: $5; Stars: 4.5", ("P:B0X",)), ("Product: Bowl; Stars: 4.1", ("P:B0Y",))],
        ),
    ]
    for report, claims in rows:
        found = [(one.claim, one.sources) for one in extract_claims(report, only_cited=True)]
        assert found[: len(claims)] == claims, report


BOTH = [("Price; Bed: $5", ("P:B0X",)), ("Price; Bowl: $7", ("P:B0Y",))]


KETTLE = (
    '{"product_id":"B0X","category":"Kitchen","title":"Steamhollow Gooseneck Kettle, 1 Liter","price":64.5,'
    '"features":["Counterbalanced walnut handle"],"average_rating":4.3,"rating_number":2210,'
    '"details":{"Capacity":"15 Ounces","Is Dishwasher Safe":"No"}}'
)
ORDER = (
    '{"order_id":"0001","product_id":"B0Z","order_date":"2023-05-31T10:46:55","order_status":"Shipped",'
    '"product_title":"Slowpaw Bowl"}'
)
GAMMA = '{"product_id":"B0L","category":"Licht","title":"Gamma Lamp Three","features":["Not waterproof"]}'
SUM = "64.5+39.25 = 103.75"
KETTLE_PAGE = "The Steamhollow kettle costs $64.50. Cast iron keeps tea warm for 40 minutes."


def test_a_claim_is_decided_by_what_form_makes_certain_in_any_language_and_by_nothing_else() -> None:
    rows = [
        # fields and results say so
        ("The Steamhollow kettle costs $64.50 [1].", [KETTLE], "full_support"),
        ("Steamhollow Gooseneck Kettle, 1 Liter; Price: 64,50 $; Stars: 4.3 (2,210)", [KETTLE], "full_support"),
        ("You ordered the Slowpaw Bowl on May 31, 2023.", [ORDER], "full_support"),
        ("That is $103.75.", [SUM], "full_support"),
        # they say otherwise
        ("The Steamhollow kettle costs $59.99 and is toxic.", [KETTLE], "contradicted"),
        ("Der Kessel (59,99 $) ist giftig", [KETTLE], "contradicted"),
        ("That is $104.75 together.", [SUM], "contradicted"),
        # something is left that no field decides, however many words are shared
        ("The Steamhollow Gooseneck Kettle is toxic.", [KETTLE], "not_rated"),
        ("The Steamhollow kettle costs $64.50, under your $70.", [KETTLE], "not_rated"),
        ("Der Kessel fasst 15 Unzen.", [KETTLE], "not_rated"),
        ("The Gamma Lamp Three is waterproof.", [GAMMA], "not_rated"),
        ("Steamhollow kettle; Price per 100 ml¹: $6.47", [KETTLE], "not_rated"),
        # pages and nothing
        ("The Steamhollow kettle costs $64.50.", [KETTLE_PAGE], "not_rated"),
        ("The Steamhollow kettle costs $64.50.", [KETTLE, KETTLE_PAGE], "not_rated"),
        ("Cast iron keeps tea warm.", [], "not_rated"),
    ]
    opinions = [
        (claim, sources, judge_claim(claim, sources, "A kettle for at most $70, please")) for claim, sources, _ in rows
    ]
    assert [(claim, sources, opinion.label) for claim, sources, opinion in opinions] == rows
