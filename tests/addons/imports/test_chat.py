"""Logs of assistants become runs with steps and evidence. Also tests conversation.py and trace.py."""

import json
import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from drretail.addons.assistants.forget import UNDER_WAY, forget
from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import Material
from drretail.addons.imports.recording import record
from drretail.addons.imports.trace import evidence_in
from drretail.errors import UserError
from drretail.experiments import experiment
from drretail.experiments.experiment import read_definition, run_path
from drretail.experiments.run_file import read_evidence, read_results, read_run
from drretail.files import read_lines
from drretail.progress import Progress
from drretail.stats.intervals import Clusters
from tests.addons.imports.foreign import jsonl, text
from tests.cli.commands import Command

ANSWER = "The [Alder](https://shop.example/k-1) costs $29.99 and has 62 dB [1].\n\nSources\n[1] https://tests.example/k"
QUESTION = {"role": "user", "content": "A quiet kettle?"}
LOGS: dict[str, dict[str, Any]] = {
    log["form"]: log["row"] for log in map(json.loads, read_lines(Path(__file__).with_name("calls.jsonl")))
}
"""A conversation with three calls, one of which nothing answered, in every form that calls have in a log."""
OPENAI: list[dict[str, Any]] = LOGS["openai"]["messages"]


def read(folder: Path, *rows: dict[str, Any]) -> Material:
    return load_format("chat").read(jsonl(folder / "log.jsonl", rows))


@pytest.mark.parametrize("row", LOGS.values(), ids=LOGS)
def test_a_log_becomes_a_run_with_steps_and_evidence(row: dict[str, Any], tmp_path: Path) -> None:
    material = read(tmp_path, row)
    record(material, "chat", tmp_path / "exp", Progress(), model="openai:gpt-x")
    (task,) = material.tasks.values()
    assert task.text == "A quiet kettle?"
    path = run_path(tmp_path / "exp", "log", task.task_id, 1)
    run = read_run(path)
    assert run.report == ANSWER
    tools = [(step.name, step.args, step.evidence, step.error) for step in run.steps if step.kind == "tool"]
    page = run.citations[1].evidence_id
    assert tools == [
        ("find", {"q": "kettle"}, ("P:K-1",), None),
        ("web", {"text": "not JSON"}, (page,), None),
        ("lost", {}, (), "no result in the log"),
    ]
    assert [citation.evidence_id for citation in run.citations] == ["P:K-1", page]
    texts = {entry.id: [(text.form, text.text) for text in entry.texts] for entry in read_evidence(path)}
    assert texts[page or ""] == [("snippet", "Quiet."), ("page", "It has 62 dB.")]
    assert json.loads(texts["P:K-1"][0][1])["price"] == 29.99
    assert set(read_results(path)) == {step.result_sha for step in run.steps if step.result_sha}
    assert (run.usage["report"].input_uncached, run.usage["report"].output) == (90, 9)


def test_words_beside_a_closing_call_are_the_answer(tmp_path: Path) -> None:
    closing = {"role": "assistant", "content": ANSWER, "tool_calls": [{"id": "z", "function": {"name": "end_chat"}}]}
    fields = {"role": "tool", "tool_call_id": "z", "content": "{}"}
    for end in ([closing], [closing, fields]):
        reports = read(tmp_path, {"messages": [*OPENAI[:-1], *end]}).reports.values()
        assert [report.text for report in reports] == [ANSWER]


@pytest.mark.parametrize("thought", ["<think>So {}?</think>\n", "So {}?\n</think>\n"])
def test_a_models_thoughts_are_no_part_of_its_answers(tmp_path: Path, thought: str) -> None:
    said = [("user", "A kettle?"), ("assistant", f"{thought}Alder."), ("user", "Its price?")]
    turns = [*said, ("assistant", f"{thought}$29."), ("user", "And?"), ("assistant", "<think>Well")]
    material = read(tmp_path, {"messages": [{"role": role, "content": content} for role, content in turns]})
    (report,) = material.reports.values()
    assert report.text == "Alder.\n\n$29."
    assert [report.text[turn.start : turn.end] for turn in report.turns] == ["Alder.", "$29."]


def test_an_answer_in_the_words_of_the_shopper_is_the_assistants(tmp_path: Path) -> None:
    request = [QUESTION, {"role": "assistant", "content": "A red one?"}, {"role": "user", "content": "Yes."}]
    for sent in (request, [*request, {"role": "assistant", "content": "Yes."}]):  # a request may repeat the answer
        row = {"request": {"messages": sent}, "response": {"role": "assistant", "content": [{"text": "Yes."}]}}
        assert [report.text for report in read(tmp_path, row).reports.values()] == ["A red one?\n\nYes."]


