"""What a model answered in an experiment, played again as a script somewhere else. Also tests local_chat.py."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.errors import ModelError, UserError
from drretail.experiments.journal import Journal
from drretail.llm.calling import answer_of
from drretail.llm.models import Models
from drretail.llm.prompt import tagged
from drretail.llm.providers import Retrying
from drretail.llm.registry import Model, build_model
from drretail.llm.scripted import Request, Script, ScriptedAnswer, digest_of, read_script, requests_of, scripted_model
from drretail.llm.structured import METHODS
from drretail.records.base import Record
from drretail.records.trajectory import Trajectory
from drretail.tools.registry import openai_schemas

ASK = [HumanMessage("Which feeder?")]
SEARCH = {"name": "web_search", "args": {"query": "feeder"}}


class Rating(Record):
    """How good it is."""

    rating: int


def model(*answers: dict[str, Any]) -> Model:
    return scripted_model(*(ScriptedAnswer.model_validate(answer) for answer in answers))


def models(*answers: dict[str, Any], **given: Any) -> Models:
    return Models({"researcher": replace(model(*answers), **given)}, Journal(), Trajectory())


TWICE = Retrying(2, first=0)


def test_a_file_is_opened_by_its_name_and_another_script_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_text("[[answers]]\ntext = 'The tube feeder.'\n")
    opened = build_model(f"scripted:{path}")
    info = {"spec": f"scripted:{path}", "provider": "scripted", "model": str(path), "kind": "scripted"}
    assert opened.info.model_dump() == info
    assert asyncio.run(answer_of(opened, ASK)).text == "The tube feeder."
    path.write_text("[[answers]]\ntext = 'The tray.'\n")
    assert build_model(f"scripted:{path}").params != opened.params
    path.unlink()
    with pytest.raises(UserError, match="There is no script at"):
        build_model(f"scripted:{path}")


def test_calls_come_as_tool_calls_with_ids_and_the_thought_beside_them_where_they_are_allowed() -> None:
    played = model({"text": "I look.", "calls": [SEARCH, SEARCH]})
    answer = asyncio.run(answer_of(played, ASK, chat=played.chat.bind_tools(openai_schemas())))
    assert answer.text == "I look."
    assert [call["args"] for call in answer.tool_calls] == [SEARCH["args"]] * 2
    assert len({call["id"] for call in answer.tool_calls}) == 2
    (request,) = requests_of(played)
    assert (len(request.tools), request.schema) == (9, None)
    with pytest.raises(ModelError, match="the script calls web_search where no call is allowed"):
        asyncio.run(models({"calls": [SEARCH]}).call("researcher", ASK, tools=openai_schemas(), may_call=False))


def test_an_answer_in_a_schema_is_validated_and_told_what_is_wrong_until_it_fits() -> None:
    asked = models({"structured": {"rating": "good"}}, {"text": "no JSON"}, {"structured": {"rating": 7}})
    assert asyncio.run(asked.ask("researcher", ASK, Rating)).rating == 7
    requests = requests_of(asked.by_role["researcher"])
    assert [(request.schema, request.tools) for request in requests] == [("Rating", ())] * 3
    in_words = models({"structured": {"rating": 7}}, refused={*METHODS})
    assert asyncio.run(in_words.ask("researcher", ASK, Rating)).rating == 7


KINDS = ("timeout", "refusal", "context_overflow")


@pytest.mark.parametrize("error", ["rate_limit", "overloaded", "connection", "invalid", *KINDS])
def test_every_error_becomes_a_model_error_of_the_kind_that_runs_record(error: str) -> None:
    with pytest.raises(ModelError) as result:
        asyncio.run(models({"error": error}).call("researcher", ASK))
    assert result.value.kind == (error if error in KINDS else "model")


def test_an_error_that_passes_is_met_so_often_and_then_answered() -> None:
    asked = models({"error": "rate_limit", "times": 2, "text": "Now."}, retrying=TWICE)
    assert asyncio.run(asked.call("researcher", ASK)).text == "Now."
    asked = models({"error": "rate_limit", "times": 3, "text": "Now."}, retrying=TWICE)
    with pytest.raises(ModelError, match="rate_limit") as result:
        asyncio.run(asked.call("researcher", ASK))
    assert result.value.retries == 2


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
        ({"tools": ["web_search"], "turn": 2, "schema": "", "tags": ["query", "today"]}, True),
        ({"opening": digest_of(QUESTION.text), "opening_says": "Which feeder?", "last_says": "B0TEST0001"}, True),
        ({"tools": ["Finalize"]}, False),
        ({"tools": []}, False),
        ({"turn": 1}, False),
        ({"schema": "Rating"}, False),
        ({"tags": ["sub_problem"]}, False),
        ({"opening_says": "Which bath?"}, False),
        ({"last_says": "feeder"}, False),
        ({"may_call": True}, True),
        ({"may_call": False}, False),
        ({"opening": "0" * 16}, False),
    ],
)
def test_a_rule_is_for_requests_that_meet_all_its_conditions(conditions: dict[str, Any], holds: bool) -> None:
    played = script(rules=[{**conditions, "answer": {"text": "the rule's"}}], answers=[{"text": "a"}, {"text": "b"}])
    turns = (QUESTION, AIMessage("Hm."), ToolMessage("B0TEST0001", tool_call_id="x"))
    asked = request(*turns, tools=("web_search", "calculator"))
    assert played(asked).text == ("the rule's" if holds else "b")


WRONG = {
    "answers = []": "there is neither an answer nor a rule",
    "[[answers]]\ntext = 'x'\nstructured = {}": "an answer is structured, or text and calls, not both",
    "[[answers]]\nusage = { output = 3 }": "an answer needs text, calls, structured, stop or error",
    "[[answers]]\nerror = 'timeout'\ntimes = 2": "an answer beside it exactly where it says how many times",
    "[[answers]]\ntext = 'x'\nmessage = 'y'": "times and message belong to an error",
    "[[rules]]\nturn = 1\nanswers = [{ text = 'x' }]": "a rule for one turn has an answer, not answers in order",
    "answers = 3 4": "is no script",
}


def test_a_file_that_is_no_script_is_refused_with_the_place(tmp_path: Path) -> None:
    path = tmp_path / "wrong.toml"
    for written, message in WRONG.items():
        path.write_text(written)
        with pytest.raises(UserError, match=re.escape(str(path))) as problem:
            read_script(path)
        assert message in str(problem.value)
