"""The parts of scores.json that a command prints."""

from typing import Any

from drretail.eval.scores.selection import other_families, rows_of_families
from drretail.records.pairs import PairScore
from drretail.records.score import Agreement, Judging, Score, Scores, SliceScore

JUDGE: dict[str, Any] = {"judge": "p:m", "judge_kind": "llm"}
COUNTS: dict[str, Any] = {"n_planned": 1, "n_scored": 1}


def held(*metrics: str) -> Scores:
    sliced = {"by": "kind", "name": "gift", "n_queries": 1, "n_counted": 1}
    return Scores(
        scores=tuple(Score(metric=metric, variant="v", version=1, system="a", **JUDGE, **COUNTS) for metric in metrics),
        judgings=tuple(Judging(metric=metric, system="a", judge="p:m", verdicts=1) for metric in metrics),
        slices=tuple(
            SliceScore(metric=metric, variant="v", system="a", **sliced, **JUDGE, **COUNTS) for metric in metrics
        ),
        agreements=tuple(
            Agreement(metric=metric, variant="v", first="a", second="b", n_reports=1, n_dropped=0, n_systems=1)
            for metric in metrics
        ),
        pairs=(PairScore(version=1, dimension="overall", a="a", b="b", **JUDGE, **COUNTS),),
    )


def test_the_named_families_alone_are_left_slices_and_agreements_too() -> None:
    scores = held("quality", "checks")
    shown = rows_of_families(scores, ["quality"])
    for rows in (shown.scores, shown.judgings, shown.slices, shown.agreements):
        assert [row.metric for row in rows] == ["quality"]
    assert shown.pairs == ()
    assert rows_of_families(scores, ["pairwise"]).pairs == scores.pairs
    assert rows_of_families(scores, ["pairwise"]).scores == ()


def test_the_others_are_named_in_their_order() -> None:
    assert other_families(held("quality", "checks"), ["checks"]) == ["quality", "pairwise"]
    assert other_families(held("quality"), ["quality", "pairwise"]) == []