def test_calls_of_one_name_without_ids_have_their_results_in_order(tmp_path: Path) -> None:
    calls = [{"functionCall": {"name": "find", "args": {"q": word}}} for word in ("pot", "pan")]
    results = [{"functionResponse": {"name": "find", "response": {"id": sku, "name": sku, "price": 3}}} for sku in "AB"]
    row = {"request": {"contents": [QUESTION, {"role": "model", "parts": calls}, {"role": "user", "parts": results}]}}
    (report,) = read(tmp_path, row | {"output": "Take B."}).reports.values()
    assert [step.evidence for step in report.trace.steps if step.kind == "tool"] == [("P:A",), ("P:B",)]


def test_a_content_may_be_one_object_and_a_later_result_of_a_call_replaces_the_first(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "a", "name": "find", "input": {"q": "pot"}}
    image = {"type": "image", "data": "AAAA"}
    found = [{"type": "text", "text": '{"id": "A", "name": "Pot", "price": 3}'}, image]
    results = [{"type": "tool_result", "tool_use_id": "a", "content": text} for text in ("running", found)]
    said = {"type": "text", "text": {"value": "Which pot?", "annotations": []}}
    user = [{"role": "user", "content": content} for content in ([said], image)]
    row = {
        "messages": [*user, {"role": "assistant", "content": call}, *({"role": "user", "content": r} for r in results)]
    }
    material = read(tmp_path, row | {"output": "Take A."})
    (report,) = material.reports.values()
    assert [task.text for task in material.tasks.values()] == ["Which pot?"]
    assert [step.evidence for step in report.trace.steps if step.kind == "tool"] == [("P:A",)]


def test_messages_of_roles_that_nobody_reads_are_counted(tmp_path: Path) -> None:
    others = [{"role": "ipython", "content": "1"}, {"role": "critic", "content": "No."}] * 2
    material = read(tmp_path, {"messages": [*OPENAI, "Hm.", *others]})
    assert {reason: fate.count for reason, fate in material.renamed("mine").parts.left_out.items()} == {
        "a message of the role none": 1,
        "a message of the role ipython": 2,
        "a message of the role critic": 2,
    }


def test_later_questions_belong_to_the_question_and_every_answer_counts(tmp_path: Path) -> None:
    more = [*OPENAI, {"role": "user", "content": "In red?"}, {"role": "assistant", "content": "No."}]
    material = read(tmp_path, {"id": "x", "messages": more}, {"id": "x", "messages": more})
    assert [task.text for task in material.tasks.values()] == ["A quiet kettle?\n\nIn red?"]
    (report,) = material.reports.values()
    assert report.text == f"{ANSWER}\n\nNo."
    asked = [(turn.question, report.text[turn.start : turn.end], turn.steps) for turn in report.turns]
    assert asked == [
        ("A quiet kettle?", ANSWER, len(report.trace.steps) - 1),
        ("In red?", "No.", len(report.trace.steps)),
    ]
    assert material.rows.n_merged == 1  # the same row


def test_equal_words_count_as_often_as_they_were_said(tmp_path: Path) -> None:
    rows = [{"question": "A kettle?", "answer": f"The {name}."} for name in ("Alder", "Birch", "Alder")]
    of_users = [
        {**rows[0], "user": user, "time": time}
        for user, time in (("eva", "2026-01-01"), ("tim", "2026-01-01"), ("eva", "soon"))
    ]
    again = [{**rows[at], "id": session} for at, session in ((0, "x"), (0, "x"), (1, "x"), (0, "x-2"))]
    material = read(tmp_path, *rows, *of_users, *again)
    for _ in range(2):  # a second time nothing changes
        record(material, "chat", tmp_path / "exp", Progress())
    (first, *others) = material.tasks
    eva, tim = others[2:4]
    assert others == [f"{first}-2", f"{first}-3", eva, tim, f"{eva}-2", "x", "x-3", "x-2"]
    assert material.rows.n_merged == 1  # only the row that repeats an id with all that it says
    queries = read_definition(tmp_path / "exp").queries
    clusters = Clusters.of(queries)
    # The two answers of the session x are one person's, and rows without a user are each by themselves.
    assert len(queries) == 9
    assert clusters.users([query.query_id for query in queries]) == 7
    assert {query.asker for query in queries} == {"eva", "tim", "x", None}
    assert {query.time for query in queries} == {"2026-01-01T00:00:00+00:00", None}
    assert material.unread_times == ["soon"]


