"""The chat model around a policy: ids, usage, streaming, tools and structured answers."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel

from drretail.offline.chat import OfflineChat, Turn
from drretail.offline.plain import plain_answer


class Verdict(BaseModel):
    """A verdict."""

    score: int
    reason: str


def calling(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any) -> AIMessage:
    del tools, choice
    return AIMessage("Hm. Stop here.", tool_calls=[{"name": "look", "args": {"n": len(messages)}, "id": "any"}])


def plain(messages: Sequence[BaseMessage], tools: list[dict[str, Any]], choice: Any = None) -> AIMessage:
    return plain_answer(Turn(messages, tools, choice))


def test_the_same_prompt_gets_the_same_call_ids_and_another_prompt_others() -> None:
    chat = OfflineChat(policy=calling)
    first, again, other = (chat.invoke(text) for text in ("a", "a", "b"))
    assert first.tool_calls == again.tool_calls
    assert first.tool_calls[0]["id"] != other.tool_calls[0]["id"]


def test_a_stop_word_ends_the_text() -> None:
    assert OfflineChat(policy=calling).invoke("a", stop=["Stop"]).text == "Hm. "


def test_a_structured_answer_satisfies_its_schema() -> None:
    for method in ("function_calling", "json_schema"):
        chat = OfflineChat(policy=plain).with_structured_output(Verdict, method=method)
        assert chat.invoke("Score 7 of 10") == Verdict(score=7, reason="Score 7 of 10")


def test_without_tools_and_tags_it_answers_in_a_sentence() -> None:
    answer = plain([HumanMessage("Hello there")], [])
    assert 5 < len(answer.text.split()) < 40
    assert not answer.tool_calls


def test_a_forbidden_call_is_not_made_although_tools_are_bound() -> None:
    tool = {"type": "function", "function": {"name": "look", "description": "", "parameters": {}}}
    assert not plain([HumanMessage("Hello")], [tool], "none").tool_calls
    assert plain([HumanMessage("Hello")], [tool], "any").tool_calls[0]["name"] == "look"
