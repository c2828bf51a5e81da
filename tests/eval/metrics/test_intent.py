"""What a cart keeps of the limits of a wish, and what was learnt of those that the query hides."""

from collections.abc import Collection
from typing import Any

import pytest

from drretail.eval.metrics.intent import CANNOT_ASK, Key, intent_of, keeps, measures
from drretail.grounding.constraints import UNDECIDED, Decisions, fitting, record_sha, releases
from drretail.grounding.listing import listing_of
from drretail.records.criteria import Decision, Fact, Gold
from drretail.records.query import Query
from drretail.records.reading import Pick
from drretail.records.shop import Money
from drretail.records.wish import Hidden, Topic, Want, Wish
from tests.build import SYSTEM, demands
from tests.shop import PRODUCTS

TUBE, HOPPER, WINDOW, BATH = PRODUCTS
KNOWN = {product.product_id: product for product in PRODUCTS}
FEEDER = Want(name="feeder", kinds=("bird feeder",), quantity=2, must=demands("cedar"), price_max=Money.of(30))
WISH = Wish(wants=(FEEDER,), budget=Money.of(45), deadline="Friday")


def would_do(want: Want, decisions: Decisions = UNDECIDED) -> Collection[str]:
    feeders = [listing_of(product) for product in (TUBE, HOPPER, WINDOW)]
    return {listing.product.product_id for listing in fitting(want, feeders, decisions=decisions)}


def kept(*picks: tuple[Any, int]) -> set[str]:
    bought = [Pick(product=product.product_id, quantity=quantity) for product, quantity in picks]
    parts = [part for part in WISH.parts() if part.field != "deadline"]
    return {part.field for part in parts if keeps(part, WISH, bought, KNOWN, would_do)}


def test_each_limit_is_kept_or_broken_alone() -> None:
    assert kept((TUBE, 2)) == {"quantity", "price_max"}
    assert kept((HOPPER, 1)) == {"must", "budget"}
    assert kept((TUBE, 1)) == {"budget", "price_max"}
    assert kept((HOPPER, 1), (TUBE, 1)) == {"quantity"}
    assert kept() == kept((BATH, 1)) == set(), "other things keep no limit of a want"


def test_whoever_read_a_record_decides_whether_a_cart_keeps_a_demand() -> None:
    read = Decision(
        want="feeder",
        demand="cedar",
        product_id=TUBE.product_id,
        record_sha=record_sha(TUBE),
        state="met",
        by="model:a",
    )
    recalled = Fact(product_id=TUBE.product_id, fact="recalled", source="W:1")
    decisions = Decisions(Gold(query_id="q", decisions=(read,), facts=(recalled,)))
    (cedar,) = (part for part in WISH.parts() if part.field == "must")
    picks = [Pick(product=TUBE.product_id)]
    assert not keeps(cedar, WISH, picks, KNOWN, would_do)
    assert keeps(cedar, WISH, picks, KNOWN, lambda want: would_do(want, decisions.without_facts())), (
        "though it was recalled"
    )


HIDDEN = (
    Hidden(field="budget", topic="budget", say="$45."),
    Hidden(field="must", index=0, value="cedar", topic="feature", say="Cedar."),
    Hidden.model_validate(
        {"field": "quantity", "index": 0, "topic": "quantity", "from": "record"}
        | {"say": "Two.", "shown_by": ["O:1", "O:2"]}
    ),
)
QUERY = Query(query_id="q", text="?", source="t", wish=WISH, hidden=HIDDEN)
BUDGET, CEDAR = ("budget", None, None), ("must", 0, "cedar")
TWO, PRICE = ("quantity", 0, None), ("price_max", 0, None)


def measured(
    *topics: Topic, seen: Collection[str] = (), kept: Collection[Key] = (), intent: Any = "asked"
) -> dict[str, float | None]:
    limits = {part.key: part.key in kept for part in WISH.parts() if part.field != "deadline"}
    found = measures(QUERY, intent, releases(QUERY, topics), frozenset(seen), limits)
    return {name: share.value for name, share in found.items()}


def test_what_was_asked_for_and_kept_is_counted_by_how_it_could_be_known() -> None:
    found = measured("budget", "use", "budget", seen=["O:2"], kept=[PRICE, CEDAR])
    assert found == {
        **{"intent_recall": 0.5, "kept_visible": 1.0, "kept_asked": 0.5, "kept_record": 0.0, "record_seen": 1.0},
        **{"lost": 1.0, "lucky": 0.5, "useless": pytest.approx(2 / 3), "questions": 3.0},
    }


def test_nobody_who_cannot_ask_has_a_recall() -> None:
    assert measured(intent="mute")["intent_recall"] is None
    assert measures(QUERY, "told", [], frozenset(), {})["intent_recall"].reason == CANNOT_ASK
    told_all = measured(intent="told", kept=[BUDGET, CEDAR])
    assert (told_all["lost"], told_all["lucky"]) == (pytest.approx(1 / 3), None)
    assert (measured()["useless"], measured()["intent_recall"]) == (None, 0.0), "nothing was asked"
    assert measured(kept=[TWO])["lucky"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("agent", "intent"), [("null_search", "mute"), ("oracle", "mute"), ("ask_all", None)])
def test_of_floors_one_alone_can_ask(agent: str, intent: str | None) -> None:
    assert intent_of(SYSTEM.model_copy(update={"agent": agent})) == intent
