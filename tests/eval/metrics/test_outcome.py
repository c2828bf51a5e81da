"""What a declared outcome comes to beside a proof, and what shows that a run could know."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.baskets import Decided, decide, decided_by, keep_references
from drretail.eval.metric import Value
from drretail.eval.metrics.outcome import METRIC, values
from drretail.eval.scores.gathering import gather
from drretail.grounding.basket import reference_of
from drretail.grounding.listing import listing_of
from drretail.grounding.report.picks import take_picks
from drretail.grounding.text.serialisation import compact_json
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.findings import Research
from drretail.records.evidence import Evidence
from drretail.records.query import Proof, Query, Reference
from drretail.records.reading import REASONS, Because, Outcome, Pick
from drretail.records.run import PICKS_UNREADABLE, Step
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.shop import PRODUCTS

FEEDER = Want(name="feeder", kinds=("bird feeder",))
TUBE, HOPPER, WINDOW, BATH = PRODUCTS
KNOWN = {product.product_id: product for product in PRODUCTS}


def referenced(wish: Wish) -> Reference:
    """In a shop of two feeders with prices and a bath."""
    offers = [listing_of(each) for each in (TUBE, HOPPER)]
    offered = [offers if want == FEEDER else [] for want in wish.wants]
    return reference_of(Query(query_id="q", text="?", source="t", wish=wish), offered, could_be=offered)


CHEAP = Wish(wants=(FEEDER,), budget=Money.of(20))
KAYAK = Wish(wants=(Want(name="kayak", kinds=("kayak",)),))


def proof_of(wish: Wish) -> Proof:
    return build.known(referenced(wish).proof)


def decided(outcome: Outcome | None, *offered: Any, wish: Wish = CHEAP, picks: Sequence[Pick] = ()) -> Decided:
    return decide(outcome, referenced(wish), proof_of(wish), [(each, each.product_id) for each in offered], picks)


def test_a_refusal_is_right_for_the_reason_that_is_proved_and_offers_the_nearest() -> None:
    proof = proof_of(CHEAP)
    assert (proof.state, proof.lack) == ("proved", "too_dear")
    refusal = Outcome(decision="none", because=("too_dear",), nearest=(TUBE.product_id,))
    found = decided(refusal, TUBE)
    assert (found.refused, found.bought, found.reason, found.nearest) == (True, False, 1.0, 1.0)
    assert decided(refusal, HOPPER).nearest == pytest.approx(24.99 / 39.5)
    assert decided(Outcome(decision="none", because=("owned",))).nearest == 0
    assert decided(Outcome(decision="none", because=("owned",))).reason == 0
    assert decided(Outcome(decision="none", because=("owned", "too_dear"))).reason == 0.5
    assert (decided(refusal, WINDOW).nearest, decided(refusal, BATH).nearest) == (0, 0)


def test_a_part_refuses_only_where_the_picks_leave_something_out() -> None:
    part, tube = Outcome(decision="part", because=("too_dear",)), Pick(product=TUBE.product_id)
    assert decided(part, picks=[tube]).refused is False
    both = Wish(wants=(FEEDER, *KAYAK.wants))
    assert decided(part, wish=both, picks=[tube]).refused is True
    ordered = Wish(wants=(FEEDER,), orders=("1111111111",))
    of_order = Outcome(decision="part", because=("no_such_order",))
    assert decided(of_order, wish=ordered, picks=[tube]).refused is True


def step(name: str, *products: Any, **args: Any) -> Step:
    evidence = tuple(f"P:{product.product_id}" for product in products)
    return Step.model_validate(
        {"path": "0", "seq": 0, "kind": "tool", "role": "researcher", "name": name, "args": args, "evidence": evidence}
    )


def shown(wish: Wish, *steps: Step) -> bool:
    reference = referenced(wish)
    lack: Because | None = build.known(reference.proof).lack
    assert lack is not None
    return Research(wish, reference, steps, KNOWN, "U1").shows(lack)


def search(*products: Any, **args: Any) -> Step:
    return step("product_catalog_search", *products, **args)


def test_too_dear_is_shown_by_the_kind_sorted_by_price_or_bounded_by_one() -> None:
    assert shown(CHEAP, search(BATH, TUBE, HOPPER, query="bird feeder", sort_by="price"))
    assert not shown(CHEAP, search(TUBE, HOPPER, query="bird feeder"))
    assert not shown(CHEAP, search(TUBE, query="bird feeder", sort_by="price", order="desc"))
    assert not shown(CHEAP, search(TUBE, query="bath", sort_by="price"))
    assert shown(CHEAP, search(query="feeder for a bird", price_max=20))
    assert not shown(CHEAP, search(query="bird feeder", price_max=10))
    assert not shown(CHEAP, search(query="bird feeder", price_min=40, sort_by="price"))
    assert not shown(CHEAP, search(query="bird feeder", price_max=20, rating_min=5))
    assert not shown(CHEAP, search(query="bird feeder xyz", match="all", price_max=20))


def test_what_is_not_sold_is_shown_by_a_search_for_it_and_an_order_by_a_look_at_it() -> None:
    assert shown(KAYAK, search(BATH, query="inflatable kayak"))
    assert not shown(KAYAK, search(query="kayak", price_max=0.01))
    assert not shown(KAYAK, search(query="kayak qwerty", match="all"))
    words = "we have a lake nearby and a kayak would be nice under fifty dollars"
    assert not shown(KAYAK, search(BATH, query=words))
    assert not shown(KAYAK)

    wish = Wish(wants=(FEEDER,), orders=("1111111111",))
    assert shown(wish, step("get_order_details", order_id="O:1111111111"))
    assert shown(wish, step("get_user_orders", user_id="U1"))
    assert not shown(wish, step("get_user_orders", user_id="U2"))
    assert not shown(wish, step("get_user_orders", user_id="U1", limit=0))


def test_a_refusal_is_right_beside_a_proof_false_beside_a_refutation_and_j_the_difference_of_the_shares() -> None:
    def numbers(found: Decided) -> dict[str, float | None]:
        names = ("refusal_recall", "false_refusal", "bought_anyway", "undeclared")
        by_name = {value.variant: value.value for value in valued(found)}
        return {name: by_name[name] for name in names if by_name.get(name) is not None}

    none, buy, refuted = Outcome(decision="none"), Outcome(decision="buy"), Proof(state="refuted")
    assert numbers(decided(none)) == {"refusal_recall": 1, "bought_anyway": 0, "undeclared": 0}
    assert numbers(decided(None)) == {"refusal_recall": 0, "bought_anyway": 0, "undeclared": 1}
    bought = decided(buy, picks=[Pick(product=TUBE.product_id)])
    assert numbers(bought) == {"refusal_recall": 0, "bought_anyway": 1, "undeclared": 0}
    assert numbers(decide(none, referenced(CHEAP), refuted, [], [])) == {"false_refusal": 1, "undeclared": 0}

    reports = [decided(none), decided(buy)]
    reports += [decide(outcome, referenced(CHEAP), refuted, [], []) for outcome in (none, buy, buy, buy)]
    parts = [METRIC.pooled["J"]({value.variant: value for value in valued(report)}) for report in reports]
    shares = [sum(top for top, _ in part) / sum(count for _, count in part) for part in zip(*parts, strict=True)]
    assert sum(shares) / 2 == pytest.approx(1 / 2 - 1 / 4)


ORDER = "1111111111"
TWINS = {
    "order": (Wish(wants=(FEEDER,), orders=(ORDER,)), (), Wish(wants=(FEEDER,), orders=(ORDER,)), (ORDER,)),
    "dear": (CHEAP, (), Wish(wants=(FEEDER,), budget=Money.of(30)), ()),
    "unknown": (KAYAK, (), Wish(wants=(FEEDER,)), ()),
}
"""A wish that can't be met with the orders that the shopper made, and its twin that can."""
CART = f"P:{TUBE.product_id} x 1"
LOOKS = (
    search(TUBE, HOPPER, query="bird feeder", sort_by="price"),
    search(query="kayak"),
    step("get_user_orders", user_id="U1"),
)


