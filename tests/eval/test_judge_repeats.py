"""A judge that is asked several times: whole and apart, resumed, averaged."""

import asyncio
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.session import Judge
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.registry import load_metric
from drretail.eval.scores.gathering import gather
from drretail.eval.scoring import score
from drretail.files import read_jsonl
from drretail.progress import Progress
from drretail.records.score import Scores
from tests.build import LABEL, Asked, experiment, scripted_judge
from tests.eval.own import STUB

REPORTS = {LABEL: {"q1-r1": "A report.", "q2-r1": "Another."}}
SIX = 6  # dimensions that are asked for where a query has no user


def moody() -> tuple[Judge, Asked]:
    """A judge whose every answer is one higher than the one before, 0 to 10 and again."""
    said = count()
    return scripted_judge(lambda question: {"rating": next(said) % 11, "justification": question[:9]})


def scored(folder: Path, judge: Judge, repeats: int, **given: Any) -> Scores:
    given = {"metrics": ("quality",), "concurrency": 1} | given
    return asyncio.run(score(folder, judges=[judge], progress=Progress(), judge_repeats=repeats, **given))


def test_every_repeat_asks_everything_anew_in_verdicts_and_calls_of_its_own(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    judge, asked = moody()
    scored(folder, judge, 3)
    assert len(asked) == 2 * 3 * SIX
    (file, *_) = sorted(folder.glob("verdicts/quality/*/*/q1-r1.jsonl"))
    verdicts = VerdictFile(file).lasts()
    assert [verdict.judge_repeat for verdict in verdicts] == [repeat for repeat in (1, 2, 3) for _ in range(7)]
    scopes = [line["scope"] for line in read_jsonl(file.with_suffix(".journal.jsonl"))]
    assert len(set(scopes)) == 3 * SIX
    assert {scope.partition("#")[2] for scope in scopes} == {"1.1", "2.1", "3.1"}


def test_repeats_are_added_to_those_that_stand_and_fewer_take_none_away(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    judge, asked = moody()
    scored(folder, judge, 1)
    scored(folder, judge, 2)
    assert len(asked) == 2 * 2 * SIX
    kept = scored(folder, judge, 2)
    assert scored(folder, judge, 1) == kept
    assert len(asked) == 2 * 2 * SIX
    assert [judging.verdicts for judging in kept.judgings] == [2 * 2 * 7]


def test_a_report_s_value_is_the_mean_over_repeats_and_each_repeat_is_kept(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "A report."}})
    scores = scored(folder, moody()[0], 2)
    gathered = gather(folder, [load_metric("quality")])
    (by_run,) = gathered.tables_of_judges.values()
    result = by_run[f"{LABEL}/q1-r1"].result
    assert [result.by_repeat[repeat]["clarity"].value for repeat in (1, 2)] == [0.0, 6.0]
    assert result.values["clarity"].value == 3.0
    (row,) = [row for row in scores.scores if (row.variant, row.policy) == ("clarity", "answered")]
    assert row.value == 3.0


def test_judging_that_was_cut_between_repeats_goes_on(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    calls = count(1)

    def dying(question: str) -> Any:
        return KeyboardInterrupt() if next(calls) == SIX + 1 else {"rating": 5, "justification": question[:9]}

    with pytest.raises(KeyboardInterrupt):
        scored(folder, scripted_judge(dying)[0], 2)
    judge, asked = scripted_judge(lambda question: {"rating": 5, "justification": question[:9]})
    scored(folder, judge, 2)
    assert len(asked) == 2 * 2 * SIX - SIX


def test_batches_ask_all_repeats_at_once_and_come_to_the_same_verdicts(tmp_path: Path) -> None:
    in_turn, at_once = (experiment(tmp_path / name, REPORTS) for name in ("turn", "once"))
    judge, _ = scripted_judge(lambda question: {"rating": 5, "justification": question[:9]})
    scored(in_turn, judge, 2)
    scored(at_once, Judge(judge.ref, judge.slug, judge.model, in_batches=True), 2)
    kept = [
        {
            tuple(verdict.key): verdict.value
            for file in folder.glob("verdicts/quality/*/*/*-r1.jsonl")
            for verdict in VerdictFile(file).lasts()
        }
        for folder in (in_turn, at_once)
    ]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 2 * 2 * 7


def test_code_judges_once_however_many_repeats_are_asked_for(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "0.5"}})
    scored(folder, moody()[0], 3, metrics=(STUB,))
    gathered = gather(folder, [load_metric(STUB)])
    assert [
        list(heard.result.by_repeat) for by_run in gathered.tables_of_judges.values() for heard in by_run.values()
    ] == [[1]]


def test_faithfulness_extracts_and_judges_anew_each_time(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "It is cheap [P:1]. It is good [https://a.example/x]."}})
    judge, asked = scripted_judge(lambda _: {"claims": []})
    scored(folder, judge, 2, metrics=("faithfulness",))
    once = len(asked)
    assert once > 0
    assert once % 2 == 0
    verdicts = [v for file in folder.glob("verdicts/faithfulness/*/*/q1-r1.jsonl") for v in VerdictFile(file).lasts()]
    by_repeat = {repeat: [v.stage for v in verdicts if v.judge_repeat == repeat] for repeat in (1, 2)}
    assert by_repeat[1] == by_repeat[2] != []
