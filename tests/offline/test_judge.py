"""offline:judge: it answers by the schema's name and the tags, whatever the words around them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.offline.judge.claims import extract_claims
from drretail.offline.judge.policy import judge
from drretail.offline.judge.support import judge_claim
from drretail.prompts import tagged

REPORT = "The bed costs $5 [P:B0X]. Cedar lasts ten years [W:abcdefgh]."
SOURCE = '{"product_id":"B0X","title":"Soft Bed","price":5,"average_rating":4.5}'


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
        ("```\nIt costs $5 [P:B0X].\n```", []),
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
def test_a_cell_is_a_claim_where_its_column_or_the_cell_itself_has_a_source(
    report: str, claims: list[tuple[str, tuple[str, ...]]]
) -> None:
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
    '{"product_id":"B0X","title":"Steamhollow Gooseneck Kettle, 1 Liter","features":["Counterbalanced walnut handle",'
    '"Keeps its temperature for 60 minutes"],"price":64.5,"average_rating":4.3,"rating_number":2210,'
    '"details":{"Date First Available":"2021-11-03"}}'
)
GRINDER = '{"product_id":"B0Y","title":"Burrwick Grinder","price":39.25,"currency":"USD"}'
PAGE = (
    "Water just off the boil scalds green tea. Pour it at 80 degrees and steep for two minutes.\n\n"
    "Glass teapots do not hold their heat for long. Cast iron keeps tea warm for 40 minutes, but it has to be dried "
    "after use or it rusts."
)


@pytest.mark.parametrize(
    ("claim", "sources", "label"),
    [
        # what the sources say
        ("The Steamhollow kettle costs $64.50.", [KETTLE], "full_support"),
        ("The Steamhollow kettle costs about $65.", [KETTLE], "full_support"),
        ("The Steamhollow kettle is rated 4.3 stars by 2,210 buyers.", [KETTLE], "full_support"),
        ("The Steamhollow kettle costs 64,50 $.", [KETTLE], "full_support"),
        ("The kettle was first available in November 2021.", [KETTLE], "full_support"),
        ("Cast iron keeps tea warm for 40 minutes [1].", [PAGE], "full_support"),
        ("That is $103.75 together.", ["64.5+39.25 = 103.75"], "full_support"),
        ("With the Burrwick Grinder the Steamhollow Kettle makes $103.75.", ["64.5+39.25 = 103.75"], "full_support"),
        # what they say in part
        ("The Steamhollow kettle has a walnut handle and 12 settings.", [KETTLE], "partial_support"),
        ("Cast iron keeps tea warm for 90 minutes.", [PAGE], "partial_support"),
        (
            "Cast iron keeps tea warm, is made in Morioka and lasts generations of brewing.",
            [PAGE],
            "partial_support",
        ),
        # sums, multiples and differences of the records' prices
        ("The Steamhollow kettle and the Burrwick Grinder cost $103.75.", [KETTLE, GRINDER], "full_support"),
        ("The Steamhollow kettle is $25.25 dearer than the Burrwick Grinder.", [KETTLE, GRINDER], "full_support"),
        ("The Steamhollow kettle and the Burrwick Grinder cost $99.", [KETTLE, GRINDER], "not_rated"),
        # other figures, another currency, and other subjects
        ("The Steamhollow kettle costs €64.50.", [KETTLE], "no_support"),
        ("The Steamhollow kettle costs $59.99.", [KETTLE], "no_support"),
        ("Owls hunt voles at night.", [PAGE], "no_support"),
        ("Cast iron keeps tea warm.", [], "no_support"),
        ("It is so.", [PAGE], "no_support"),
        ("It is a bargain.", ["64.5+39.25 = 103.75"], "no_support"),
    ],
)
def test_a_claim_is_weighed_by_words_and_figures(claim: str, sources: list[str], label: str) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.label == label, opinion.reason


def test_words_scattered_over_a_long_page_bear_nothing_out() -> None:
    claim = "Cast iron pans need oil before the first use."
    filler = "Tea is grown on hills and picked by hand in spring."
    scattered = [f"{word} {filler}" for word in ("Cast", "Iron", "Pans", "Need", "Oil", "First", "Use")]
    apart = "\n".join(line for word in scattered for line in [word, *[filler] * 3])
    assert judge_claim(claim, [apart]).label != "full_support"
    assert judge_claim(claim, [f"{filler} {claim} {filler}"]).label == "full_support"


@pytest.mark.parametrize("opening", ["[Home](https://tea.example/)\n", "{draft}\n"])
def test_a_page_that_begins_with_a_bracket_is_still_a_page(opening: str) -> None:
    claim = "Cast iron keeps tea warm for 40 minutes."
    opinion = judge_claim(claim, [opening + PAGE])
    assert opinion == judge_claim(claim, [PAGE])
    assert opinion.label == "full_support"
    assert opinion.quote.startswith("Cast iron keeps tea warm")


def test_a_figure_of_the_question_needs_no_source() -> None:
    claim = "The Steamhollow kettle costs $64.50, under your $70."
    assert judge_claim(claim, [KETTLE]).label == "partial_support"
    assert judge_claim(claim, [KETTLE], given="A kettle for at most $70, please").label == "full_support"


@given(st.text(max_size=80), st.lists(st.text(max_size=200), max_size=3))
def test_any_text_gets_a_label_and_a_quote_that_stands_in_a_source(claim: str, sources: list[str]) -> None:
    opinion = judge_claim(claim, sources)
    assert opinion.reason
    assert not opinion.quote or any(opinion.quote in source for source in sources)
