"""What is recorded of a run's understanding, and when there is nothing to record."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from drretail.env.offers import Offers
from drretail.env.world import World, open_world
from drretail.eval.families.understood.score import METRIC, NO_WORLD, NOT_DECLARED, lacks_understanding
from drretail.eval.judging.subject import Subject
from drretail.eval.values import Value
from drretail.experiment import Experiment, read_definition
from drretail.records.money import Money
from drretail.records.query import NOT_TYPED, Query
from drretail.records.score import reasons_of
from drretail.records.wish import Want, Wish
from tests.build import LABEL, SYSTEM, experiment
from tests.build import judged as judged_by
from tests.build import run as a_run
from tests.shop import USER, build

FEEDER = Want(name="bird feeder", kinds=("bird feeder",))
TUBE = Want(name="a feeder for finches", kinds=("tube bird feeder",))
WISH = Wish(wants=(FEEDER,), budget=Money.of(30))
TYPED = Query(query_id="q1", user_id=USER, text="A bird feeder for up to $30.", wish=WISH, source="test")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with open_world(build(tmp_path_factory.mktemp("understood") / "w")) as opened:
        yield opened


def subject_of(world: World, understood: Wish | None, query: Query = TYPED) -> Subject:
    run = a_run(LABEL, "q1-r1", "Take it.").model_copy(update={"understood": understood})
    return Subject(LABEL, SYSTEM, query, 1, run, {}, None, world.store, offers=Offers(world).would_do)


def judged(folder: Path, subject: Subject) -> dict[str, Value]:
    verdicts = judged_by(METRIC, subject, folder / "verdicts.jsonl")
    return {value.variant: value for value in METRIC.values(subject, verdicts, "default")}


def test_a_wish_is_compared_by_the_products_of_the_shop(world: World, tmp_path: Path) -> None:
    same = judged(tmp_path / "same", subject_of(world, WISH))
    assert {name: value.value for name, value in same.items()} == {"understood": 1, "wants": 1, "limits": 1}
    other = judged(tmp_path / "other", subject_of(world, Wish(wants=(TUBE,))))
    assert {name: value.value for name, value in other.items()} == {"understood": 0, "wants": 0, "limits": 0}


@pytest.mark.parametrize("lack", [NOT_DECLARED, NOT_TYPED, NO_WORLD])
def test_what_is_missing_is_named(world: World, tmp_path: Path, lack: str) -> None:
    subject = subject_of(world, None if lack == NOT_DECLARED else WISH)
    if lack == NOT_TYPED:
        subject = replace(subject, query=TYPED.model_copy(update={"wish": None}))
    if lack == NO_WORLD:
        subject = replace(subject, offers=None)
    found = judged(tmp_path, subject)
    assert {value.state for value in found.values()} == {"na"}
    assert {reason for value in found.values() for reason in reasons_of(value.items)} == {lack}


def test_what_was_measured_stays_without_the_world_and_is_measured_anew_with_it(world: World, tmp_path: Path) -> None:
    judged(tmp_path, subject_of(world, WISH))
    without = judged(tmp_path, replace(subject_of(world, WISH), offers=None))
    assert without["understood"].value == 1
    anew = judged(tmp_path, subject_of(world, WISH.model_copy(update={"budget": None})))
    assert (anew["understood"].value, anew["limits"].value) == (0.5, 0)


def test_an_experiment_has_it_where_a_run_says_how_it_understood_the_question(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Take it."}})
    assert "says how it understood" in lacks_understanding(folder)
    with Experiment(folder, read_definition(folder)) as opened:
        run = a_run(LABEL, "q1-r2", "Take it.").model_copy(update={"understood": WISH})
        opened.save(run, (), {}, {"world": "nowhere"})
    assert not lacks_understanding(folder)


def test_run_json_says_nothing_of_it_where_nothing_is_known(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Take it."}})
    assert "understood" not in next(folder.glob("runs/*/*/run.json")).read_text()
