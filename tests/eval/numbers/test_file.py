"""What scores.json holds besides rows of metrics: agreements and judgings. Also tests records/score.py."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.question import VerdictFile, verdict_path
from drretail.eval.numbers.facts import NOT_RATED
from drretail.eval.numbers.file import agreements, derive_scores, other_metrics, rows_of_metrics, without_board_metrics
from drretail.eval.numbers.gathering import Gathered
from drretail.eval.numbers.judges import Assessor, TableKey
from drretail.records.base import OfJudge, sha256_of
from drretail.records.score import (
    Agreement,
    BoardColumn,
    JudgeRef,
    Judging,
    MetricDescription,
    Score,
    Scoreboard,
    Scores,
    ShownColumn,
)
from tests import build
from tests.build import SYSTEM, known
from tests.eval import own
from tests.eval.numbers import crafted
from tests.eval.numbers.crafted import preference

JUDGE: dict[str, Any] = {"judge": "p:m", "judge_kind": "llm"}
COUNTS: dict[str, Any] = {"n_planned": 1, "n_scored": 1}


def held(*metrics: str) -> Scores:
    sliced = {"by": "kind", "part": "gift", "n_asked": 1, "n_counted": 1}
    return Scores(
        scores=tuple(Score(metric=metric, variant="v", version=1, system="a", **JUDGE, **COUNTS) for metric in metrics),
        judgings=tuple(Judging(metric=metric, system="a", verdicts=1, **JUDGE) for metric in metrics),
        slices=tuple(
            Score(metric=metric, variant="v", version=1, system="a", **sliced, **JUDGE, **COUNTS) for metric in metrics
        ),
        agreements=tuple(
            Agreement(metric=metric, variant="v", first="a", second="b", n_reports=1, n_dropped=0, n_systems=1)
            for metric in metrics
        ),
        pairs=(preference(version=1, dimension="overall", a="a", b="b", **JUDGE, **COUNTS),),
    )


def test_the_named_metrics_alone_are_left_slices_and_agreements_too() -> None:
    scores = held("quality", "checks")
    shown = rows_of_metrics(scores, ["quality"])
    for rows in (shown.scores, shown.judgings, shown.slices, shown.agreements):
        assert [row.metric for row in rows] == ["quality"]
    assert shown.pairs == ()
    assert rows_of_metrics(scores, ["pairwise"]).pairs == scores.pairs
    assert rows_of_metrics(scores, ["pairwise"]).scores == ()
    assert other_metrics(held("quality", "checks"), ["checks"]) == ["quality", "pairwise"]
    assert other_metrics(held("quality"), ["quality", "pairwise"]) == []


def test_metrics_with_a_column_on_the_board_are_shown_there_and_nowhere_else() -> None:
    scores = held("quality", "checks", "faithfulness", "process")
    column = ShownColumn(name="overall", metric="quality", unit="rating", meaning="")
    described = {name: MetricDescription(title=name) for name in ("quality", "checks", "process")}
    described["faithfulness"] = MetricDescription(title="F", scoreboard=(BoardColumn(variant="FP", meaning="it"),))

    def left(absent: dict[str, str], note: str | None) -> list[str]:
        rows = tuple(
            row.model_copy(update={"note": note if row.metric == "faithfulness" else None}) for row in scores.scores
        )
        board = Scoreboard(judge=OfJudge(**JUDGE), columns=(column,), rows=(), systems={}, absent=absent)
        shown = scores.model_copy(update={"scores": rows, "metrics": described, "scoreboard": board})
        without = without_board_metrics(shown)
        assert (without.pairs, without.agreements) == (scores.pairs, ())
        return [row.metric for row in without.scores]

    assert left({}, NOT_RATED) == ["checks", "faithfulness", "process"]
    assert left({"F": "not rated"}, NOT_RATED) == ["checks", "process"], "the board says that it is not rated"
    assert left({"F": "not rated"}, None) == ["checks", "faithfulness", "process"]
    assert [row.metric for row in without_board_metrics(scores).scores] == [row.metric for row in scores.scores]


MINE = {"a@m": [1.0, 3.0], "b@m": [5.0, 2.0]}
THEIRS = {"a@m": [9.0, 3.0], "b@m": [5.0, 8.0]}
LOW = {"null_empty": [0.0, 0.0], "oracle": [10.0, 10.0]}


def judged(mine: dict[str, list[float]], theirs: dict[str, list[float]]) -> Gathered:
    def runs(values: dict[str, list[float]]) -> dict[str, dict[str, list[float]]]:
        return {label: {f"q{at}": [value] for at, value in enumerate(its)} for label, its in values.items()}

    held = crafted.gathered(
        ("quality", "depth", crafted.JUDGE, runs(mine)), ("quality", "depth", crafted.OTHER, runs(theirs))
    )
    systems = {label: SYSTEM.model_copy(update={"agent": label} if label in LOW else {}) for label in mine}
    return replace(held, definition=held.definition.model_copy(update={"systems": systems}))


def test_floors_and_the_oracle_do_not_make_judges_agree() -> None:
    (alone,) = [row for row in agreements(judged(MINE, THEIRS)) if row.variant == "depth"]
    (beside,) = [row for row in agreements(judged({**MINE, **LOW}, {**THEIRS, **LOW})) if row.variant == "depth"]
    assert beside == alone
    assert (alone.n_reports, alone.n_systems, alone.n_dropped) == (4, 2, 0)
    assert alone.rho_report == pytest.approx(-0.8)  # 1 − 6 · 18 / 60
    assert (alone.exact, alone.difference) == (0.5, 3.5)


def test_a_report_that_one_judge_alone_rated_is_dropped_from_their_agreement() -> None:
    mine: dict[str, list[Any]] = {"a@m": [1.0, "failed", "na", 5.0], "b@m": [2.0, 4.0, "not judged", "not judged"]}
    theirs: dict[str, list[Any]] = {"a@m": ["failed", 2.0, "na", 5.0], "b@m": [3.0, "not judged", 4.0, "not judged"]}
    (row,) = [row for row in agreements(judged(mine, theirs)) if row.variant == "depth"]
    assert (row.n_reports, row.n_dropped, row.n_systems, row.exact, row.difference) == (2, 4, 2, 0.5, 0.5)
    assert (row.first, row.second, row.rho_report) == ("anthropic:claude", "openai:gpt", 1.0)
    (none,) = [row for row in agreements(judged({"a@m": mine["a@m"][2:3]}, {"a@m": [1.0]})) if row.variant == "depth"]
    assert (none.n_reports, none.n_dropped, none.exact, none.difference) == (0, 1, None, None)


def test_how_far_a_judge_has_come_is_counted_in_current_verdicts(tmp_path: Path) -> None:
    described = own.JUDGED.description.model_copy(update={"primary": ("said", "half")})
    metric = replace(own.JUDGED, description=described)
    label, judge = "a@m", JudgeRef(spec="x:y", kind="llm")
    reports: dict[str, str | None] = {f"q{at}-r1": "x" for at in range(1, 8)} | {"q8-r1": None}
    folder = build.experiment(tmp_path / "e", {label: reports, "b@m": {}})
    lines: list[tuple[int, int, float | None, str | None]] = [
        (1, 1, 0.2, None), (1, 2, 0.6, None), (2, 1, 0.5, None), (2, 2, None, "timeout"),
        (3, 1, None, "refusal"), (4, 1, None, "timeout"), (5, 1, 0.5, "stale"), (6, 1, 0.5, "earlier"),
        (7, 1, 0.5, "reworded"),
    ]  # fmt: skip
    for query, repeat, value, error in lines:
        sha = "of another report" if error == "stale" else sha256_of("x")
        state = "scored" if value is not None else "failed"
        about = {"run_id": f"{label}/q{query}-r1", "report_sha": sha, "judge": judge, "judge_repeat": repeat}
        about |= {"version": metric.version - (error == "earlier"), "prompt_hash": "of another" * (error == "reworded")}
        verdict = build.verdict("stub", "read", "report", value, state, error=error, repairs=query % 2, **about)
        VerdictFile(verdict_path(folder, "stub", "x-y", label, f"q{query}-r1")).append(verdict)
    made = derive_scores(folder, [metric], [TableKey("stub", Assessor(judge, "default"))])
    row, of_nothing = made.judgings
    assert (of_nothing.system, of_nothing.verdicts, of_nothing.repeats) == ("b@m", 0, 1)
    assert row == Judging(
        metric="stub",
        system=label,
        judge="x:y",
        judge_kind="llm",
        verdicts=6,
        failed=3,
        error="timeout",
        stale=3,
        not_judged=3,
        repairs=3,
        repeats=2,
        noise={"said": (spread := round(0.08**0.5, 10)), "half": spread},  # of .2 and .6 alone
    )
    assert known(made.made_of).verdicts == {"stub/x-y/a@m": 9}
    assert known(made.made_of).runs == {label: 8, "b@m": 0}
    assert [row.n_failed for row in made.scores if row.variant == "said"] == [6, 8]
