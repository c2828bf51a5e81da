"""A run's conversation: what each model was sent and answered, told once, and which agents launched which."""

from pathlib import Path
from typing import Any

import pytest

from drretail.experiment import path_of, read_runs
from drretail.journal import Effect
from drretail.records.run import Step
from drretail.viewer.conversation import Message, read_conversation, talks_of
from drretail.viewer.page.run_part import AgentSteps
from tests.run_files import edit_member
from tests.viewer.dom import parse
from tests.viewer.experiment import render_page

SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "human", "content": "Which?"}
CALL = {"name": "look", "args": {"query": "feeder"}, "id": "c1"}
ASKS = {"role": "ai", "content": "I look.", "tool_calls": [CALL]}
FOUND = {"role": "tool", "content": '{"price":"$5"}', "tool_call_id": "c1"}


def effect(scope: str, request: dict[str, Any], response: Any = None, **given: Any) -> Effect:
    fields = {"kind": "model", "role": "researcher", "started": "2026-01-01T00:00:00Z", "seconds": 0.1, **given}
    return Effect.model_validate({"key": scope, "scope": scope, "request": request, "response": response, **fields})


def test_what_was_sent_before_is_counted_and_agents_stand_apart() -> None:
    effects = [
        effect(
            "0", {"messages": [SYSTEM, USER], "tools": [{"name": "look"}]}, {"content": "I look.", "tool_calls": [CALL]}
        ),
        effect("0/1", {"query": "feeder"}, {"results": []}, kind="web_search", role=None),
        effect("0", {"messages": [SYSTEM, USER, ASKS, FOUND]}, {"content": "That one."}),
    ]
    steps = [
        Step(path="0", seq=0, kind="model", role="researcher"),
        Step(path="0", seq=2, kind="model", role="researcher"),
    ]
    (talk,) = talks_of(effects, steps)
    first, web, last = talk.turns
    assert [message.by for message in first.sent] == ["system", "user"]
    assert first.answer == Message("assistant", "I look.", (("look", "query: feeder"),))
    assert (first.tools, first.step, last.step) == (("look",), ("0", 0), ("0", 2))
    assert (web.title, web.step) == ("web search", ("0", 1))
    assert (last.sent, last.repeated) == ((Message("look", "price: $5"),), 3)

    effects = [
        effect("0.2", {"messages": [USER]}, error={"class": "ModelError", "kind": "rate_limit", "message": "slow"}),
        effect("0.1", {"messages": [USER]}, {"content": [{"type": "text", "text": "Yes."}]}),
        effect("page", {"url": "https://shop.example"}, "5 dollars", kind="page_fetch"),
    ]
    talks = talks_of(effects, [])
    assert [talk.path for talk in talks] == ["0.1", "0.2", "outside"]
    assert talks[0].turns[0].answer == Message("assistant", "Yes.")
    assert talks[1].turns[0].error == "rate limit: slow"


def test_claims_and_steps_lead_into_a_small_conversation(judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = next(iter(read_runs(judged)))
    assert read_conversation(judged, run)
    page = parse(render_page(judged))
    turns = {each.attributes.get("id") for each in page.all("section", "turn")}
    steps = [link.attributes["href"][1:] for link in page.all("a", "to-talk")]
    assert steps
    assert {*steps} <= {*turns, "r1-talk", "r2-talk"}
    assert turns & {*steps}
    cards = [card for card in page.all("article", "card") if "-c" in card.attributes["id"]]
    addresses = [{link.attributes["href"][1:] for link in card.all("a")} for card in cards]
    assert all(its & {*turns, "r1-talk", "r2-talk"} for its in addresses)
    monkeypatch.setattr("drretail.viewer.page.question.ALL_TALKS", 10)
    assert "The whole conversation" not in render_page(judged)


def test_a_journal_that_can_not_be_read_takes_nothing_else_from_the_page(mine: Path) -> None:
    run = next(iter(read_runs(mine)))
    edit_member(path_of(mine, run), "journal", lambda lines: ['{"format":99}', *lines[1:]])
    assert (run.report or "")[:20] in parse(render_page(mine)).text


def step(path: str, seq: int, role: str, name: str = "m", **fields: Any) -> Step:
    kind = "model" if name == "m" else "tool"
    return Step.model_validate({"path": path, "seq": seq, "kind": kind, "role": role, "name": name, **fields})


def launch(seq: int, task: str, error: str | None = None) -> Step:
    return step("0", seq, "supervisor", "LaunchResearcher", args={"sub_problem": task}, error=error)


STEPS = [
    step("0", 0, "supervisor"),
    launch(1, "Find a post"),
    launch(2, "Not launched", error="limit: At most one"),
    launch(3, "Read the web"),
    *(step("0.1", at, "researcher", "m" if at == 0 else "web_search") for at in range(3)),
    step("0.1.1.1", 0, "summariser"),
    step("0.2", 0, "researcher"),
]


def test_agents_stand_below_whoever_launched_them_by_task_or_question() -> None:
    (root,) = AgentSteps(STEPS).agents()
    assert (root.name, [agent.name for agent in root.launched]) == ("supervisor", ["researcher 1", "researcher 2"])
    assert [agent.task for agent in root.launched] == ["Find a post", "Read the web"]

    refused = {"file": "none.csv", "question": "Refused?"}
    steps = [
        step("0", 0, "researcher"),
        step("0", 1, "researcher", "read_file", args=refused, error="invalid_argument: There is no file"),
        step("0", 2, "researcher", "search_sandbox", args={"question": "How to clean?"}),
        step("0", 3, "researcher", "read_file", args={"file": "a.csv", "question": "When bought?"}),
        step("0.1", 0, "retriever"),
        step("0.2", 0, "reader"),
    ]
    (root,) = AgentSteps(steps).agents()
    assert [(each.name, each.task) for each in root.launched] == [
        ("retriever 1", "How to clean?"),
        ("reader 2", "When bought?"),
    ]
