"""Which answer of a script a request gets, and what a wrong script or an unforeseen request is told."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.errors import ModelError, UserError
from drretail.llm.scripted import Request, Script, ScriptedAnswer, read_script
from drretail.llm.scripted.script import digest_of
from drretail.prompts import tagged

QUESTION = HumanMessage(f"Research this.\n{tagged('query', 'Which feeder?')}\n{tagged('today', '2023-09-30')}")


def request(*messages: BaseMessage, **given: Any) -> Request:
    return Request((SystemMessage("Be brief."), *(messages or (QUESTION,))), **given)


def script(**held: Any) -> Script:
    return Script.model_validate(held)


@given(st.integers(1, 8), st.integers(1, 8))
def test_a_list_gives_the_nth_answer_to_the_nth_turn_of_any_conversation(length: int, turn: int) -> None:
    played = script(answers=[{"text": f"answer {at}"} for at in range(1, length + 1)])
    asked = request(QUESTION, *[AIMessage("Hm.")] * (turn - 1))
    if turn <= length:
        assert played(asked).text == f"answer {turn}"
    else:
        with pytest.raises(ModelError, match=f"its list ends after {length} turn"):
            played(asked)


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ({"tools": ["web_search"]}, True),
        ({"tools": ["web_search", "calculator"]}, True),
        ({"tools": ["Finalize"]}, False),
        ({"tools": []}, False),
        ({"turn": 2}, True),
        ({"turn": 1}, False),
        ({"schema": ""}, True),
        ({"schema": "Rating"}, False),
        ({"tags": ["query", "today"]}, True),
        ({"tags": ["sub_problem"]}, False),
        ({"opening_says": "Which feeder?"}, True),
        ({"opening_says": "Which bath?"}, False),
        ({"last_says": "B0TEST0001"}, True),
        ({"last_says": "feeder"}, False),
        ({"may_call": True}, True),
        ({"may_call": False}, False),
        ({"opening": digest_of(QUESTION.text)}, True),
        ({"opening": "0" * 16}, False),
        ({"turn": 2, "tags": ["sub_problem"]}, False),
    ],
)
def test_a_rule_is_for_requests_that_meet_all_its_conditions(conditions: dict[str, Any], holds: bool) -> None:
    played = script(rules=[{**conditions, "answer": {"text": "the rule's"}}], answers=[{"text": "a"}, {"text": "b"}])
    asked = request(
        QUESTION, AIMessage("Hm."), ToolMessage("B0TEST0001", tool_call_id="x"), tools=("web_search", "calculator")
    )
    assert played(asked).text == ("the rule's" if holds else "b")


def test_the_first_rule_that_holds_decides_and_one_whose_list_has_ended_holds_no_more() -> None:
    played = script(rules=[{"answers": [{"text": "first"}]}, {"answer": {"text": "then"}}])
    assert played(request()).text == "first"
    assert played(request(QUESTION, AIMessage("first"))).text == "then"


def test_an_opening_is_known_by_its_data_and_not_by_the_words_around_it() -> None:
    reworded = QUESTION.text.replace("Research this.", "Please look into it.")
    assert digest_of(reworded) == digest_of(QUESTION.text)
    assert digest_of(f"{QUESTION.text}\n{tagged('schema', '{}')}") == digest_of(QUESTION.text)
    assert digest_of(QUESTION.text.replace("feeder", "bath")) != digest_of(QUESTION.text)
    assert digest_of("no data") != digest_of("none either")


def test_a_request_that_nothing_is_for_is_shown_in_short() -> None:
    played = script(
        rules=[{"schema": "Rating", "turn": 2, "answer": {"text": "x"}}, {"turn": 3, "answer": {"text": "x"}}]
    )
    with pytest.raises(ModelError) as result:
        played(request(HumanMessage("a " * 500), tools=("web_search",), may_call=False))
    assert result.value.kind == "model"
    text = result.value.message
    assert text.startswith(
        "the script has no answer to this request (rule 2 is for turn 3): turn: 1; "
        "tools: web_search (not to be called); schema: none; tags: none; last message (human): a a a"
    )
    assert len(text) < 400


WRONG = {
    "answers = []": "there is neither an answer nor a rule",
    "[[answers]]\ntxt = 'x'": "answers.0.txt: Extra inputs are not permitted",
    "[[answers]]\ntext = 'x'\nstructured = {}": "an answer is structured, or text and calls, not both",
    "[[answers]]\nusage = { output = 3 }": "an answer needs text, calls, structured, stop or error",
    "[[answers]]\nerror = 'flood'": "Input should be 'rate_limit'",
    "[[answers]]\nerror = 'timeout'\ntimes = 2": "an answer beside it exactly where it says how many times",
    "[[answers]]\nerror = 'timeout'\ntext = 'x'": "an answer beside it exactly where it says how many times",
    "[[answers]]\ntext = 'x'\nmessage = 'y'": "times and message belong to an error",
    "[[rules]]\nturn = 1": "a rule needs either answer, or answers in order",
    "[[rules]]\nturn = 1\nanswers = [{ text = 'x' }]": "a rule for one turn has an answer, not answers in order",
    "answers = 3 4": "is no script",
}


@pytest.mark.parametrize(("written", "message"), WRONG.items())
def test_a_file_that_is_no_script_is_refused_with_the_place(tmp_path: Path, written: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(written)
    with pytest.raises(UserError) as problem:
        read_script(path)
    assert message in str(problem.value)
    assert str(path) in str(problem.value)


def test_toml_and_json_hold_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[[answers]]\ncalls = [{ name = 'web_search', args = { query = 'x' } }]\n")
    (tmp_path / "a.json").write_text('{"answers": [{"calls": [{"name": "web_search", "args": {"query": "x"}}]}]}')
    assert read_script(tmp_path / "a.toml").answers == read_script(tmp_path / "a.json").answers
    assert isinstance(read_script(tmp_path / "a.toml").answers[0], ScriptedAnswer)
