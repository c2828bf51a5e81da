"""What scores.json holds besides rows of metrics: agreements, panels and attacks."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.metric import Value
from drretail.eval.registry import load_metric
from drretail.eval.scores.file import agreements, derive_scores, other_metrics, rows_of_metrics
from drretail.eval.scores.gathering import Assessor, Gathered, TableKey, is_panel, with_panels
from drretail.records.score import Agreement, JudgeRef, Judging, Score, Scores
from tests import build
from tests.build import SYSTEM
from tests.eval.compare import crafted
from tests.eval.compare.crafted import preference

JUDGE: dict[str, Any] = {"judge": "p:m", "judge_kind": "llm"}
COUNTS: dict[str, Any] = {"n_planned": 1, "n_scored": 1}


def held(*metrics: str) -> Scores:
    sliced = {"by": "kind", "part": "gift", "n_asked": 1, "n_counted": 1}
    return Scores(
        scores=tuple(Score(metric=metric, variant="v", version=1, system="a", **JUDGE, **COUNTS) for metric in metrics),
        judgings=tuple(Judging(metric=metric, system="a", judge="p:m", verdicts=1) for metric in metrics),
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


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ((3, 9, 4), Value("depth", "scored", 4, {"judges": 3, "spread": 6})),
        ((3, "failed", 6), Value("depth", "scored", 4.5, {"judges": 2, "spread": 3})),
        ((3, "failed", "na"), Value("depth", "failed")),
        ((3, "failed"), Value("depth", "failed")),
        ((3, "not judged", 4), None),
    ],
)
def test_a_panel_has_the_median_where_more_than_half_rated_and_nothing_before_all_are_done(
    values: tuple[crafted.Run, ...], found: Value | None
) -> None:
    third = Assessor(JudgeRef(spec="x:third", kind="llm"), "default")
    seats = (crafted.JUDGE, crafted.OTHER, third)
    rated = [
        ("quality", "depth", seat, {"a": crafted.runs([7, value])}) for seat, value in zip(seats, values, strict=False)
    ]
    held = with_panels(crafted.gathered(*rated))
    (panel,) = [judged for key, judged in held.tables_of_judges.items() if is_panel(key.assessor.judge.spec)]
    of_second = panel.get("a/q001-r1")
    assert (None if of_second is None else of_second.values["depth"]) == found


def test_a_run_that_failed_is_not_one_that_is_still_to_be_judged(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path / "e", {"a@m": {"q1-r1": "x", "q2-r1": None, "q3-r1": "y"}})
    made = derive_scores(folder, [load_metric("quality")], [TableKey("quality", crafted.JUDGE)])
    assert [row.not_judged for row in made.judgings] == [2]
