"""offline:judge: it answers by the schema's name and the tags, whatever the words around them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.llm.offline.judge import extract_claims, judge, judge_claim
from drretail.llm.prompt import tagged

REPORT = "The bed costs $5 [P:B0X]. Cedar lasts ten years [W:abcdefgh]."
SOURCE = '{"product_id":"B0X","category":"Pets","title":"Soft Bed","price":5,"average_rating":4.5}'


def answer(name: str, prompt: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    tool = {"type": "function", "function": {"name": name, "parameters": parameters}}
    message = judge([HumanMessage(prompt)], [tool], "any")
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
        "quote": '"price":5',
    }


def test_each_claim_is_judged_by_its_own_sources_and_by_a_records_line() -> None:
    claims = {"The Soft Bed costs $5.": "P:B0X", "The bed costs $9.": "P:B0X", "A bed costs $5.": "P:B0Y"}
    given = [tagged("source", "A bed?", id="Q"), tagged("source", SOURCE, id="P:B0X")]
    given += [tagged("source", "Nothing of a price.", id="P:B0Y")]
    given += [tagged("claim", text, id=str(at), sources=own) for at, (text, own) in enumerate(claims.items(), 1)]
    found = answer("ClaimsSupport", "\n".join(given))["claims"]
    labels = [(each["claim_id"], each["label"]) for each in found]
    assert labels == [(1, "full_support"), (2, "contradicted"), (3, "not_rated")]
    assert found[0]["quotes"] == ['"price":5']
    given.append(tagged("record", "stock: the record says sold out", claim="3"))
    assert answer("ClaimsSupport", "\n".join(given))["claims"][2]["label"] == "contradicted"


@given(st.text(alphabet="abc $59.?!\n", max_size=60), st.text(alphabet="xyz <>&49\n", max_size=60))
def test_rewording_the_prompt_around_the_tags_changes_nothing(before: str, after: str) -> None:
    data = tagged("claim", "The Soft Bed costs $5.") + "\n" + tagged("source", SOURCE, id="P:B0X")
    assert answer("Support", f"{before}\n{data}\n{after}") == answer("Support", data)
    report = tagged("report", REPORT)
    for name in ("ReportClaims", "CitedClaims", "AllClaims"):
        assert answer(name, f"{before}\n{report}\n{after}") == answer(name, report)


def test_an_unknown_schema_is_filled_one_in_the_prompt_answered_as_json_and_none_by_a_sentence() -> None:
    choice = {"type": "string", "enum": ["A", "B"]}
    assert answer("Preference", "Which one?", winner=choice) == {"winner": "A"}
    schema = tagged("schema", json.dumps({"title": "CitedClaims", "type": "object"}))
    message = judge([HumanMessage(f"{tagged('report', REPORT)}\n{schema}")], [], None)
    assert json.loads(message.text) == answer("CitedClaims", tagged("report", REPORT))
    assert judge([HumanMessage("Hello?")], [], None).text


def claims_of(report: str, *, only_cited: bool = False) -> list[str]:
    return [found.claim for found in extract_claims(report, only_cited=only_cited)]


LISTED = "Cedar lasts ten years.\n\n## References\n\n{} https://wood.example/cedar-10 - 10 cedars tested\n"


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        # headings, questions, names, advice and talk of oneself are no claims
        ("# Beds that cost $5 [P:B0X]", []),
        ("**What it costs**", []),
        ("Does it cost $5 [P:B0X]?", []),
        ("**Fluffwick Dog Bed** [P:B0X]", []),
        ("You should compare several washable dog beds.", []),
        ("I looked through forty beds with washable covers.", []),
        ("Quite so.", []),
        ("```\nIt costs $5 [P:B0X].\n```", ["It costs $5."]),  # as a page shows it
        ("", []),
        # nor are the lines of a list
        (LISTED.format("1. The 8 best cedars of 2025"), ["Cedar lasts ten years."]),
        (LISTED.format("- Hoka. (2023). *Cedar 9*."), ["Cedar lasts ten years."]),
        (LISTED.format("[1]"), ["Cedar lasts ten years."]),
        # claims are restated without marks
        ("The bed costs $5 [P:B0X].", ["The bed costs $5."]),
        ("- The bed **holds** 90 pounds [P:B0X][W:abcdefgh]", ["The bed holds 90 pounds"]),
        ("The [Soft Bed](http://ecommerce.com/B0X) costs $5.", ["The Soft Bed costs $5."]),
        ("Cedar posts in wet soil last ten years.", ["Cedar posts in wet soil last ten years."]),
        ("Das Bett kostet 5 € [P:B0X].", ["Das Bett kostet 5 €."]),
        # figures alone below a name alone are about what it names
        ("**Soft Bed**\n$5.00 [P:B0X]\n\nIt is soft [P:B0X].", ["Soft Bed: $5.00", "It is soft."]),
        ("### Soft Bed\n- $5.00 [P:B0X]\n- 4.5 (203) [P:B0X]", ["Soft Bed: $5.00", "Soft Bed: 4.5 (203)"]),
        ("**Soft Bed** [P:B0X]\n\n$5.00", ["Soft Bed: $5.00"]),
    ],
)
def test_what_states_something_is_a_claim(text: str, claims: list[str]) -> None:
    assert claims_of(text) == claims


CELLS = [("Bed; Price: $5", ("P:B0X",)), ("Bowl; Price: $7", ("P:B0Y",))]


@pytest.mark.parametrize(
    ("report", "claims"),
    [
        ("| | Bed [P:B0X] | Bowl [P:B0Y] |\n|---|---|---|\n| Price | $5 | $7 |\n", CELLS),
        ("| | Bed | Bowl |\n|---|---|---|\n| Price | $5 | $7 |\n| Source | [P:B0X] | [P:B0Y] |\n", CELLS),
        ("| | Bed | Bowl |\n|---|---|---|\n| Price | $5 [P:B0X] | $7 [P:B0Y] |\n", CELLS),
        (
            "| Product | Price | Stars |\n|---|---|---|\n| Bed [P:B0X] | $5 | 4.5 |\n| Bowl [P:B0Y] | | 4.1 |\n",
            [("Bed; Price: $5; Stars: 4.5", ("P:B0X",)), ("Bowl; Stars: 4.1", ("P:B0Y",))],
        ),
    ],
    ids=["head", "row of sources", "cells", "a row with one source is one claim"],
)
def test_a_cell_is_a_claim_if_its_column_is_sourced(report: str, claims: list[tuple[str, tuple[str, ...]]]) -> None:
    assert [(found.claim, found.sources) for found in extract_claims(report, only_cited=True)] == claims


def test_uncited_claims_are_only_in_the_list_of_all_and_numbers_are_what_the_list_has_for_them() -> None:
    report = "Cedar posts last ten years outside. Pine lasts two years [W:abcdefgh]."
    assert claims_of(report, only_cited=True) == ["Pine lasts two years."]
    assert claims_of(report) == ["Cedar posts last ten years outside.", "Pine lasts two years."]
    numbered = "Cedar lasts ten years [1][9].\n\n## Sources\n[1] Wood https://wood.example/cedar\n"
    (found,) = extract_claims(numbered, only_cited=True)
    assert found.sources[0] == "https://wood.example/cedar"


def test_an_id_without_its_letter_is_a_source_as_with_it() -> None:
    for mark in ("[P:B0TEST0001]", "[B0TEST0001]"):
        (found,) = extract_claims(f"The Soft Bed costs $5 {mark}.", only_cited=True)
        assert (found.claim, found.sources) == ("The Soft Bed costs $5.", (mark.strip("[]"),))
    assert extract_claims("It lasts ten years [ISO 9001].", only_cited=True) == []


@given(st.text(alphabet="ab |-\n[P:B0X]*.5?", max_size=120))
def test_every_quote_stands_in_the_report(report: str) -> None:
    assert all(found.quote in report for found in extract_claims(report, only_cited=False))


KETTLE = (
    '{"product_id":"B0X","category":"Kitchen","title":"Steamhollow Gooseneck Kettle, 1 Liter","price":64.5,'
    '"features":["Counterbalanced walnut handle"],"average_rating":4.3,"rating_number":2210,'
    '"details":{"Capacity":"15 Ounces","Is Dishwasher Safe":"No"}}'
)
GRINDER = '{"product_id":"B0Y","category":"Kitchen","title":"Burrwick Grinder","price":39.25,"currency":"USD"}'
ORDER = (
    '{"order_id":"0001","product_id":"B0Z","order_date":"2023-05-31T10:46:55","order_status":"Shipped",'
    '"product_title":"Slowpaw Bowl"}'
)
LAMP = '{"product_id":"B0L","category":"Licht","title":"Gamma Lamp Three","features":["Not waterproof"]}'
SUM = "64.5+39.25 = 103.75"
PAGE = "The Steamhollow kettle costs $64.50. Cast iron keeps tea warm for 40 minutes."


@pytest.mark.parametrize(
    ("claim", "sources", "label"),
    [
        # named fields and results say so
        ("The Steamhollow kettle costs $64.50 [1].", [KETTLE], "full_support"),
        ("The Steamhollow kettle costs about $65.", [KETTLE], "full_support"),
        ("Steamhollow Gooseneck Kettle, 1 Liter; Price: 64,50 $; Stars: 4.3 (2,210)", [KETTLE], "full_support"),
        ("It is rated 4.3 stars by 2,210 buyers.", [KETTLE], "full_support"),
        ("It has a capacity of 15 ounces.", [KETTLE], "full_support"),
        ("You ordered the Slowpaw Bowl on May 31, 2023.", [ORDER], "full_support"),
        ("Your order of the Slowpaw Bowl is shipped.", [ORDER], "full_support"),
        ("That is $103.75 together.", [SUM], "full_support"),
        ("The kettle and the grinder cost $64.50 and $39.25.", [KETTLE, GRINDER], "full_support"),
        # they say otherwise
        ("The Steamhollow kettle costs $59.99 and is toxic.", [KETTLE], "contradicted"),
        ("The Steamhollow kettle costs €64.50.", [KETTLE], "contradicted"),
        ("It has a capacity of 24 ounces.", [KETTLE], "not_rated"),
        ("You ordered it on May 30, 2023.", [ORDER], "contradicted"),
        ("Your order was cancelled and refunded.", [ORDER], "contradicted"),
        ("Your order is not yet shipped.", [ORDER], "contradicted"),
        ("That is $104.75 together.", [SUM], "contradicted"),
        # something is left that no field decides, however many words are shared
        ("The Steamhollow Gooseneck Kettle is toxic.", [KETTLE], "not_rated"),
        ("The toxic Steamhollow kettle costs $64.50.", [KETTLE], "not_rated"),
        ("The Steamhollow kettle never costs $64.50.", [KETTLE], "not_rated"),
        ("The Steamhollow kettle costs $64.50, under your $70.", [KETTLE], "not_rated"),
        ("It has a counterbalanced walnut handle.", [KETTLE], "not_rated"),
        ("The Gamma Lamp Three is toxic.", [LAMP], "not_rated"),
        ("The Gamma Lamp Three is waterproof.", [LAMP], "not_rated"),
        ("Die Gamma Lamp Three ist wasserdicht.", [LAMP], "not_rated"),
        ("Die Gamma Lamp Three ist nicht wasserdicht.", [LAMP], "not_rated"),
        ("The kettle and the grinder cost $103.75.", [KETTLE, GRINDER], "not_rated"),
        ("You save $103.75.", [SUM], "not_rated"),
        ("Steamhollow kettle; Price per 100 ml¹: $6.47", [KETTLE], "not_rated"),
        ("The Steamhollow kettle costs $64.50.", [PAGE], "not_rated"),
        ("The Steamhollow kettle costs $64.50.", [KETTLE, PAGE], "not_rated"),
        ("Cast iron keeps tea warm for 40 minutes.", [PAGE], "not_rated"),
        ("Cast iron keeps tea warm.", [], "not_rated"),
    ],
)
def test_a_claim_is_decided_by_fields_alone(claim: str, sources: list[str], label: str) -> None:
    opinion = judge_claim(claim, sources, "A kettle for at most $70, please")
    assert opinion.label == label, opinion.reason


@given(st.text(max_size=80), st.lists(st.text(max_size=200) | st.just(KETTLE), max_size=3))
def test_any_text_gets_a_label_and_a_quote_that_stands_in_a_source(claim: str, sources: list[str]) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.reason
    assert not opinion.quote or any(opinion.quote in source for source in sources)
