import pytest

from drretail.errors import UnknownName, UserError
from drretail.records.score import Policy, Score, Scores


def row(system: str, value: float | None, *, judge: str = "code", policy: Policy = "answered") -> Score:
    return Score(
        metric="checks", version=1, variant="clean", system=system, value=value, judge=judge, policy=policy,
        judge_kind="rule_based", n_planned=1, n_scored=int(value is not None),
    )  # fmt: skip


def test_a_variant_is_read_by_system_and_what_could_not_be_scored_is_none() -> None:
    scores = Scores(scores=(row("a", 0.5), row("a", 0.25, policy="failed_as_zero"), row("b", None)), judgings=())
    assert scores.by_system("clean") == {"a": 0.5, "b": None}


def test_a_variant_that_nobody_scored_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean clean"):
        Scores(scores=(row("a", 1),), judgings=()).by_system("cleen")


def test_of_several_judges_one_must_be_named() -> None:
    scores = Scores(scores=(row("a", 0.5, judge="x:1"), row("a", 0.75, judge="x:2")), judgings=())
    with pytest.raises(UserError, match="say judge= one of x:1, x:2"):
        scores.by_system("clean")
    assert scores.by_system("clean", judge="x:2") == {"a": 0.75}
