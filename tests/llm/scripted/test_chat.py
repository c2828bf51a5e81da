"""The chat model that plays a script: calls, schemas, streams, errors, and several conversations at once."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, HumanMessage

from drretail.errors import ModelError, UserError
from drretail.journal import Journal
from drretail.llm.calling import answer_of
from drretail.llm.models import Models
from drretail.llm.registry import open_model
from drretail.llm.retries_and_rates import Retrying
from drretail.llm.scripted import ScriptedAnswer, requests_of, scripted_model
from drretail.records.base import Record
from drretail.records.run import Usage
from drretail.tools.registry import openai_schemas
from drretail.trajectory import Trajectory

ASK = [HumanMessage("Which feeder?")]
SEARCH = {"name": "web_search", "args": {"query": "feeder"}}


class Rating(Record):
    """How good it is."""

    rating: int


def model(*answers: dict[str, Any]):
    return scripted_model(*(ScriptedAnswer.model_validate(answer) for answer in answers))


def models(*answers: dict[str, Any], retries: int = 0) -> Models:
    async def at_once(seconds: float) -> None:
        del seconds

    retrying = Retrying(retries, sleep=at_once)
    return Models({"researcher": replace(model(*answers), retrying=retrying)}, Journal(), Trajectory())


def test_a_file_is_opened_by_its_name_and_another_script_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "answers.toml"
    path.write_text("[[answers]]\ntext = 'The tube feeder.'\n")
    opened = open_model(f"scripted:{path}")
    assert opened.info.model_dump() == {
        "spec": f"scripted:{path}",
        "provider": "scripted",
        "model": str(path),
        "kind": "scripted",
    }
    assert asyncio.run(answer_of(opened, ASK)).text == "The tube feeder."
    path.write_text("[[answers]]\ntext = 'The tray.'\n")
    assert open_model(f"scripted:{path}").params != opened.params
    path.unlink()
    with pytest.raises(UserError, match="There is no script at"):
        open_model(f"scripted:{path}")


def test_calls_come_as_tool_calls_with_ids_and_the_thought_beside_them() -> None:
    played = model({"text": "I look.", "calls": [SEARCH, SEARCH]})
    answer = asyncio.run(answer_of(played, ASK, chat=played.chat.bind_tools(openai_schemas())))
    assert answer.text == "I look."
    assert [call["args"] for call in answer.tool_calls] == [SEARCH["args"]] * 2
    assert len({call["id"] for call in answer.tool_calls}) == 2
    (request,) = requests_of(played)
    assert len(request.tools) == 9
    assert request.schema is None


def test_a_call_where_none_is_allowed_is_an_error_of_the_script() -> None:
    with pytest.raises(ModelError, match="the script calls web_search where no call is allowed"):
        asyncio.run(models({"calls": [SEARCH]}).call("researcher", ASK, tools=openai_schemas(), may_call=False))


def test_an_answer_in_a_schema_is_validated_and_told_what_is_wrong_until_it_fits() -> None:
    asked = models({"structured": {"rating": "good"}}, {"text": "no JSON"}, {"structured": {"rating": 7}})
    assert asyncio.run(asked.ask("researcher", ASK, Rating)).rating == 7
    requests = requests_of(asked.by_role["researcher"])
    assert [request.schema for request in requests] == ["Rating"] * 3
    assert [request.tools for request in requests] == [()] * 3


def test_models_that_are_asked_for_json_in_words_are_played_as_well() -> None:
    in_words = replace(model({"structured": {"rating": 7}}), structured_output=False)
    asked = Models({"researcher": in_words}, Journal(), Trajectory())
    assert asyncio.run(asked.ask("researcher", ASK, Rating)).rating == 7


def test_a_stream_adds_up_to_the_answer() -> None:
    played = model({"text": "Take the tube feeder.", "calls": [SEARCH]})
    total: Any = None
    for chunk in played.chat.stream(ASK):
        assert isinstance(chunk, AIMessageChunk)
        total = chunk if total is None else total + chunk
    whole: Any = played.chat.invoke(ASK)
    assert (total.text, total.tool_calls) == (whole.text, whole.tool_calls)
    assert total.usage_metadata == whole.usage_metadata


KINDS = ("timeout", "refusal", "context_overflow")


@pytest.mark.parametrize("error", ["rate_limit", "overloaded", "connection", "invalid", *KINDS])
def test_every_error_becomes_a_model_error_of_the_kind_that_runs_record(error: str) -> None:
    with pytest.raises(ModelError) as result:
        asyncio.run(models({"error": error}).call("researcher", ASK))
    assert result.value.kind == (error if error in KINDS else "model")


def test_an_error_that_passes_is_met_so_often_and_then_answered() -> None:
    asked = models({"error": "rate_limit", "times": 2, "text": "Now."}, retries=2)
    assert asyncio.run(asked.call("researcher", ASK)).text == "Now."
    asked = models({"error": "rate_limit", "times": 3, "text": "Now."}, retries=2)
    with pytest.raises(ModelError, match="rate_limit") as result:
        asyncio.run(asked.call("researcher", ASK))
    assert result.value.retries == 2


def test_usage_is_as_written_or_estimated_from_the_characters() -> None:
    usage = Usage(input_uncached=10, cache_read=90, output=5)
    written = models({"text": "x", "usage": usage.model_dump()})
    asyncio.run(written.call("researcher", ASK))
    assert written.usage["researcher"] == usage.model_copy(update={"calls": 1})
    estimated = models({"text": "x" * 40})
    asyncio.run(estimated.call("researcher", ASK))
    assert estimated.usage["researcher"].output == 10
