"""Every dialect of assistants' logs keeps the same of a conversation, and what none fits is told in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.imports.conversation import turns_of
from drretail.addons.imports.dialects.dialect import time_of
from drretail.addons.imports.dialects.reading import DIALECTS, READERS, dialect_of, read_log
from drretail.errors import UserError
from tests.addons.imports.foreign import jsonl

ASKED, SAID, USER, TIME = "Is the oak lamp dimmable?", "Yes, down to 5 %.", "eva", "2026-03-01T23:30:00-05:00"
QUESTION, ANSWER = {"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}
OF_LANGCHAIN = [{"type": "human", "content": ASKED, "id": "1"}, {"type": "ai", "content": SAID, "id": "2"}]


def constructor(name: str, text: str) -> dict[str, Any]:
    path = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": {"content": text}}


COMPLETION = {"id": "chatcmpl-1", "object": "chat.completion", "created": TIME, "model": "gpt-x"}
CHOICES = [
    {"index": 0, "message": ANSWER, "finish_reason": "stop"},
    {"index": 1, "message": {**ANSWER, "content": "No."}},
]
GENERATED = {"generations": [[{"text": SAID, "message": constructor("AIMessage", SAID)}]]}
OF_GOOGLE = {"candidates": [{"content": {"role": "model", "parts": [{"text": SAID}]}}]}
LOGS: dict[str, list[tuple[str, list[dict[str, Any]]]]] = {
    "chat messages": [
        ("row", [{"id": "c", "user": USER, "time": TIME, "messages": [QUESTION, ANSWER]}]),
        ("metadata", [{"id": "c", "metadata": {"user_id": USER, "time": TIME}, "messages": [QUESTION, ANSWER]}]),
    ],
    "questions and answers": [("row", [{"id": "c", "user": USER, "time": TIME, "question": ASKED, "answer": SAID}])],
    "requests and responses": [
        (
            "two objects",
            [
                {
                    "id": "c",
                    "time": TIME,
                    "request": {"messages": [QUESTION], "user": USER},
                    "response": {"choices": CHOICES},
                }
            ],
        ),
        ("one object", [{"id": "c", "user": USER, "time": TIME, "messages": [QUESTION], "choices": CHOICES}]),
        (
            "responses",
            [
                {
                    **{"id": "c", "user": USER, "time": TIME, "input": ASKED},
                    "output": [{"type": "message", **ANSWER, "content": [{"type": "output_text", "text": SAID}]}],
                }
            ],
        ),
        ("texts", [{"id": "c", "user": USER, "time": TIME, "prompt": ASKED, "completion": SAID}]),
        (
            "google",
            [
                {
                    **{"id": "c", "user": USER, "time": TIME, "response": OF_GOOGLE},
                    "request": {"contents": [{"role": "user", "parts": [{"text": ASKED}]}]},
                }
            ],
        ),
        (
            "anthropic, as texts of JSON",
            [
                {
                    **{"id": "c", "user": USER, "time": TIME, "request_body": json.dumps({"messages": [QUESTION]})},
                    "response_body": json.dumps({**ANSWER, "content": [{"type": "text", "text": SAID}]}),
                }
            ],
        ),
        (
            "a batch",
            [
                {"custom_id": "c", "method": "POST", "body": {"messages": [QUESTION], "user": USER}},
                {"custom_id": "c", "time": TIME, "response": {"status_code": 200, "body": {"choices": CHOICES}}},
            ],
        ),
    ],
    "OpenAI's stored completions": [
        (
            "two lists",
            [
                {"object": "list", "data": [{"id": "chatcmpl-1-0", **QUESTION, "name": None}]},
                {
                    "object": "list",
                    "data": [{**COMPLETION, "choices": CHOICES, "metadata": {"user_id": USER}}],
                },
            ],
        ),
    ],
    "OpenTelemetry's GenAI spans": [
        (
            "spans",
            [
                {
                    **{"trace_id": "c", "start_time": TIME},
                    "attributes": {
                        "user.id": USER,
                        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": ASKED}]}],
                        "gen_ai.output.messages": [{"role": "assistant", "parts": [{"type": "text", "content": SAID}]}],
                    },
                }
            ],
        ),
    ],
    "LangGraph's threads": [
        (
            "threads",
            [
                {
                    "thread_id": "c",
                    "created_at": TIME,
                    "metadata": {"user_id": USER},
                    "values": {"messages": OF_LANGCHAIN},
                }
            ],
        ),
        (
            "states",
            [
                {
                    **{"values": {"messages": OF_LANGCHAIN[:until]}, "created_at": TIME, "next": []},
                    **{
                        "checkpoint": {"thread_id": "c", "checkpoint_id": "9"},
                        "metadata": {"user_id": USER, "step": until},
                    },
                }
                for until in (2, 1)
            ],
        ),
    ],
    "LangSmith's runs": [
        (
            "a graph's run",
            [
                {
                    **{"id": "1", "trace_id": "c", "run_type": "chain", "start_time": TIME},
                    **{"inputs": {"messages": OF_LANGCHAIN[:1]}, "outputs": {"messages": OF_LANGCHAIN}},
                    "extra": {"metadata": {"user_id": USER}},
                },
                {
                    "id": "2",
                    "trace_id": "c",
                    "run_type": "tool",
                    "inputs": {"input": "lamp"},
                    "outputs": {"output": "Oak"},
                },
            ],
        ),
        (
            "a model's run",
            [
                {
                    **{"id": "1", "trace_id": "c", "run_type": "llm", "start_time": TIME, "outputs": GENERATED},
                    "inputs": {"messages": [[constructor("HumanMessage", ASKED)]]},
                    "extra": {"metadata": {"user_id": USER, "ls_model_name": "gpt-x"}},
                }
            ],
        ),
        (
            "texts",
            [
                {
                    **{"id": "1", "trace_id": "c", "run_type": "chain", "start_time": TIME},
                    **{
                        "inputs": {"question": ASKED},
                        "outputs": {"output": SAID},
                        "extra": {"metadata": {"user_id": USER}},
                    },
                }
            ],
        ),
    ],
    "Langfuse's exports": [
        (
            "traces",
            [
                {
                    **{"id": "c", "timestamp": TIME, "userId": USER, "sessionId": "s"},
                    **{"input": {"messages": [QUESTION]}, "output": ANSWER, "tags": []},
                }
            ],
        ),
        (
            "a trace with observations",
            [
                {
                    **{"id": "c", "timestamp": TIME, "userId": USER, "input": None, "output": None},
                    "observations": [
                        {
                            "type": "GENERATION",
                            "traceId": "c",
                            "input": json.dumps([QUESTION]),
                            "output": {"content": SAID},
                        },
                        {"type": "TOOL", "traceId": "c", "input": {"query": "lamp"}, "output": "Oak"},
                    ],
                }
            ],
        ),
        (
            "observations",
            [
                {
                    **{"id": "1", "traceId": "c", "type": "GENERATION", "startTime": TIME, "userId": USER},
                    **{"input": [QUESTION], "output": SAID},
                }
            ],
        ),
    ],
}
CASES = [(name, form, rows) for name, forms in LOGS.items() for form, rows in forms]


@pytest.mark.parametrize(("name", "form", "rows"), CASES, ids=[f"{name}, {form}" for name, form, _ in CASES])
def test_a_dialect_keeps_who_asked_what_when_and_the_answer(
    name: str, form: str, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    log = read_log(jsonl(tmp_path / "log.jsonl", rows))
    ((conversation, _),) = log.conversations
    assert [turn[:2] for turn in turns_of(conversation)] == [(ASKED, SAID)]
    assert (conversation.user, conversation.time) == (USER, TIME)
    assert conversation.id == ("chatcmpl-1" if name == "OpenAI's stored completions" else "c")
    assert log.unread is None
    outer = rows[0] if "data" not in rows[0] else rows[0]["data"][0]
    dialect = dialect_of(outer)
    assert dialect is not None
    assert dialect.name == name


def test_every_dialect_is_tried_and_its_reader_is_short() -> None:
    assert {dialect.name for dialect in DIALECTS} == set(LOGS)
    files = [Path(reader.__file__ or "") for reader in READERS]
    assert {path.name: lines for path in files if (lines := len(path.read_text().splitlines())) > 80} == {}


def test_the_columns_of_a_csv_have_lost_their_capitals_and_may_hold_json(tmp_path: Path) -> None:
    cells = json.dumps([QUESTION]).replace('"', '""')
    path = tmp_path / "traces.csv"
    path.write_text(f'id,userId,timestamp,input,output\nc,{USER},{TIME},"{cells}","{SAID}"\n', encoding="utf-8")
    ((conversation, _),) = read_log(path).conversations
    assert (conversation.user, turns_of(conversation)) == (USER, [(ASKED, SAID, 1)])


def test_what_opentelemetry_prints_on_a_console_is_read_whole(tmp_path: Path) -> None:
    spans = [
        {
            "name": "chat gpt-x",
            "context": {"trace_id": f"0x{trace}", "span_id": "0x1"},
            "start_time": TIME,
            "attributes": {
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": ASKED,
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": SAID,
                "traceloop.association.properties.user_id": USER,
            },
            "events": [],
        }
        for trace in ("a", "b")
    ]
    path = tmp_path / "console.json"
    path.write_text("".join(f"{json.dumps(span, indent=4)}\n" for span in spans), encoding="utf-8")
    read = [conversation for conversation, _ in read_log(path).conversations]
    assert [(each.id, each.user, turns_of(each)[0][:2]) for each in read] == [
        ("0xa", USER, (ASKED, SAID)),
        ("0xb", USER, (ASKED, SAID)),
    ]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        (TIME, TIME),
        ("2026-03-02 04:30:00", "2026-03-02T04:30:00+00:00"),
        ("2026-03-02T04:30:00.000Z", "2026-03-02T04:30:00+00:00"),
        ("1772425800", "2026-03-02T04:30:00+00:00"),
        ("1772425800.25", "2026-03-02T04:30:00+00:00"),
        ("1772425800000", "2026-03-02T04:30:00+00:00"),
        ("1772425800000000000", "2026-03-02T04:30:00+00:00"),
        ("yesterday", None),
    ],
)
def test_a_time_keeps_its_written_day_and_its_zone_or_is_none(text: str, time: str | None) -> None:
    assert time_of(text) == time


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"message": "Hi", "level": "info"}], r"1 row of no known form of log: with the keys 'message', 'level'"),
        ([{"inputs": {"q": "Hi"}, "latency": 3}], r"the nearest form, LangSmith's runs, has 'inputs', 'outputs'"),
        ([{"custom_id": "c", "response": {"body": {"choices": CHOICES}}}], r"requests and responses without messages"),
    ],
)
def test_what_no_dialect_fits_is_one_sentence_with_its_keys_and_the_nearest(
    rows: list[dict[str, Any]], told: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=told):
        read_log(jsonl(tmp_path / "log.jsonl", rows))