def outcome_of_run(block: str, steps: Sequence[Step], wish: Wish, made: Sequence[str]) -> Decided:
    listed = tuple(f"O:{order}" for order in made)
    steps = [each.model_copy(update={"evidence": listed}) if each.name == "get_user_orders" else each for each in steps]
    found = take_picks(f"```picks\n{block}\n```")
    run = build.run("q1-r1", "Look.", None).model_copy(
        update={"picks": found.picks, "outcome": found.outcome, "steps": tuple(steps)}
    )
    if found.picks is None:
        run = run.model_copy(update={"notes": (f"{PICKS_UNREADABLE}: {found.problem}",)})
    query = Query(query_id="q1", text="?", source="t", wish=wish, user_id="U1")
    offers = [listing_of(each) for each in (TUBE, HOPPER)]
    offered = [offers if want.kinds == FEEDER.kinds else [] for want in wish.wants]
    reference = reference_of(query, offered, could_be=offered, orders=made)
    case = Case(report="Look.", evidence={}, query=query, picks=run.picks, run=run, lookup=lambda ids: KNOWN)
    return build.known(decided_by(case, reference, KNOWN))


@pytest.mark.parametrize("steps", [(), LOOKS], ids=["idle", "looking"])
@pytest.mark.parametrize(
    "block",
    [
        f"{CART}\nnone: no_such_order",
        f"{CART}\norder {ORDER}: none: no_such_order",
        f"{CART}\nnone: too_dear",
        f"{CART}\nfeeder: none: demands",
        f"{CART}\nthe rest: none: {', '.join(REASONS)}",
        f"none: {', '.join(REASONS)}",
        "none: no_such_order",
        "none",
    ],
)
def test_a_hedge_written_under_every_answer_wins_nothing(block: str, steps: tuple[Step, ...]) -> None:
    recall, false = [], []
    for unmet, made, met, made_of_twin in TWINS.values():
        of_unmet = outcome_of_run(block, steps, unmet, made)
        of_met = outcome_of_run(block, steps, met, made_of_twin)
        assert (of_unmet.state, of_met.state) == ("proved", "refuted")
        recall.append(of_unmet.refused)
        false.append(of_met.refused)
    assert sum(recall) <= sum(false)


