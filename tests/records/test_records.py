"""Money, queries, scores by system, the order of labels, and of steps in a trajectory."""

from decimal import Decimal
from typing import Any

import pytest

from drretail.errors import UnknownName, UserError
from drretail.records.base import OfJudge
from drretail.records.query import version_of
from drretail.records.run import Limits, RoleModel, Step, System, in_order, place_of, shared_models
from drretail.records.score import Score, Scoreboard, Scores
from drretail.records.shop import Money, has_been
from drretail.records.trajectory import Trajectory
from drretail.records.wish import Want, Wish
from tests.build import query


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


def row(system: str, value: float | None, *, judge: str = "code") -> Score:
    return Score(
        metric="checks", version=1, variant="clean", system=system, value=value, judge=judge,
        judge_kind="rule_based", n_planned=1, n_scored=int(value is not None),
    )  # fmt: skip


def test_a_variant_is_read_by_system_and_by_its_whole_name() -> None:
    scores = Scores(scores=(row("a", 0.25), row("b", None)), judgings=())
    assert scores.by_system("checks clean") == scores.by_system("clean") == {"a": 0.25, "b": None}
    with pytest.raises(UnknownName, match="Did you mean clean"):
        scores.by_system("cleen")


def test_of_several_judges_the_boards_is_read_unless_another_is_named() -> None:
    board = Scoreboard(judge=OfJudge(judge="x:1", judge_kind="llm"), columns=(), rows=())
    rows = (row("a", 0.5, judge="x:1"), row("a", 0.75, judge="x:2"))
    scores = Scores(scores=rows, judgings=(), scoreboard=board)
    assert scores.by_system("clean") == {"a": 0.5}
    assert scores.by_system("clean", judge="x:2") == {"a": 0.75}
    with pytest.raises(UserError, match="clean is there of x:1 by rules default, x:2 by rules default: name judge="):
        scores.by_system("clean", rules="paper")


def system(agent: str, model: str = "", **fields: Any) -> System:
    models = {"researcher": RoleModel(spec=model, kind="llm")} if model else {}
    return System(agent=agent, models=models, **fields)


@pytest.mark.parametrize(
    ("of", "place"),
    [
        (system("react", "m"), "system"),
        (system("null_search"), "floor"),
        (system("oracle"), "ceiling"),
        (system("oracle-v2", place="my:agent"), "system"),
        (system("null_empty+mine"), "system"),
        (system("react-without-web", "m", options={"without": ["web"]}), "system"),
    ],
)
def test_a_system_stands_where_its_record_says_whatever_its_label_is(of: System, place: str) -> None:
    assert {place_of(label, {label: of}) for label in (of.label(), "oracle", "null_empty-x")} == {place}


def sized(agent: str, size: str, **fields: Any) -> System:
    return system(agent, "m:5", options={"size": size}, **fields)


@pytest.mark.parametrize(
    "systems",
    [
        [system("a", "m"), system("z", "m"), *map(system, ("null_empty", "null_search", "oracle"))],
        [sized("a", "64k"), sized("a", "64k", limits=Limits(rag_turns=8)), sized("a", "512k"), system("b", "m:5")],
    ],
    ids=["floors by their own order and the ceiling last", "sizes by size"],
)
def test_systems_are_in_order(systems: list[System]) -> None:
    labels = [each.label() for each in systems]
    assert in_order([*reversed(labels), labels[0]], dict(zip(labels, systems, strict=True))) == labels


@pytest.mark.parametrize(
    ("systems", "shared"),
    [
        ([system("a", "m"), system("b", "m", web_mode="ws"), system("b", "m", limits=Limits(researchers=2))], "@m"),
        ([system("a", "m"), system("b", "m"), system("oracle")], "@m"),
        ([system("a", "m"), system("b", "n")], ""),
        ([system("a", "m"), system("b", "m-mini")], ""),
        ([system("a", "m"), system("oracle")], ""),
        ([sized("a", "64k"), system("a", "m:5", web_provider="serper"), sized("a", "128k")], "@m-5"),
        ([sized("a", "64k"), system("a", "m:4", options={"size": "64k"})], ""),
    ],
)
def test_only_the_models_that_all_systems_with_models_share_are_left_out(systems: list[System], shared: str) -> None:
    assert shared_models([each.label() for each in systems], {each.label(): each for each in systems}) == shared


@pytest.mark.parametrize(
    ("status", "recorded", "was"),
    [
        ("shipped", "delivered", True),
        ("shipped", "cancelled", None),
        ("delivered", "shipped", False),
        ("shipped", "in transit", None),
        ("pending", "shipped", None),
        ("in transit", "in transit", True),
    ],
)
def test_what_an_order_was_before_is_open_for_a_status_that_is_not_listed(
    status: str, recorded: str, was: bool | None
) -> None:
    assert has_been(status, recorded) is was


def step(path: str, seq: int) -> Step:
    return Step(path=path, seq=seq, kind="tool", role="researcher")


def test_steps_stand_in_launch_order_whatever_ended_first() -> None:
    trajectory = Trajectory()
    for place in [("0.10", 0), ("0.9", 1), ("0.9", 0), ("0", 0)]:
        trajectory.add(step(*place))
    assert [(s.path, s.seq) for s in trajectory.steps()] == [("0", 0), ("0.9", 0), ("0.9", 1), ("0.10", 0)]


def test_equal_texts_are_kept_once_and_told_to_the_listener() -> None:
    events: list[str] = []
    trajectory = Trajectory(lambda _, text: events.append(text))
    sha = trajectory.keep_text("result")
    assert trajectory.keep_text("result") == sha
    trajectory.add(step("0", 0).model_copy(update={"result_sha": sha}))
    assert trajectory.texts() == {sha: "result"}
    assert events == ["result"]
