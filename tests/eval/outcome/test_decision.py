"""What a declared outcome comes to beside a proof, and what shows that a run could know."""

from typing import Any

import pytest

from drretail.eval.judging.session import CODE_JUDGE
from drretail.eval.metric import Value
from drretail.eval.outcome.decision import Decided, decide, task_of
from drretail.eval.outcome.score import METRIC, values
from drretail.eval.outcome.shown import is_shown
from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.listing import listing_of
from drretail.records.money import Money
from drretail.records.query import Proof, Query, Reference
from drretail.records.reading import Outcome
from drretail.records.run import Step
from drretail.records.score import Verdict
from drretail.records.wish import Want, Wish
from tests.shop import PRODUCTS

FEEDER = Want(name="feeder", kinds=("bird feeder",))
TUBE, HOPPER, WINDOW, BATH = PRODUCTS
KNOWN = {product.product_id: product for product in PRODUCTS}


def referenced(wish: Wish) -> Reference:
    """In a shop of two feeders with prices and a bath."""
    offers = [listing_of(it) for it in (TUBE, HOPPER)]
    offered = [offers if want == FEEDER else [] for want in wish.wants]
    return reference_of(Query(query_id="q", text="?", source="t", wish=wish), offered, could_be=offered)


CHEAP = Wish(wants=(FEEDER,), budget=Money.of(20))
KAYAK = Wish(wants=(Want(name="kayak", kinds=("kayak",)),))


def proof_of(wish: Wish) -> Proof:
    proof = referenced(wish).proof
    assert proof is not None
    return proof


def test_a_refusal_is_right_for_the_reason_that_is_proved_and_offers_the_nearest() -> None:
    proof = proof_of(CHEAP)
    assert (proof.state, proof.lack) == ("proved", "too_dear")
    refusal = Outcome(decision="none", because=("too_dear",), nearest=(TUBE.product_id,))
    found = decide(refusal, proof, [TUBE])
    assert (found.refused, found.bought, found.reason, found.nearest) == (True, False, True, 1.0)
    dearer = decide(refusal, proof, [HOPPER])
    assert dearer.nearest == pytest.approx(24.99 / 39.5)
    assert decide(Outcome(decision="none", because=("owned",)), proof, []).nearest == 0
    assert decide(Outcome(decision="none", because=("owned",)), proof, []).reason is False
    assert decide(refusal, proof, [WINDOW]).nearest == 0


def test_what_is_bought_or_not_declared_is_no_refusal() -> None:
    bought = decide(Outcome(decision="buy"), proof_of(CHEAP), [])
    assert (bought.refused, bought.bought, bought.reason) == (False, True, None)
    assert decide(None, proof_of(CHEAP), []).declared is False


def test_a_refusal_earns_by_what_shows_it_and_by_what_it_offers() -> None:
    refusal = Decided(state="proved", declared=True, refused=True, bought=False, nearest=0.5, shown=True)
    assert task_of(refusal) == 0.75
    assert task_of(refusal.model_copy(update={"shown": False})) == 0
    assert task_of(refusal.model_copy(update={"bought": True})) == 0
    assert task_of(refusal.model_copy(update={"nearest": None})) == 1


def step(name: str, *products: Any, **args: Any) -> Step:
    evidence = tuple(f"P:{product.product_id}" for product in products)
    return Step.model_validate(
        {"path": "0", "seq": 0, "kind": "tool", "role": "researcher", "name": name, "args": args, "evidence": evidence}
    )


def shown(wish: Wish, *steps: Step) -> bool:
    return is_shown(wish, referenced(wish), steps, KNOWN, "U1")


def search(*products: Any, **args: Any) -> Step:
    return step("product_catalog_search", *products, **args)


def test_too_dear_is_shown_by_the_kind_sorted_by_price_or_bounded_by_one() -> None:
    assert shown(CHEAP, search(BATH, TUBE, HOPPER, query="bird feeder", sort_by="price"))
    assert not shown(CHEAP, search(TUBE, HOPPER, query="bird feeder"))
    assert not shown(CHEAP, search(TUBE, query="bird feeder", sort_by="price", order="desc"))
    assert not shown(CHEAP, search(TUBE, query="bath", sort_by="price"))
    assert shown(CHEAP, search(query="feeder for a bird", price_max=20))
    assert not shown(CHEAP, search(query="bird feeder", price_max=10))


def test_what_is_not_sold_is_shown_by_a_search_for_it_alone() -> None:
    assert shown(KAYAK, search(BATH, query="inflatable kayak"))
    words = "we have a lake nearby and a kayak would be nice under fifty dollars"
    assert not shown(KAYAK, search(BATH, query=words))
    assert not shown(KAYAK)


def test_an_order_is_shown_by_a_look_at_it_or_at_all_orders() -> None:
    wish = Wish(wants=(FEEDER,), orders=("1111111111",))
    assert shown(wish, step("get_order_details", order_id="O:1111111111"))
    assert shown(wish, step("get_user_orders", user_id="U1"))
    assert not shown(wish, step("get_user_orders", user_id="U2"))


def test_j_is_the_difference_of_two_shares() -> None:
    reports = [
        decide(Outcome(decision="none"), proof_of(CHEAP), []),
        decide(Outcome(decision="buy"), proof_of(CHEAP), []),
    ]
    refuted = Proof(state="refuted")
    reports += [decide(Outcome(decision="none"), refuted, []), *[decide(Outcome(decision="buy"), refuted, [])] * 3]
    parts = [METRIC.pooled("J", {value.variant: value for value in valued(report)}) for report in reports]
    shares = [sum(top for top, _ in part) / sum(count for _, count in part) for part in zip(*parts, strict=True)]
    assert sum(shares) / 2 == pytest.approx(1 / 2 - 1 / 4)


def valued(decided: Decided) -> list[Value]:
    verdict = Verdict(
        metric="outcome",
        version=1,
        stage="decide",
        item="report",
        run_id="a/q1-r1",
        report_sha="r",
        judge=CODE_JUDGE.ref,
        state="scored",
        value=decided.model_dump(mode="json"),
    )
    return values([verdict])
