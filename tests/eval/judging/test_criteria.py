"""What reports are held to is made once a query, before any is judged, and frozen for all systems and judges."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.family import Family
from drretail.eval.judging.criteria import criteria_of
from drretail.eval.judging.session import Judge, JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.values import Value
from drretail.prompts import Prompt
from drretail.records.base import Record
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import Rules, Scores, Verdict
from tests import build
from tests.build import experiment, scripted_judge

NAME = "held_to"
ASK = Prompt("ask", "What is to be looked for? {{question}}")


class Looked(Record):
    wanted: str


async def _prepare(task: Task, judge_session: JudgeSession) -> Criteria | str:
    result = await judge_session.ask("criteria", task.query.query_id, ASK, {"question": task.query.text}, Looked)
    if result.answer is None:
        return f"the judge named nothing: {result.error}"
    group = CriteriaGroup(name="all", criteria=(Criterion(text=result.answer.wanted),))
    spec = judge_session.judge.ref.spec
    return Criteria(family=NAME, query_id=task.query.query_id, groups=(group,), made_by=spec, prompt_hash=ASK.hash)


async def _judge(subject: Subject, judge_session: JudgeSession) -> None:
    held = criteria_of(subject, NAME)
    if held is None:
        judge_session.record("look", "all", "failed", error="no criteria")
    elif judge_session.existing("look", f"all@{held.hash}") is None:
        wanted = held.groups[0].criteria[0].text
        judge_session.record("look", f"all@{held.hash}", "scored", float(wanted in (subject.report or "")))


def _values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
    held = criteria_of(subject, NAME)
    found = [verdict for verdict in verdicts if held is not None and verdict.item.endswith(held.hash)]
    return [Value("all", found[-1].state, found[-1].value) if found else Value("all", "failed")]


# 1 where a report holds what its query's one criterion says.
METRIC = Family(NAME, 1, _judge, _values, ("all",), prompts=lambda: [ASK], is_opinion=True, prepare=_prepare)


REPORTS = {"a@model": {"q1-r1": "A feeder.", "q2-r1": "A bath."}, "b@model": {"q1-r1": "A bath.", "q2-r1": None}}


def wants(thing: str) -> tuple[Judge, list[Any]]:
    return scripted_judge(lambda question: {"wanted": thing})


def scored(folder: Path, *judges: Judge, **given: Any) -> Scores:
    return build.scored(folder, [METRIC], *judges, **given)


def by_system(scores: Scores) -> dict[tuple[str, str], float | None]:
    return {(row.system, row.judge): row.value for row in scores.scores if row.policy == "answered"}


def test_each_query_is_asked_once_for_all_systems_and_judges(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    first, asked = wants("feeder")
    second, nothing = scripted_judge(lambda question: {"wanted": "bath"}, name="second")
    scored(folder, first, second)
    assert (len(asked), len(nothing)) == (2, 0)
    held = json.loads((folder / "rubrics/held_to/q1.json").read_text())
    assert held["groups"][0]["criteria"][0]["text"] == "feeder"
    assert held["made_by"] == first.ref.spec
    scores = scored(folder, first, second)
    assert (len(asked), len(nothing)) == (2, 0)
    assert {each for each in by_system(scores).values() if each is not None} == {0.5, 0}


def test_a_query_that_no_system_is_asked_has_no_criteria_made(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A feeder.", "q2-r1": "A bath."}})
    path = folder / "experiment.json"
    definition = json.loads(path.read_text())
    path.write_text(json.dumps(definition | {"asked": {"a@model": ["q1"]}}))
    judge, asked = wants("feeder")
    scored(folder, judge)
    assert len(asked) == 1
    assert [each.name for each in folder.glob("rubrics/held_to/*")] == ["q1.json"]


def test_what_a_judge_could_not_make_is_asked_again_only_when_that_is_wanted(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    answers: list[dict[str, Any]] = [{"nothing": 1}]
    judge, asked = scripted_judge(lambda question: answers[0])
    scores = scored(folder, judge)
    failed = len(asked)
    assert not list(folder.glob("rubrics/held_to/*"))
    assert {row.n_failed for row in scores.scores} == {2}
    scored(folder, judge)
    assert len(asked) == failed
    answers[0] = {"wanted": "feeder"}
    again = scored(folder, judge, again="failed")
    assert by_system(again)["a@model", judge.ref.spec] == 0.5


def test_criteria_of_another_experiment_are_taken(tmp_path: Path) -> None:
    source, folder = (experiment(tmp_path / name, REPORTS) for name in ("source", "exp"))
    scored(source, wants("bath")[0])
    judge, asked = wants("feeder")
    scores = scored(folder, judge, criteria=source)
    assert not asked
    assert by_system(scores)["b@model", judge.ref.spec] == 1
    path = folder / "rubrics/held_to/q1.json"
    path.write_text(path.read_text().replace("bath", "feeder"))
    with pytest.raises(UserError, match="other criteria"):
        scored(folder, judge, criteria=source)
