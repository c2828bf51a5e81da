"""Two wishes for one question, and what is recorded of a run's understanding."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.eval.baskets import Measured
from drretail.eval.judging.question import NO_WORLD
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Value
from drretail.eval.metrics import understood as metric
from drretail.eval.metrics.understood import METRIC, NOT_DECLARED, NOTHING_OFFERED, compared, matched
from drretail.experiment import Experiment, read_definition
from drretail.records.query import NOT_TYPED, Query
from drretail.records.score import reasons_of
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.build import LABEL, experiment
from tests.shop import USER

SHOP = {"feeder": "abcd", "bird feeder": "abcdef", "seed": "x", "bath": "uv", "basin": "uvwz", "unicorn": ""}


def want(kind: str, **fields: object) -> Want:
    return Want.model_validate({"name": kind, "kinds": (kind,), **fields})


def values(wish: Wish, understood: Wish) -> dict[str, float | None]:
    return {name: measured.value for name, measured in measures(wish, understood).items()}


def measures(wish: Wish, understood: Wish) -> dict[str, Measured]:
    return dict(compared(wish, understood, lambda one: SHOP[one.kinds[0]]))


@pytest.mark.parametrize(
    ("asked", "understood", "share"),
    [
        (("feeder", "bath"), ("bird feeder", "basin"), 1),
        (("feeder", "bath"), ("seed", "basin"), 0.5),
        (("feeder", "bath"), (), 0),
        (("feeder", "bird feeder"), ("feeder",), 0.5),  # one want stands for one other
        (("feeder", "bird feeder"), ("bird feeder", "feeder"), 1),
        ((), (), 1),  # a question for nothing to buy
        ((), ("bath",), 0),
    ],
)
def test_half_of_what_would_do_is_enough(asked: tuple[str, ...], understood: tuple[str, ...], share: float) -> None:
    wish, other = (Wish(wants=tuple(map(want, kinds))) for kinds in (asked, understood))
    assert values(wish, other) == {"understood": share, "wants": share, "limits": None}


def test_a_want_that_nobody_asked_for_costs_and_one_for_which_the_shop_has_nothing_is_left_out() -> None:
    wish = Wish(wants=(want("feeder"), want("bath")))
    more = Wish(wants=(want("feeder"), want("bath"), want("seed"), want("unicorn")))
    assert values(wish, more)["wants"] == pytest.approx(2 / 3), "what the shop does not have says nothing"
    assert measures(wish, more)["wants"].reason == "feeder: feeder; bath: bath; not asked for: seed"
    assert values(wish, Wish(wants=(want("feeder"), want("seed"))))["wants"] == 0.5, "one in another's place costs once"

    wish = Wish(wants=(want("unicorn", quantity=2), want("bath")))
    assert values(wish, Wish(wants=(want("bath"),))) == {"understood": 1, "wants": 1, "limits": None}
    assert set(measures(Wish(wants=(want("unicorn"),)), Wish()).values()) >= {Measured(None, NOTHING_OFFERED)}

    assert matched(["abc", "abcd"], ["abcd", "abc"]) == {0: 1, 1: 0}
    assert matched(["abcd", "ab"], ["abcd", "abcdefgh"]) == {0: 1, 1: 0}


@pytest.mark.parametrize(
    ("limits", "others", "share"),
    [
        ({}, {}, None),
        ({"budget": Money.of(60)}, {"budget": Money(amount="60.00")}, 1),
        ({"budget": Money.of(60)}, {}, 0),
        ({}, {"budget": Money.of(60)}, 0),
        ({"budget": Money.of(60)}, {"budget": Money.of(60, "EUR")}, 0),
    ],
)
def test_a_budget_counts_if_one_names_it(limits: dict[str, Money], others: dict[str, Money], share: float) -> None:
    bath = (want("bath"),)
    assert values(Wish(wants=bath, **limits), Wish(wants=bath, **others))["limits"] == share  # pyright: ignore[reportArgumentType]


def test_brands_and_quantities_are_those_of_the_want_that_was_matched_and_not_equal_where_none_was() -> None:
    wish = Wish(wants=(want("bath", brands_unwanted=("Tallow",)), want("feeder", quantity=2)), budget=Money.of(50))
    understood = Wish(
        wants=(want("feeder", quantity=3), want("bath", brands_unwanted=("tallow",))), budget=Money.of(50)
    )
    found = measures(wish, understood)
    assert found["limits"].value == pytest.approx(2 / 3)
    assert found["limits"].reason == "budget: equal; brands of bath: equal; quantity of feeder: not equal"
    assert found["understood"].value == pytest.approx(5 / 6)

    wish = Wish(wants=(want("bath", quantity=2, brands_wanted=("Tallow",)),))
    found = measures(wish, Wish(wants=(want("seed", quantity=2, brands_wanted=("Tallow",)),)))
    assert (found["wants"].value, found["limits"].value) == (0, 0)


FEEDER = Want(name="bird feeder", kinds=("bird feeder",))
TUBE = Want(name="a feeder for finches", kinds=("tube bird feeder",))
WISH = Wish(wants=(FEEDER,), budget=Money.of(30))
TYPED = Query(query_id="q1", user_id=USER, text="A bird feeder for up to $30.", wish=WISH, source="test")


def subject_of(world: World, understood: Wish | None, query: Query = TYPED) -> Subject:
    run = build.run(understood=understood)
    return build.subject(run, query=query, store=world.store, offers=Offers(world).would_do)


def judged(folder: Path, subject: Subject) -> dict[str, Value]:
    verdicts = build.judged(METRIC, subject, folder / "verdicts.jsonl")
    return {value.variant: value for value in METRIC.values(subject, verdicts, "default")}


def test_a_wish_is_compared_by_the_products_of_the_shop_and_stays_without_it(world: World, tmp_path: Path) -> None:
    same = judged(tmp_path / "same", subject_of(world, WISH))
    assert {name: value.value for name, value in same.items()} == {"understood": 1, "wants": 1, "limits": 1}
    other = judged(tmp_path / "other", subject_of(world, Wish(wants=(TUBE,))))
    assert {name: value.value for name, value in other.items()} == {"understood": 0, "wants": 0, "limits": 0}
    without = judged(tmp_path / "same", replace(subject_of(world, WISH), offers=None))
    assert without["understood"].value == 1
    anew = judged(tmp_path / "same", subject_of(world, WISH.model_copy(update={"budget": None})))
    assert (anew["understood"].value, anew["limits"].value) == (0.5, 0)


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


def test_an_experiment_has_it_where_a_run_says_how_it_understood_the_question(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Take it."}})
    assert "says how it understood" in metric.lacks_understanding(folder)
    with Experiment(folder, read_definition(folder)) as opened:
        opened.save(build.run("q1-r2", understood=WISH), (), {}, {"world": "nowhere"})
    assert not metric.lacks_understanding(folder)
