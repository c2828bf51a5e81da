"""What is found wrong with picks, from records alone."""

from typing import Any

from drretail.grounding.verify.findings import Asked, is_one_of, pick_findings, source_findings
from drretail.grounding.verify.records import read_ledger
from drretail.records.money import Money
from drretail.records.query import Constraints
from drretail.records.reading import Pick
from tests.grounding.kitchen import EVIDENCE, GOODS, JAR, KETTLE, MUGS, PAN, SCALE, TOWELS, K, a_product


def codes(
    *picks: Pick, cited: tuple[str, ...] | None = None, goods: Any = GOODS, known: bool = True, **asked: Any
) -> list[tuple[str, str]]:
    fields = {key: asked.pop(key) for key in ("things", "owned", "again") if key in asked}
    found = pick_findings(
        picks,
        report="",
        cited=[f"P:{it}" for it in goods] if cited is None else cited,
        asked=Asked(Constraints(**asked), **fields),
        ledger=read_ledger(EVIDENCE, products=goods),
        catalog=goods,
        quantities_known=known,
    )
    return [(it.code, it.severity) for it in found]


def a_pick(item: Any, quantity: int = 1, *others: Any) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(it.product_id for it in others))


def test_a_sound_pick_has_no_finding() -> None:
    assert codes(a_pick(KETTLE), a_pick(TOWELS), budget=Money.of(75), things=("kettle", "towels")) == []


def test_a_pick_of_what_the_shop_has_not() -> None:
    assert codes(Pick(product="B0NOWHERE0")) == [("not_in_catalog", "error")]


def test_a_pick_that_the_report_never_cites_is_not_argued() -> None:
    assert codes(a_pick(KETTLE), cited=("P:other",)) == [("pick_not_argued", "error")]
    assert codes(a_pick(KETTLE, 1, PAN), cited=(f"P:{PAN.product_id}",)) == []


def test_a_pick_of_what_the_user_has() -> None:
    owned = frozenset({SCALE.product_id})
    assert codes(a_pick(SCALE), owned=owned) == [("recommended_although_owned", "warning")]
    ruled_out = Asked(Constraints(owned=(KETTLE.product_id,)), owned=owned)
    cited, ledger = [f"P:{SCALE.product_id}"], read_ledger(EVIDENCE, products=GOODS)
    (found,) = pick_findings([a_pick(SCALE)], report="", cited=cited, asked=ruled_out, ledger=ledger)
    assert found.severity == "error"
    assert codes(a_pick(SCALE), owned=owned, again=True) == []


def test_a_pick_of_a_brand_that_is_ruled_out() -> None:
    assert codes(a_pick(PAN), brands_unwanted=("fennick",)) == [("unwanted_brand", "error")]


def test_picks_above_the_budget_count_with_their_quantities_and_without_alternatives() -> None:
    assert codes(a_pick(KETTLE, 2), budget=Money.of(75)) == [("over_budget", "error")]
    assert codes(a_pick(KETTLE, 1, PAN), budget=Money.of(75)) == []
    assert codes(a_pick(KETTLE), a_pick(PAN), budget=Money.of(40), budget_scope="per_item") == [
        ("over_budget", "error")
    ]


def test_an_unknown_price_and_another_currency_are_no_cost() -> None:
    assert codes(a_pick(JAR), a_pick(KETTLE), budget=Money.of(43)) == []
    assert codes(a_pick(KETTLE), budget=Money.of(10, "EUR")) == []


def test_a_pick_that_is_not_what_was_asked_for_is_a_warning() -> None:
    book = a_product("B", "Jiu-Jitsu University", 20.0, 4.8, 900, "Victory").model_copy(
        update={"category": "Books", "categories": ("Books", "Sports")}
    )
    goods = {**GOODS, book.product_id: book}
    assert codes(a_pick(book), goods=goods, things=("kitchen towels",)) == [("wrong_thing", "warning")]


def test_stems_are_shared_leniently() -> None:
    pruner = a_product("R", "Bypass Pruners", 20.0, 4.8, 900, "Larkfield")
    light = a_product("L", "Plug-in Night Light", 20.0, 4.8, 900, "Glow")
    assert is_one_of(pruner, ["pruning shears"])
    assert is_one_of(light, ["nightlight"])
    assert not is_one_of(light, ["for the garden hose"])


def test_fewer_than_asked_for_is_an_error_and_packs_count() -> None:
    assert codes(a_pick(SCALE), quantities={"kitchen scale": 2}) == [("quantity_wrong", "error")]
    assert codes(a_pick(SCALE, 2), quantities={"kitchen scale": 2}) == []
    assert codes(a_pick(SCALE, 3), quantities={"kitchen scale": 2}) == [("quantity_wrong", "warning")]
    assert codes(a_pick(TOWELS), quantities={"kitchen towel": 6}) == []
    assert codes(a_pick(MUGS), quantities={"mug": 4}) == []
    assert codes(a_pick(SCALE), quantities={"kitchen scale": 2}, known=False) == []


def test_a_listing_that_says_it_is_unavailable() -> None:
    gone = KETTLE.model_copy(update={"details": {"Availability": "Currently unavailable"}})
    assert codes(a_pick(gone), goods={**GOODS, gone.product_id: gone}) == [("unavailable", "error")]


def test_sources_that_do_not_exist() -> None:
    report = f"Good {K}. Better [P:B0NOWHERE0]. Best [W:zzzzzzzz]."
    found = source_findings(report, EVIDENCE, GOODS)
    assert [(it.code, it.said) for it in found] == [
        ("unresolved_citation", "[P:B0NOWHERE0]"),
        ("not_in_catalog", "[P:B0NOWHERE0]"),
        ("unresolved_citation", "[W:zzzzzzzz]"),
    ]
