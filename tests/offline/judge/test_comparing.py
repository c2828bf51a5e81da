"""The offline judge's preference: plumbing that knows neither place nor words around the tags."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from drretail.eval.pairwise.dimensions import DIMENSIONS, prompt_for
from drretail.eval.pairwise.judge import Comparison
from drretail.offline.judge.policy import judge
from drretail.prompts import tagged

REPORTS = st.text(alphabet="ab \n<>/report", max_size=40)


def answer(prompt: str) -> dict[str, Any]:
    schema = tagged("schema", json.dumps(Comparison.model_json_schema()))
    return json.loads(judge([HumanMessage(f"{prompt}\n{schema}")], [], None).text)


def both(first: str, second: str) -> str:
    return f"{tagged('report', first, name='A')}\n{tagged('report', second, name='B')}"


def test_the_longer_report_wins_and_the_answer_says_that_this_is_no_preference() -> None:
    found = Comparison.model_validate(answer(both("one two three", "four five")))
    assert found.winner == "A"
    assert "no preference" in found.justification


@given(REPORTS, REPORTS)
def test_who_wins_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert answer(both(one, other))["winner"] != answer(both(other, one))["winner"] or one == other


@given(REPORTS, REPORTS, st.text(alphabet="abc A.B?!\n", max_size=60))
def test_rewording_the_prompt_around_the_tags_changes_nothing(one: str, other: str, words: str) -> None:
    assert answer(f"{words}\n{both(one, other)}\n{words}") == answer(both(one, other))


def test_every_dimension_s_prompt_is_answered_alike() -> None:
    data = {"shop_url": "u", "today": "<today>\nx\n</today>", "profile": tagged("profile", "p"), "query": "q"}
    reports = {"report_a": tagged("report", "a b", name="A"), "report_b": tagged("report", "a b c", name="B")}
    assert {answer(prompt_for(it).render(**data, **reports))["winner"] for it in DIMENSIONS} == {"B"}
