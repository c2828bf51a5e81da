"""Money, versions of queries, readings, declared picks, scores by system and the order of labels."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from drretail.errors import UnknownName, UserError
from drretail.records.money import Money
from drretail.records.query import version_of
from drretail.records.reading import Reading
from drretail.records.run import Answer
from drretail.records.score import MetricDescription, Policy, Score, Scores, in_order, place_of, shared_models
from drretail.records.scoreboard import BoardColumn
from drretail.records.wish import Want, Wish
from tests.build import query, run


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (5, "5"),
        ("5.00", "5"),
        (19.99, "19.99"),
        (9.5, "9.50"),
        ("19.999", "20"),
        ("2.676", "2.68"),
        (Decimal("0.004"), "0"),
        (1e3, "1000"),
    ],
)
def test_a_number_becomes_money_rounded_to_the_cent(value: Decimal | float | str, amount: str) -> None:
    assert Money.of(value).amount == amount


def test_another_wish_is_another_version() -> None:
    lamp, other = (Wish(wants=(Want(name="lamp", kinds=(kind,)),)) for kind in ("lamp", "desk lamp"))
    versions = {version_of(query(wish=wish)) for wish in (None, lamp, other, Wish())}
    assert len(versions) == 4


def test_without_picks_a_run_opens_and_an_answer_is_not_one_that_buys_nothing() -> None:
    assert run().picks is None
    assert "picks" not in run().model_dump(mode="json", exclude_none=True)
    assert Answer(report="x").picks is None
    assert Answer(report="x", picks=()).picks == ()


@pytest.mark.parametrize("reader", ["guess", "model:", ""])
def test_a_reader_has_one_of_three_kinds(reader: str) -> None:
    with pytest.raises(ValidationError):
        Reading(reader=reader)


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


@pytest.mark.parametrize(
    "labels",
    [
        ["z@m", "a@m-counterfactual-swap", "null_empty", "null_bestsellers", "oracle"],
        ["a@m-5-serper", "a@m-5-size-64k", "a@m-5-size-64k-rag_turns8", "a@m-5-size-512k", "b@m-5-without-web"],
    ],
    ids=["floors by their own order and the ceiling last", "sizes by size"],
)
def test_systems_are_in_order(labels: list[str]) -> None:
    assert in_order([*reversed(labels), labels[0]]) == labels


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