def test_each_other_reason_has_an_evidence_of_its_own() -> None:
    wish = Wish(wants=(FEEDER,))
    reference = referenced(wish).model_copy(update={"left_out": (TUBE.product_id,), "warnings": ("W:1",)})
    open_fit = reference.things[0].fits[0].model_copy(update={"open": ("soft",)})
    reference = reference.model_copy(
        update={"things": (reference.things[0].model_copy(update={"fits": (), "undecided": (open_fit,)}),)}
    )

    def research(*evidence: Evidence, steps: Sequence[Step] = (), asked: Wish = wish) -> Research:
        return Research(asked, reference, steps, KNOWN, "U1", {entry.id: entry for entry in evidence})

    page = build.evidence("W:1")
    records = ({"product_id": each.product_id, "order_date": "2023-01-02"} for each in (TUBE, BATH))
    order, other = (build.evidence("O:1", build.text(compact_json(record))) for record in records)
    assert research(page).shows("unsafe")
    assert not research(order).shows("unsafe")
    assert research(order).shows("owned")
    assert research(asked=wish.model_copy(update={"owned": (TUBE.product_id,)})).shows("owned")
    assert not research(other).shows("owned")
    opened = KNOWN[open_fit.product_id]
    assert research(steps=[step("get_product_details", opened)]).shows("not_said")
    assert not research(steps=[search(opened, query="feeder"), step("get_product_details", BATH)]).shows("not_said")


def test_a_refusal_because_no_record_says_so_is_right_where_none_does_and_false_where_one_does() -> None:
    soft = Want.model_validate({**FEEDER.model_dump(), "must": ("soft",)})
    steps = [*LOOKS, step("get_product_details", TUBE)]
    found = outcome_of_run("none: not_said", steps, Wish(wants=(soft,)), ())
    assert (found.state, found.declared, found.not_said) == ("open", True, True)
    by_name = {value.variant: value.value for value in valued(found)}
    assert (by_name["not_said"], by_name["J"], by_name["false_refusal"]) == (1, None, None)
    assert outcome_of_run("none: not_said", (), Wish(wants=(soft,)), ()).not_said is False
    assert outcome_of_run(CART, steps, Wish(wants=(soft,)), ()).not_said is False
    assert outcome_of_run("none: not_said", steps, Wish(wants=(FEEDER,)), ()).refused is True


def test_an_agent_that_looks_and_refuses_what_cannot_be_had_is_right() -> None:
    blocks = {
        "order": f"{CART}\norder {ORDER}: none: no_such_order",
        "dear": "none: too_dear",
        "unknown": "none: not_sold",
    }
    for name, (unmet, made, met, made_of_twin) in TWINS.items():
        found = outcome_of_run(blocks[name], LOOKS, unmet, made)
        assert (found.declared, found.refused, found.reason) == (True, True, 1)
        assert not outcome_of_run(CART, LOOKS, met, made_of_twin).refused
        assert not outcome_of_run(blocks[name], (), unmet, made).declared, "without a look"


def test_a_failed_run_refuses_nothing_where_the_query_s_proof_says_what_is_right(tmp_path: Path) -> None:
    wishes = {"q1": CHEAP, "q2": Wish(wants=(FEEDER,)), "q3": None}
    queries = [Query(query_id=name, text="?", source="t", wish=wish) for name, wish in wishes.items()]
    folder = build.experiment(tmp_path, {build.LABEL: dict.fromkeys(("q1-r1", "q2-r1", "q3-r1"))}, queries=queries)
    keep_references(folder, {name: referenced(wish) for name, wish in wishes.items() if wish is not None})
    nought = {
        plan.query.query_id: {variant: value.value for variant, value in plan.without_report["outcome"].items()}
        for plan in gather(folder, [METRIC]).plans
    }
    assert nought == {
        "q1": {"J": 0, "refusal_recall": 0, "false_refusal": None},
        "q2": {"J": 0, "refusal_recall": None, "false_refusal": 0},
        "q3": {"J": None, "refusal_recall": None, "false_refusal": None},
    }


def valued(decided: Decided) -> list[Value]:
    verdict = build.verdict("outcome", "decide", "report", decided.model_dump(mode="json"))
    return values([verdict])
