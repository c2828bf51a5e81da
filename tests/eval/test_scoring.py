"""Scoring an experiment: once, several times; what stands, what is stale, what is asked again."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge
from drretail.eval.metrics.quality import rating_prompt
from drretail.eval.numbers.file import read_scores
from drretail.experiments.experiment import path_of
from drretail.experiments.journal import read_effects
from drretail.files import locked_folder
from drretail.llm.offline.judge import tag_contents
from drretail.llm.prompt import Prompt, tag_content
from drretail.records.score import Rules, Scores
from tests import build
from tests.build import LABEL, Asked, experiment, scripted_judge
from tests.eval.metrics.pairwise.judging import SIX
from tests.eval.own import JUDGED_STUB
from tests.run_files import edit_member

TWO = {LABEL: {"q1-r1": "A long report.", "q2-r1": "Short."}}


def by_length(question: str) -> dict[str, Any]:
    report = tag_content("report", question) or ""
    return {"rating": 7 if len(report) > 8 else 3, "justification": "By its length."}


def scored(folder: Path, *judges: Judge, metrics: Sequence[str] = ("quality",), **given: Any) -> Scores:
    return build.scored(folder, metrics, *judges, **given)


def test_hand_made_reports_give_exact_rows(tmp_path: Path) -> None:
    reports = {"q1-r1": "1", "q1-r2": "0", "q2-r1": "0.25", "q2-r2": None, "q3-r1": "na", "q3-r2": "failed"}
    folder = experiment(tmp_path / "exp", {LABEL: reports})
    scores = scored(folder, scripted_judge(by_length)[0], metrics=(JUDGED_STUB,))
    result = build.rows(scores)["said"]
    assert result.value == 0.375  # q1: the mean of 1 and 0; q2: 0.25
    assert (result.n_planned, result.n_scored, result.n_na, result.n_failed) == (6, 3, 1, 2)
    assert (result.judge, result.ci_low, result.ci_high, result.no_interval) == ("scripted:test", None, None, "few")
    assert result.items == {"read": 3, "runs_failed": 1}
    half = build.rows(scores)["half"]
    assert (half.aggregation, half.value, half.ci_low, half.n_planned, half.n_failed) == ("micro", 0.5, None, 6, 2)
    assert read_scores(folder) == scores


def test_checks_of_a_system_that_strikes_what_they_find_are_marked_and_nothing_else_is(tmp_path: Path) -> None:
    systems = {LABEL: {"q1-r1": "It costs $20 + $10 = $40."}, "b@model": {"q1-r1": "It costs $20 + $10 = $30."}}
    folder = experiment(tmp_path / "exp", systems, self_checked=["b@model"])
    scores = scored(folder, scripted_judge(by_length)[0], metrics=("checks", "quality"))
    assert {(each.system, each.metric) for each in scores.scores if each.self_checked} == {("b@model", "checks")}


TWO_SYSTEMS = {LABEL: TWO[LABEL], "b@model": {name: f"{report} By b." for name, report in TWO[LABEL].items()}}


def either(question: str) -> dict[str, Any]:
    """Rates one report by its length, and prefers that of b to another."""
    if len(tag_contents("report", question)) == 1:
        return by_length(question)
    return {"winner": "A" if "By b." in tag_contents("report", question)[0] else "B", "justification": "It is by b."}


@pytest.mark.parametrize("metric", ["quality", "pairwise"])
def test_judging_anew_appends_and_the_last_word_counts(tmp_path: Path, metric: str) -> None:
    folder = experiment(tmp_path / "exp", TWO_SYSTEMS)
    judge, asked = scripted_judge(either)
    before = scored(folder, judge, metrics=(metric,))
    count_of_questions = len(asked)
    contrary = {"quality": {"rating": 6, "justification": "So."}, "pairwise": {"winner": "A", "justification": "So."}}
    again, more = scripted_judge(lambda _: contrary[metric])
    after = scored(folder, again, metrics=(metric,), again="everything")
    assert len(more) == count_of_questions
    assert (after.scores, after.pairs) != (before.scores, before.pairs)
    lines = next(folder.glob(f"verdicts/{metric}/*/*/q1-r1.jsonl")).read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["attempt"] for line in lines if '"state":"scored"' in line} == {1, 2}


def test_verdicts_on_a_report_that_changed_or_in_other_words_are_stale_and_asked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = experiment(tmp_path / "exp", TWO)
    judge, asked = scripted_judge(by_length)
    assert build.rows(scored(folder, judge))["clarity"].value == 5.0
    changed = build.run("q2-r1", "Now it is longer.", label=LABEL)
    edit_member(path_of(folder, changed), "run", lambda _: [changed.as_line()])
    other, _ = scripted_judge(by_length, name="other")
    scores = scored(folder, other)
    first = next(judging for judging in scores.judgings if judging.judge == judge.ref.spec)
    assert (first.stale, first.not_judged) == (7, 1)
    held = build.rows(scores, judge=judge.ref.spec)["clarity"]
    assert (held.value, held.n_failed, held.items) == (7.0, 1, {"not_judged": 1})
    scores = scored(folder, judge)
    assert build.rows(scores, judge=judge.ref.spec)["clarity"].value == 7.0
    assert len(asked) == 18
    assert all(judging.stale == 0 for judging in scores.judgings if judging.judge == judge.ref.spec)

    def reworded(dimension: str, rules: Rules = "default") -> Prompt:
        prompt = rating_prompt(dimension, rules)
        return replace(prompt, text=prompt.text + "Mind the commas.\n") if dimension == "clarity" else prompt

    monkeypatch.setattr("drretail.eval.metrics.quality.rating_prompt", reworded)
    scores = scored(folder, other)
    assert [judging.stale for judging in scores.judgings if judging.judge == judge.ref.spec] == [2]
    assert build.rows(scores, judge=judge.ref.spec)["clarity"].n_failed == 2
    assert build.rows(scores, judge=judge.ref.spec)["depth"].n_scored == 2
    scored(folder, judge)
    assert len(asked) == 18 + 2


def test_what_cannot_be_scored_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", TWO)
    with locked_folder(folder), pytest.raises(UserError, match="Another process is writing"):
        scored(folder)
    assert not (folder / "scores.json").exists()
    assert list(tmp_path.glob(".lock")) == []


def moody() -> tuple[Judge, Asked]:
    """A judge whose every answer is one higher than the one before, 0 to 10 and again."""
    result = count()
    return scripted_judge(lambda question: {"rating": next(result) % 11, "justification": question[:9]})


def repeated(folder: Path, judge: Judge, repeats: int, metrics: Sequence[str] = ("quality",)) -> Scores:
    return scored(folder, judge, metrics=metrics, judge_repeats=repeats)


def test_repeats_are_asked_anew_and_added_to_those_that_stand_and_fewer_take_none_away(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", TWO)
    judge, asked = moody()
    for repeats in (1, 3):
        repeated(folder, judge, repeats)
        assert len(asked) == 2 * repeats * SIX
    (file, *_) = sorted(folder.glob("verdicts/quality/*/*/q1-r1.jsonl"))
    verdicts = VerdictFile(file).lasts()
    assert [verdict.judge_repeat for verdict in verdicts] == [repeat for repeat in (1, 2, 3) for _ in range(7)]
    scopes = [effect.scope for effect in read_effects(file.with_suffix(".journal.jsonl"))]
    assert len(set(scopes)) == 3 * SIX
    assert {scope.partition("#")[2] for scope in scopes} == {"1.1", "2.1", "3.1"}
    kept = repeated(folder, judge, 3)
    assert repeated(folder, judge, 1) == kept
    assert len(asked) == 2 * 3 * SIX
    assert [judging.verdicts for judging in kept.judgings] == [2 * 3 * 7]
