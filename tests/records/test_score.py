import pytest

from drretail.errors import UnknownName, UserError
from drretail.records.score import MetricDescription, Policy, Score, Scores, in_order, place_of, shared_models
from drretail.records.scoreboard import BoardColumn


def row(system: str, value: float | None, *, judge: str = "code", policy: Policy = "answered") -> Score:
    return Score(
        metric="checks", version=1, variant="clean", system=system, value=value, judge=judge, policy=policy,
        judge_kind="rule_based", n_planned=1, n_scored=int(value is not None),
    )  # fmt: skip


def test_a_variant_is_read_by_system_and_by_its_name_on_the_scoreboard() -> None:
    board = MetricDescription(title="C", scoreboard=(BoardColumn(variant="clean", name="tidy"),))
    rows = (row("a", 0.5), row("a", 0.25, policy="planned"), row("b", None))
    scores = Scores(scores=rows, judgings=(), metrics={"checks": board})
    assert scores.by_system("tidy") == scores.by_system("clean") == {"a": 0.25, "b": None}
    with pytest.raises(UnknownName, match="Did you mean clean"):
        scores.by_system("cleen")


def test_of_several_judges_one_must_be_named() -> None:
    scores = Scores(scores=(row("a", 0.5, judge="x:1"), row("a", 0.75, judge="x:2")), judgings=())
    with pytest.raises(UserError, match="say judge= one of x:1, x:2"):
        scores.by_system("clean")
    assert scores.by_system("clean", judge="x:2") == {"a": 0.75}


@pytest.mark.parametrize(
    ("label", "place"),
    [
        ("react@offline-shopper", "system"),
        ("react+ws@offline-shopper-counterfactual-neutral", "counterfactual"),
        ("null_bestsellers", "floor"),
        ("null_copy-researchers3", "floor"),
        ("oracle", "ceiling"),
        ("oracles@m", "system"),
        ("null_emptyish@m", "system"),
    ],
)
def test_a_label_tells_how_a_system_stands(label: str, place: str) -> None:
    assert place_of(label) == place


def test_floors_come_after_systems_in_their_own_order_and_the_ceiling_last() -> None:
    labels = ["oracle", "null_bestsellers", "z@m", "null_empty", "a@m-counterfactual-swap", "z@m"]
    assert in_order(labels) == ["z@m", "a@m-counterfactual-swap", "null_empty", "null_bestsellers", "oracle"]


@pytest.mark.parametrize(
    ("labels", "shared"),
    [
        (["a@m", "b+ws@m", "b@m-researchers2", "oracle"], "@m"),
        (["a@m", "b@n"], ""),
        (["a@m", "b@m2"], ""),
        (["a@m", "oracle"], ""),
        (["a@m-5-size-64k", "a@m-5-serper", "b@m-5-without-web", "a@m-5-size-64k-rag_turns8"], "@m-5"),
        (["a@m-5-size-64k", "a@m-4-size-64k"], ""),
        (["a@m-size-64k", "a@m-temperature1"], ""),
    ],
)
def test_only_what_all_systems_with_models_share_before_their_options_is_left_out(
    labels: list[str], shared: str
) -> None:
    assert shared_models(labels) == shared


def test_systems_that_differ_in_size_alone_stand_by_size() -> None:
    labels = ["a@m-5-size-512k", "a@m-5-size-64k", "a@m-5-serper", "b@m-5-without-web", "a@m-5-size-64k-rag_turns8"]
    assert in_order(labels)[1:4] == ["a@m-5-size-64k", "a@m-5-size-64k-rag_turns8", "a@m-5-size-512k"]
