from html import unescape
from pathlib import Path
from typing import Any

import pytest

from drretail.experiments.experiment import read_runs
from drretail.records.reading import Pick
from drretail.records.run import Setbacks, Step
from drretail.records.score import JudgeRef
from drretail.viewer.page.run_part import AgentSteps
from tests.viewer.dom import parse
from tests.viewer.experiment import append, render_page, rewrite, verdict


def test_carts_and_what_went_wrong_on_the_way_stand_on_the_page(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (_, first, *_) = read_runs(mine)
    seen = next(one.evidence_id for one in first.citations if one.type == "product" and one.evidence_id)
    picks = (Pick(product=seen[2:], quantity=2),)
    wrong = Setbacks(lost={"synthesis": 1, "summariser": 2}, repairs={"picks": 1}, second_attempts=3, announcements=1)
    made = first.model_copy(update={"setbacks": wrong, "failed_branches": ("0.2: model: status 500",), "picks": picks})
    rewrite(mine, made)
    page = unescape(render_page(mine))
    for sentence in (
        "A branch failed: 0.2: model: status 500",
        "A provider gave no answer for 2 page summaries, 1 researcher.",
        "3 second attempts at model calls",
        "1 repair of answers that did not fit the form asked for (picks 1).",
        "1 turn announced calls and made none.",
        "Total: $",
    ):
        assert sentence in page
    rewrite(mine, first.model_copy(update={"picks": None}))
    monkeypatch.setattr("drretail.eval.metrics.readings.picks_of", lambda subject: (picks, "form"))
    assert "(not declared, picks by form)" in render_page(mine)


def test_a_judges_ratings_stand_on_the_page_a_failed_one_with_its_reason_and_none_of_rules(mine: Path) -> None:
    (_, run, *_) = read_runs(mine)
    model = JudgeRef(spec="anthropic:some-model", kind="llm")
    rules = JudgeRef(spec="offline:judge", kind="rule_based")
    made = [
        verdict(run, "quality", model, "rating", "clarity", value=8, reason="It is plain."),
        verdict(run, "quality", model, "rating", "depth", state="failed", error="Status 500."),
        verdict(run, "quality", rules, "rating", "breadth", value=5, reason="By its length."),
    ]
    append(mine, run, made)
    rows = [" ".join(row.text.split()) for row in parse(render_page(mine)).all("tr")]
    assert "clarity 8 It is plain." in rows
    assert "depth failed Status 500." in rows
    assert "breadth not rated (rule-based) By its length." in rows


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
