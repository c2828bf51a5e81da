"""Reports beside what the user bought next."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.env.session import Session, SessionSettings
from drretail.env.world import open_world
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.metric import Value
from drretail.eval.metrics.next_purchase import METRIC, compare, hits, lacks_purchases
from drretail.experiment import Experiment, read_definition
from drretail.grounding.profile import purchase_item_of
from drretail.records.evidence import Evidence
from drretail.records.score import Verdict
from drretail.records.shop import NextPurchase
from drretail.tools.toolkit import Toolkit
from tests import build, shop
from tests.build import LABEL, experiment
from tests.shop import PRODUCTS, USER, a_product

TUBE, HOPPER, WINDOW, _ = PRODUCTS
TOY = a_product(5, "Crumbly Chew Toy", 7.5).model_copy(
    update={"store": "Mossbank", "categories": ("Pets", "Dog Toys"), "rating_number": 9}
)
PURCHASE = NextPurchase(
    query_id="q1",
    user_id=USER,
    bought=(purchase_item_of(HOPPER),),
    favourite="Dog Toys",
    popular_in_favourite=(purchase_item_of(TOY), purchase_item_of(HOPPER)),
)
PICKS = ["B0TEST0001"]
"""What the report declares."""


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Evidence]:
    """What a run is handed that looks for bird feeders in the tiny shop."""
    with open_world(shop.build_shop(tmp_path_factory.mktemp("next") / "w")) as world:
        session = Session(SessionSettings(world, user_id=USER))
        with Toolkit(session) as toolkit:
            toolkit.call("product_catalog_search", {"query": "tanagrove bird"})
        return {entry.id: entry for entry in session.ledger.evidence()}


def subject_of(
    folder: Path, picks: Sequence[str] | None, ledger: Mapping[str, Evidence], purchase: NextPurchase | None = PURCHASE
) -> Subject:
    declared = {} if picks is None else {"q1-r1": picks}
    experiment(folder, {LABEL: {"q1-r1": "Look below."}}, users={"q1": USER}, picks=declared)
    if purchase is not None:
        with Experiment(folder, read_definition(folder)) as opened:
            opened.freeze_rubrics("next_purchase", {"q1": purchase})
    (subject,) = read_subjects(folder, None)
    return replace(subject, evidence=ledger)


def judged(folder: Path, subject: Subject) -> list[Verdict]:
    return build.judged(METRIC, subject, folder / "verdicts.jsonl")


def valued(
    folder: Path, picks: Sequence[str] | None, ledger: Mapping[str, Evidence], purchase: NextPurchase | None = PURCHASE
) -> dict[str, Value]:
    subject = subject_of(folder / "exp", picks, ledger, purchase)
    return {value.variant: value for value in METRIC.values(subject, judged(folder, subject), "default")}


ASPECTS = ("item", "category", "brand", "price_band")


@pytest.mark.parametrize(
    ("picks", "hits"),
    [
        (PICKS, {"hit": [0, 1, 1, 1], "base": [0, 0, 0, 0]}),
        # The baseline recommends as many products as the report.
        (["B0TEST0001", "B0TEST0004"], {"hit": [0, 1, 1, 1], "base": [1, 1, 1, 1]}),
        ([], {"hit": [0, 0, 0, 0], "base": [0, 0, 0, 0]}),
    ],
)
def test_a_report_hits_what_any_pick_shares_with_the_purchase(
    tmp_path: Path, ledger: Mapping[str, Evidence], picks: list[str], hits: dict[str, list[float]]
) -> None:
    found = valued(tmp_path, picks, ledger)
    assert found["recommended"].value == len(picks)
    assert {guesser: [found[f"{guesser}_{each}"].value for each in ASPECTS] for guesser in hits} == hits


GONE = PURCHASE.model_copy(update={"bought": (), "gone": ("B0GONE0001",)})


@pytest.mark.parametrize(
    ("picks", "purchase", "counted"),
    [
        (PICKS, GONE, {"gone": 1}),
        (PICKS, NextPurchase(query_id="q1", user_id=USER), {}),  # who bought nothing next
        (None, PURCHASE, {"picks unknown": 1}),
    ],
)
def test_what_nobody_can_hit_is_na(
    tmp_path: Path, ledger: Mapping[str, Evidence], picks: list[str] | None, purchase: NextPurchase, counted: Any
) -> None:
    found = valued(tmp_path, picks, ledger, purchase)
    assert {value.state for value in found.values()} == {"na"}
    assert counted.items() <= found["hit_item"].items.items()


def test_a_holdout_is_needed_and_another_ledger_compared_anew(tmp_path: Path, ledger: Mapping[str, Evidence]) -> None:
    assert valued(tmp_path / "none", PICKS, ledger, None) == {}
    assert "no next purchases" in lacks_purchases(tmp_path / "none/exp")

    subject = subject_of(tmp_path / "exp", PICKS, ledger)
    assert not lacks_purchases(tmp_path / "exp")
    judged(tmp_path, subject)
    judged(tmp_path, subject)
    assert (tmp_path / "verdicts.jsonl").read_text("utf-8").count("\n") == 1
    (again,) = judged(tmp_path, replace(subject, evidence={}))
    assert (again.attempt, again.value["recommended"]) == (2, 0)


def test_brands_are_compared_by_their_letters_and_what_nobody_knows_is_na() -> None:
    shouted = purchase_item_of(HOPPER).model_copy(update={"brand": " TANAGROVE "})
    assert hits([shouted], [purchase_item_of(HOPPER)]).brand is True
    assert hits([purchase_item_of(TUBE)], [purchase_item_of(WINDOW)]).price_band is None
    assert hits([purchase_item_of(WINDOW)], [purchase_item_of(TUBE)]).price_band is False
    without_leaf = purchase_item_of(TUBE).model_copy(update={"category": None})
    assert hits([without_leaf], [without_leaf]).category is None
    assert hits([without_leaf], [purchase_item_of(TUBE)]).category is False
    purchase = PURCHASE.model_copy(update={"favourite": None, "popular_in_favourite": ()})
    assert compare([purchase_item_of(TUBE)], purchase).base is None


def test_purchases_that_version_1_froze_are_read_without_what_is_gone() -> None:
    older = {**PURCHASE.model_dump(mode="json"), "wanted": True, "popular": [{"product_id": "B0TEST0001"}]}
    assert NextPurchase.model_validate(older) == PURCHASE
