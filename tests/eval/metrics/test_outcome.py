"""What a decision comes to beside a proof."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.eval.baskets import Decided, decided_by, keep_references, refuses_rightly
from drretail.eval.metric import Value
from drretail.eval.metrics.basket import METRIC as BASKET
from drretail.eval.metrics.outcome import METRIC, decision, values
from drretail.eval.numbers.gathering import gather
from drretail.records.query import Query, Reference
from drretail.records.run import PICKS_UNREADABLE
from drretail.records.shop import Money
from drretail.records.wish import Source, Want, Wish
from drretail.reports.picks import take_picks
from drretail.shopping.basket import reference_of
from drretail.shopping.listing import listing_of
from drretail.shopping.verify.checks import Case
from tests import build
from tests.goods import Known
from tests.shop import PRODUCTS

FEEDER = Want(name="feeder", kinds=("bird feeder",))
TUBE, HOPPER, WINDOW, BATH = PRODUCTS
KNOWN = {product.product_id: product for product in PRODUCTS}


CHEAP = Wish(wants=(FEEDER,), budget=Money.of(20))


def case_of(block: str, wish: Wish) -> tuple[Case, Reference]:
    found = take_picks(f"```picks\n{block}\n```")
    run = build.run("q1-r1", "Look.", None).model_copy(update={"picks": found.picks, "outcome": found.outcome})
    if found.picks is None:
        run = run.model_copy(update={"notes": (f"{PICKS_UNREADABLE}: {found.problem}",)})
    query = Query(query_id="q1", text="?", source="t", wish=wish, user_id="U1")
    offers = [listing_of(each) for each in (TUBE, HOPPER)]
    offered = [offers if want.kinds == FEEDER.kinds else [] for want in wish.wants]
    reference = reference_of(query, offered, could_be=offered)
    return Case(report="Look.", evidence={}, query=query, picks=run.picks, run=run, shop=Known(KNOWN)), reference


def decided(block: str, wish: Wish = CHEAP) -> Decided:
    return build.known(decided_by(*case_of(block, wish)))


CART = f"P:{TUBE.product_id} x 1"
MET = Wish(wants=(FEEDER,))


def test_a_refusal_is_right_beside_a_proof_false_beside_a_refutation_and_j_the_difference_of_the_shares() -> None:
    def numbers(found: Decided) -> dict[str, float]:
        return {
            value.variant: value.value for value in valued(found) if value.value is not None and value.variant != "J"
        }

    assert numbers(decided("none")) == {"refusal_recall": 1, "bought_anyway": 0}
    assert numbers(decided(CART)) == {"refusal_recall": 0, "bought_anyway": 1}
    assert numbers(decided("none", MET)) == {"false_refusal": 1}

    reports = [decided("none"), decided(CART), *(decided(block, MET) for block in ("none", CART, CART, CART))]
    parts = [METRIC.pooled["J"]({value.variant: value for value in valued(report)}) for report in reports]
    shares = [sum(top for top, _ in part) / sum(count for _, count in part) for part in zip(*parts, strict=True)]
    assert sum(shares) / 2 == pytest.approx(1 / 2 - 1 / 4)


def test_a_part_is_refused_if_a_want_is_not_covered_however_many_lines_the_picks_have() -> None:
    feeders = f"{CART}\nP:{HOPPER.product_id} x 1"
    for other, picks, is_refused in (("bath", CART, True), ("bath", feeders, True), ("feeder", feeders, False)):
        wish = Wish(wants=(FEEDER, Want(name="other", kinds=(f"bird {other}",))), budget=Money.of(1))
        assert decided(f"{picks}\nother: none", wish).refused == is_refused, (other, picks)


def test_an_empty_report_refuses_nothing_rightly_and_what_a_page_declines_takes_the_page() -> None:
    page = Source(kind="page", url="https://vets.example/heart", quote="Nobody with a weak heart.")
    for report, block, declined, is_right in (
        ("Look.", "none", (), True),
        (" ", "none", (), False),
        ("Look.", "none", (page,), False),
        (f"See {page.url}.", "none", (page,), True),
        (f"See {page.url}.", CART, (page,), False),
    ):
        case, reference = case_of(block, CHEAP.model_copy(update={"declined": declined}))
        assert refuses_rightly(replace(case, report=report), reference) is is_right, (report, block)


def test_an_open_proof_and_a_wish_without_wants_say_nothing_of_refusals() -> None:
    soft = Want.model_validate({**FEEDER.model_dump(), "must": ("soft",)})
    _, reference = case_of("none", Wish(wants=(soft,)))
    assert build.known(reference.proof).state == "open"
    for wish in (Wish(wants=(soft,)), Wish()):
        case, reference = case_of("none", wish)
        subject = build.subject(build.known(case.run), query=case.query, references={"q1": reference})
        assert decision(subject).state == "na"


def test_a_failed_run_refuses_nothing_where_the_query_s_proof_says_what_is_right(tmp_path: Path) -> None:
    wishes = {"q1": CHEAP, "q2": Wish(wants=(FEEDER,)), "q3": None}
    queries = [Query(query_id=name, text="?", source="t", wish=wish) for name, wish in wishes.items()]
    folder = build.experiment(tmp_path, {build.LABEL: dict.fromkeys(("q1-r1", "q2-r1", "q3-r1"))}, queries=queries)
    keep_references(folder, {name: case_of("none", wish)[1] for name, wish in wishes.items() if wish is not None})
    plans = gather(folder, [METRIC, BASKET]).plans
    nought, bought = (
        {
            plan.query.query_id: {name: each.value for name, each in plan.without_report[metric].items()}
            for plan in plans
        }
        for metric in ("outcome", "basket")
    )
    assert {name: [values["right"], values["feasible"]] for name, values in bought.items()} == {
        "q1": [0, None],
        "q2": [0, 0],
        "q3": [None, None],
    }
    assert nought == {
        "q1": {"J": 0, "refusal_recall": 0, "false_refusal": None},
        "q2": {"J": 0, "refusal_recall": None, "false_refusal": 0},
        "q3": {"J": None, "refusal_recall": None, "false_refusal": None},
    }


def valued(decided: Decided) -> list[Value]:
    verdict = build.verdict("outcome", "decide", "report", decided.model_dump(mode="json"))
    return values([verdict])
