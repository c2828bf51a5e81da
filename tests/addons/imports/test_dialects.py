"""Every dialect of assistants' logs keeps the same of a conversation, and what none fits is told in a sentence."""

import json
from pathlib import Path

import pytest

from drretail.addons.imports.conversation import answered_turns
from drretail.addons.imports.dialects.dialect import time_of
from drretail.addons.imports.dialects.reading import DIALECTS, dialect_of, read_log
from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import Material
from drretail.errors import UserError
from tests.addons.imports.foreign import jsonl, text
from tests.build import known

ASKED, SAID, USER, TIME = "Is the oak lamp dimmable?", "Yes, down to 5 %.", "eva", "2026-03-01T23:30:00-05:00"
QUESTION, ANSWER = {"role": "user", "content": ASKED}, {"role": "assistant", "content": SAID}
CHOICES = [{"index": 0, "message": ANSWER, "finish_reason": "stop"}]
LOGS = [json.loads(line) for line in Path(__file__).with_name("dialects.jsonl").read_text("utf-8").splitlines()]
"""A conversation in every form of every dialect, as its rows stand in a log."""


def test_a_dialect_keeps_who_asked_what_when_and_the_answer(tmp_path: Path) -> None:
    for case in LOGS:
        name, about = case["dialect"], (case["dialect"], case["form"])
        material = Material()
        ((conversation, rows),) = read_log(jsonl(tmp_path / "log.jsonl", case["rows"]), material)
        assert [turn[:2] for turn in answered_turns(conversation)] == [(ASKED, SAID)], about
        assert (conversation.user, conversation.time) == (USER, TIME), about
        assert conversation.id == ("chatcmpl-1" if name == "OpenAI's stored completions" else "c"), about
        assert (material.rows.came, material.rows.left_out) == (len(rows), {}), about
        first = case["rows"][0]
        dialect = known(dialect_of(first if "data" not in first else first["data"][0]))
        assert dialect.name == name, about


def test_every_dialect_is_tried() -> None:
    assert {dialect.name for dialect in DIALECTS} == {case["dialect"] for case in LOGS}


def test_a_csv_may_be_parted_by_semicolons_and_hold_json_and_its_columns_lose_their_capitals(tmp_path: Path) -> None:
    cells = json.dumps([QUESTION]).replace('"', '""')
    for name, table in (
        ("traces.csv", f'id,userId,timestamp,input,output\nc,{USER},{TIME},"{cells}","{SAID}"\n'),
        ("TRACES.CSV", f'\ufeffUserID,Timestamp,Question,Answer\n{USER},{TIME},{ASKED},"{SAID}"\n'),
        ("traces.csv", f"userId;question;answer\n{USER};{ASKED};{SAID}\n"),
    ):
        ((conversation, _),) = read_log(text(tmp_path / name, table), Material())
        assert (conversation.user, answered_turns(conversation)) == (USER, [(ASKED, SAID, 1)]), table


def test_a_message_a_row_is_said_as_often_as_its_rows_say_it_unless_a_time_tells_them_apart(tmp_path: Path) -> None:
    said = (("user", "Is it oak?"), ("assistant", "Yes."), ("user", "Dimmable?"), ("assistant", "Yes."))
    rows = "".join(f"s1,{role},{words}\n" for role, words in said)
    ((conversation, _),) = read_log(
        text(tmp_path / "a.csv", f"session_id,role,message\n{rows}"), material := Material()
    )
    assert [turn[:2] for turn in answered_turns(conversation)] == [("Is it oak?", "Yes."), ("Dimmable?", "Yes.")]
    assert (conversation.id, material.rows.came, material.rows.n_merged) == ("s1", 4, 0)
    timed = "".join(f"s1,{role},{words},2026-03-0{at}\n" for at, (role, words) in enumerate(said, 1))
    log = text(tmp_path / "b.csv", f"session_id,role,content,time\n{timed}{timed}")
    ((conversation, _),) = read_log(log, material := Material())
    assert (len(conversation.messages), material.rows.n_merged) == (4, 4)


def test_tool_runs_of_langsmith_are_calls_with_their_results_before_the_answer(tmp_path: Path) -> None:
    of = {"trace_id": "c", "id": "1"}
    chain = {**of, "run_type": "chain", "inputs": {"question": ASKED}, "outputs": {"answer": SAID}}
    find = {"name": "find", "start_time": "2026-03-01T09:30:00+02:00", "inputs": {"id": "P1"}}
    stock = {"name": "stock", "start_time": "2026-03-01T08:00:00Z", "inputs": {}, "outputs": None, "error": "down"}
    tools = [
        {**of, "id": "3", "run_type": "tool", **stock},
        {**of, "id": "2", "run_type": "tool", **find, "outputs": {"output": "dims to 5 %"}},
    ]
    ((conversation, _),) = read_log(jsonl(tmp_path / "log.jsonl", [chain, *tools]), Material())
    called = [(*each.calls, *each.results) for each in conversation.messages]
    first, second = ("run-1", "find", {"id": "P1"}), ("run-2", "stock", {})
    assert called == [(), (first,), (("run-1", "dims to 5 %", False),), (second,), (("run-2", "down", True),), ()]
    assert answered_turns(conversation)[0][:2] == (ASKED, SAID)