def test_only_what_can_be_told_apart_is_evidence() -> None:
    for result, ids in {
        "no JSON": [],
        '{"id": "K1", "name": "Kettle"}': [],
        '{"id": "K1", "name": "Kettle", "list_price": 3}': ["P:K1"],
        '{"id": 77, "handle": "alder-kettle", "title": "Kettle", "price": "3.00"}': ["P:alder-kettle"],
        '{"evidence": "O:123", "order_date": "2024-01-01"}': ["O:123"],
        '{"name": "x", "url": "javascript:alert(1)"}': [],
        '{"id": "a b", "name": "Kettle", "price": 3}': [],
    }.items():
        assert [entry.id for entry in evidence_in(result, 1)] == ids, result


@pytest.mark.parametrize(
    ("args", "result", "texts"),
    [
        ({"input": "2 * 19.99 + 3"}, "The sum is $42.98.", ["2 * 19.99 + 3 = 42.98"]),
        ({"input": "2 * 19.99 + 3"}, '{"answer": 43}', ["2 * 19.99 + 3 = 42.98"]),  # rounded
        ({"input": "2 * 19.99 + 3"}, "44", []),
        ({"input": "42"}, "42", []),
        ({"words": "kettle"}, "3 found", []),
    ],
)
def test_a_foreign_calculator_leaves_a_calculation(args: object, result: str, texts: list[str], tmp_path: Path) -> None:
    calls = [{"id": "1", "function": {"name": "math", "arguments": json.dumps(args)}}]
    answered = {"role": "tool", "tool_call_id": "1", "content": result}
    messages = [QUESTION, {"role": "assistant", "tool_calls": calls}, answered, {"role": "assistant", "content": "Ok."}]
    record(read(tmp_path, {"id": "x", "messages": messages}), "chat", tmp_path / "exp", Progress())
    shown = read_evidence(run_path(tmp_path / "exp", "log", "x", 1))
    assert [text.text for entry in shown for text in entry.texts] == texts


def test_calls_that_broke_are_counted_beside_what_the_others_brought(tmp_path: Path) -> None:
    arguments = ('{"words": "kettle"', '{"words": "kettle"}', "")
    calls = [{"id": str(at), "function": {"name": "find", "arguments": each}} for at, each in enumerate(arguments, 1)]
    found = [{"id": "L1", "name": "Kettle", "price": 3}, {"title": "Test", "url": "https://lab.example/a"}]
    messages = [
        QUESTION,
        {"role": "assistant", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "2", "content": json.dumps(found)},
        {"role": "tool", "tool_call_id": "3", "content": "timeout", "status": "error"},
        {"role": "assistant", "content": "Take the Kettle [L1]; the Pot [L2] is dear."},
    ]
    material = read(tmp_path, {"id": "x", "messages": messages})
    (count,) = record(material, "chat", tmp_path / "exp", Progress()).reports
    assert (count.calls, count.unanswered, count.pages, count.products) == (3, 2, 1, 1)
    run = read_run(run_path(tmp_path / "exp", "log", "x", 1))
    assert next(step.args for step in run.steps if step.kind == "tool") == {"text": '{"words": "kettle"'}
    # A shop's own id in brackets is a citation of the product, where the run was shown it, and names it.
    assert (count.citations.read, count.sources) == (1, 1)
    assert [citation.evidence_id for citation in run.citations] == ["P:L1", None]


def test_a_stopped_command_goes_on_to_forget(
    succeeds: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jsonl(
        tmp_path / "log.jsonl", [{"question": f"Hi {user}?", "answer": "Yes.", "user": user} for user in ("ann", "bob")]
    )
    succeeds("import", "chat", "log.jsonl", "--to", "exp")
    exp = tmp_path / "exp"
    with monkeypatch.context() as stopped:
        stopped.setattr(experiment, "write_definition", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):  # her runs, which name her, are gone by then
            forget(exp, user="ann")
    assert [query.text for query in read_definition(exp).queries] == ["Hi ann?", "Hi bob?"]
    forget(exp, user="ann")
    assert [query.text for query in read_definition(exp).queries] == ["Hi bob?"]
    assert not (exp / UNDER_WAY).exists()


def test_a_table_that_would_lose_rows_or_words_is_refused(tmp_path: Path) -> None:
    for table, told in (
        ('question,answer\nIn stock?,"Yes\nA lamp?,No\n', "is a quote never closed?"),
        ("question,answer\nIn stock?,Yes, two\n", "row 2, has more values than columns"),
        ("question,Answer,answer\nIn stock?,Yes,No\n", "has two columns 'answer'"),
        ("Frage,Antwort\nDa?,Ja\n", "with the keys 'frage', 'antwort', where the nearest form, questions and answers"),
    ):
        with pytest.raises(UserError, match=re.escape(told)):
            load_format("chat").read(text(tmp_path / "log.csv", table))
