"""A draft is mended where problems point, and only there."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.llm.offline.shopper.policy import shop
from drretail.llm.offline.shopper.roles.repairing import mended
from drretail.prompts import tagged

DRAFT = """# A bird feeder

Get the **Copper Feeder** at $39.99 [P:A]. It costs $5 more than the **Cedar Feeder** at $27.50 [P:B][P:A].

## Why this one

- It is rated 4.9 out of 5 [P:A].
- Squirrels cannot open it [W:gone].

| Product | Price |
|---|---|
| Copper Feeder [P:A] | $39.99 |
| Cedar Feeder [P:B] | $27.50 |

## Care

Clean it weekly [W:gone]."""


def repaired(*problems: dict[str, Any]) -> str:
    return mended(DRAFT, json.dumps(problems))


def test_a_wrong_figure_is_put_right_where_its_product_stands() -> None:
    report = repaired({"code": "price_wrong", "said": "$39.99", "found": "$34.99", "evidence_id": "P:A"})
    assert "Get the **Copper Feeder** at $34.99 [P:A]." in report
    assert "| Copper Feeder [P:A] | $34.99 |" in report
    assert "$39.99" not in report
    assert "$27.50" in report


def test_a_figure_with_words_keeps_its_words() -> None:
    report = repaired({"code": "rating_wrong", "said": "4.9 out of 5", "found": "4.6", "evidence_id": "P:A"})
    assert "- It is rated 4.6 out of 5 [P:A]." in report


def test_a_statement_without_a_right_figure_goes_and_the_rest_stays() -> None:
    said = "It costs $5 more than the **Cedar Feeder** at $27.50"
    report = repaired({"code": "difference_wrong", "said": said, "found": "it costs $12.49 more"})
    assert "Get the **Copper Feeder** at $39.99 [P:A]." in report
    assert "$5 more" not in report
    assert "| Cedar Feeder [P:B] | $27.50 |" in report


def test_a_citation_that_comes_to_nothing_takes_its_statement_and_an_empty_section_along() -> None:
    report = repaired({"code": "unresolved_citation", "said": "[W:gone]", "found": "the run was handed no such source"})
    assert "W:gone" not in report
    assert "Squirrels" not in report
    assert "## Care" not in report
    assert "## Why this one" in report


def test_a_citation_beside_a_good_one_goes_alone() -> None:
    report = mended("It is of copper [P:A][W:gone].", '[{"code":"unresolved_citation","said":"[W:gone]"}]')
    assert report == "It is of copper [P:A]."


def test_a_passage_of_several_sentences_goes_as_a_whole() -> None:
    said = "at $39.99 [P:A]. It costs $5 more"
    report = repaired({"code": "over_budget", "said": said, "found": "the budget is $30"})
    assert "Get the" not in report
    assert "It costs" not in report
    assert "- It is rated 4.9 out of 5 [P:A]." in report


def test_no_part_of_a_longer_number_is_touched() -> None:
    assert mended("It costs $139.99 [P:A].", '[{"said":"$39.99","found":"$1.00"}]') == "It costs $139.99 [P:A]."


@pytest.mark.parametrize(
    "problems", ["", "[]", "{}", "[3]", '[{"code":"x"}]', '[{"said":"nowhere in it","found":"x"}]']
)
def test_problems_that_name_nothing_change_nothing(problems: str) -> None:
    assert mended(DRAFT, problems) == DRAFT


def test_the_role_is_told_by_the_tags() -> None:
    problems = [{"code": "price_wrong", "said": "$39.99", "found": "$34.99", "evidence_id": "P:A"}]
    given_tags = [
        tagged("query", "a bird feeder"),
        tagged("reports", "[]"),
        tagged("report", DRAFT),
        tagged("problems", json.dumps(problems)),
    ]
    assert shop([HumanMessage("\n".join(given_tags))], []).text == mended(DRAFT, json.dumps(problems))


@given(st.lists(st.sampled_from([line for line in DRAFT.splitlines() if line.strip()]), max_size=4))
def test_what_is_taken_out_is_gone_and_nothing_new_comes_in(said: list[str]) -> None:
    report = mended(DRAFT, json.dumps([{"code": "x", "said": text, "found": "no"} for text in said]))
    assert set(report.split()) <= set(DRAFT.split())