def test_what_opentelemetry_prints_on_a_console_is_read_whole(tmp_path: Path) -> None:
    (span,) = next(case["rows"] for case in LOGS if case["form"] == "numbered attributes")
    printed = [json.dumps(span | {"context": {"trace_id": trace}}, indent=4) for trace in ("0xa", "0xb")]
    path = text(tmp_path / "console.json", "\n".join(printed))
    read = [conversation for conversation, _ in read_log(path, Material())]
    assert [(each.id, answered_turns(each)[0][:2]) for each in read] == [("0xa", (ASKED, SAID)), ("0xb", (ASKED, SAID))]


def test_a_time_keeps_its_written_day_and_its_zone_or_is_none() -> None:
    seconds = ("1772425800.25", "1772425800000", "1772425800000000000")
    for written in ("2026-03-02 04:30:00", "2026-03-02T04:30:00.000Z", *seconds):
        assert time_of(written) == "2026-03-02T04:30:00+00:00", written
    assert (time_of(TIME), time_of("yesterday")) == (TIME, None)


def test_what_no_dialect_fits_is_one_sentence_with_its_keys_and_the_nearest(tmp_path: Path) -> None:
    for row, told in [
        ({"message": "Hi", "level": "info"}, r"1 row of no known form of log: with the keys 'message', 'level'"),
        ({"inputs": {"q": "Hi"}, "latency": 3}, r"the nearest form, LangSmith's runs, has 'inputs', 'outputs'"),
        ({"custom_id": "c", "response": {"body": {"choices": CHOICES}}}, r"requests and responses without messages"),
        ({"messages": [ANSWER]}, "has no message of a user"),
        ({"context": {"trace_id": "1"}, "attributes": {"gen_ai.operation.name": "chat"}}, "spans without messages"),
    ]:
        with pytest.raises(UserError, match=told):
            load_format("chat").read(jsonl(tmp_path / "log.jsonl", [row]))


def test_what_repeats_an_id_that_is_not_unique_is_a_conversation_by_itself(tmp_path: Path) -> None:
    asked = [{"custom_id": "1", "body": {"messages": [{"role": "user", "content": word}]}} for word in ("A?", "B?")]
    answered = [{"custom_id": "1", "response": {"body": {"choices": [{"message": ANSWER}]}}} for _ in range(2)]
    states = [{"thread_id": "1", "values": {"messages": [{"role": "user", "content": word}, ANSWER]}} for word in "CD"]
    for at in range(2):
        jsonl(tmp_path / f"batch{at}.jsonl", asked[at : at + 1])
        jsonl(tmp_path / f"output{at}.jsonl", [answered[at] | {"id": f"b{at}"}])
        jsonl(tmp_path / f"threads{at}.jsonl", states[at : at + 1] * 2)
    material = load_format("chat").read(tmp_path)
    assert sorted(task.text for task in material.tasks.values()) == ["A?", "B?", "C", "D"]
    assert {reason: fate.count for reason, fate in material.rows.merged.items()} == {
        "the same as another row": 2,
        "a row of one conversation with another": 2,
    }


def test_of_one_trace_the_last_answer_counts_and_what_it_drops_is_told(tmp_path: Path) -> None:
    asked, other = [QUESTION], [{"role": "user", "content": "Else?"}]
    again = {"traceId": "d", "input": asked, "output": "45 euros"}
    rows: list[dict[str, object]] = [
        *({"traceId": "a", "endTime": f"2026-03-01T00:00:0{at}Z", "input": asked, "output": at} for at in "21"),
        {"traceId": "a", "endTime": "2026-03-01T00:00:00Z", "input": other, "output": "No."},
        {"traceId": "b", "level": "ERROR", "input": asked, "output": "Trace"},
        {"traceId": "c", "input": json.dumps(asked)[:-3], "output": "Cut"},
        {"id": "d", "input": "[Urgent] a lamp", "output": "Oak", "observations": [again]},
    ]
    material = load_format("chat").read(jsonl(tmp_path / "log.jsonl", rows))
    assert {task: report.text for (_, task), report in material.reports.items()} == {"a": "2", "b": "", "d": "Oak"}
    assert (material.rows.used, material.rows.merged, material.rows.adds_up) == (3, {}, True)
    question, answer = (f"another {word} of one trace" for word in ("question", "answer"))
    assert set(material.rows.left_out) == {"an input of JSON that was cut", question, answer}
    assert set(material.parts.left_out) == {"the output of an observation that ended with an error", question}


def test_what_of_a_conversation_is_not_read_is_told(tmp_path: Path) -> None:
    parts = [{"type": kind, kind: "No."} for kind in ("refusal", "weird", "thinking")]
    said, late = {"role": "assistant", "content": parts}, {"role": "user", "content": "And red?"}
    rows: list[dict[str, object]] = [
        {"id": "a", "messages": [QUESTION, said, late], "question": "Else?", "answer": "Yes."},
        {"id": "b", "request": {"prompt": ASKED}, "response": {"choices": [*CHOICES, *CHOICES]}},
    ]
    material = load_format("chat").read(jsonl(tmp_path / "log.jsonl", rows))
    assert [task.text for task in material.tasks.values()] == [ASKED, ASKED]
    assert [report.text for report in material.reports.values()] == ["No.", SAID]
    told = ("the type weird", "a last question", "a question and its answer beside messages", "unseen choice")
    assert all(part in material.parts.reasons for part in told)
    assert (material.parts.came, material.parts.used, material.parts.adds_up) == (8, 4, True)
