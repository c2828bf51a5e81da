"""What is found wrong with picks, from records alone."""

from typing import Any

from drretail.grounding.verify.findings import pick_findings, source_findings
from drretail.grounding.verify.records import read_ledger
from drretail.records.money import Money
from drretail.records.reading import Pick
from drretail.records.wish import Want, Wish
from tests.grounding.kitchen import EVIDENCE, GOODS, JAR, KETTLE, MUGS, PAN, SCALE, TOWELS, K, a_product

ANY = ("kettle", "pan", "kitchen towel", "kitchen scale", "mug", "cookie jar")


def wanted(*kinds: str, **limits: Any) -> Want:
    return Want(name=" or ".join(kinds), kinds=kinds, **limits)


def codes(
    *picks: Pick,
    wants: tuple[Want, ...] | None = None,
    owned: tuple[str, ...] = (),
    cited: tuple[str, ...] | None = None,
    goods: Any = GOODS,
    known: bool = True,
    **wish: Any,
) -> list[tuple[str, str]]:
    """What is found of picks of whatever the kitchen sells, as many as are picked, or of these wants."""
    pieces = sum(pick.quantity for pick in picks)
    found = pick_findings(
        picks,
        report="",
        cited=[f"P:{key}" for key in goods] if cited is None else cited,
        wish=Wish(wants=(wanted(*ANY, quantity=pieces),) if wants is None else wants, **wish),
        owned=owned,
        ledger=read_ledger(EVIDENCE, products=goods),
        catalog=goods,
        are_complete=known,
    )
    return [(finding.code, finding.severity) for finding in found]


def a_pick(item: Any, quantity: int = 1, *others: Any) -> Pick:
    return Pick(product=item.product_id, quantity=quantity, alternatives=tuple(other.product_id for other in others))


def test_a_sound_cart_has_no_finding() -> None:
    wants = (wanted("kettle"), wanted("kitchen towel"))
    assert codes(a_pick(KETTLE), a_pick(TOWELS), wants=wants, budget=Money.of(75)) == []


def test_a_pick_of_what_the_shop_has_not() -> None:
    assert codes(Pick(product="B0NOWHERE0")) == [("not_in_catalog", "error"), ("want_left_out", "warning")]


def test_a_pick_that_the_report_never_cites_is_not_argued() -> None:
    assert codes(a_pick(KETTLE), cited=("P:other",)) == [("pick_not_argued", "error")]
    assert codes(a_pick(KETTLE, 1, PAN), cited=(f"P:{PAN.product_id}",)) == []


def test_a_pick_of_what_the_user_has_is_wrong_unless_one_more_is_wanted() -> None:
    owned = (SCALE.product_id,)
    assert codes(a_pick(SCALE), owned=owned) == [("recommended_although_owned", "error")]
    assert codes(a_pick(SCALE), owned=owned, wants=(wanted("kitchen scale", again=True),)) == []


def test_a_pick_of_a_brand_that_is_ruled_out() -> None:
    assert codes(a_pick(PAN), wants=(wanted("pan", brands_unwanted=("fennick",)),)) == [("unwanted_brand", "error")]
    assert codes(a_pick(PAN), wants=(wanted("pan"), wanted("mug", brands_unwanted=("fennick",), optional=True))) == []


def test_the_whole_cart_counts_against_the_budget_and_alternatives_do_not() -> None:
    assert codes(a_pick(KETTLE, 2), budget=Money.of(75)) == [("over_budget", "error")]
    assert codes(a_pick(KETTLE, 1, PAN), budget=Money.of(75)) == []
    kettle = wanted("kettle", price_max=Money.of(40))
    assert codes(a_pick(KETTLE), wants=(kettle,)) == [("over_budget", "error")]
    assert codes(a_pick(KETTLE), a_pick(PAN), wants=(kettle, wanted("pan"))) == [("over_budget", "error")]


def test_a_pick_of_unknown_price_is_wrong_only_where_prices_are_limited() -> None:
    assert codes(a_pick(JAR), a_pick(KETTLE), budget=Money.of(43)) == [("price_unknown", "error")]
    assert codes(a_pick(JAR), a_pick(KETTLE)) == []


def test_a_pick_below_the_stars_or_the_number_of_ratings_asked_for() -> None:
    scale = wanted("kitchen scale", rating_min=4.3)
    assert codes(a_pick(SCALE), wants=(scale,)) == [("below_rating", "error")]
    assert codes(a_pick(SCALE), wants=(wanted("kitchen scale", ratings_min=100),)) == [("below_rating", "error")]
    assert codes(a_pick(SCALE), wants=(wanted("kitchen scale", rating_min=4, ratings_min=98),)) == []
    unrated = SCALE.model_copy(update={"average_rating": None})
    goods = {**GOODS, unrated.product_id: unrated}
    assert codes(a_pick(unrated), goods=goods, wants=(scale,)) == [("below_rating", "warning")]


def test_a_pick_that_nobody_wants_is_an_error_unless_its_record_has_a_word_of_the_kind() -> None:
    book = a_product("B", "Jiu-Jitsu University", 20.0, 4.8, 900, "Victory").model_copy(
        update={"category": "Books", "categories": ("Books", "Sports")}
    )
    rack = a_product("R", "Wall Rack for Kitchen Towels", 20.0, 4.8, 900, "Victory")
    goods = {**GOODS, book.product_id: book, rack.product_id: rack}
    towels = (wanted("kitchen towel"),)
    assert codes(a_pick(TOWELS), a_pick(book), goods=goods, wants=towels) == [("not_wanted", "error")]
    assert codes(a_pick(TOWELS), a_pick(rack), goods=goods, wants=towels) == [("not_wanted", "warning")]
    assert codes(a_pick(TOWELS), a_pick(book), goods=goods, wants=towels, room=True) == []


def test_any_pick_is_wrong_where_nothing_is_to_be_bought() -> None:
    assert codes(a_pick(KETTLE), wants=()) == [("not_wanted", "error")]


def test_a_second_product_for_one_want_is_not_wanted() -> None:
    pan = a_product("Q", "Aldbrook Carbon Steel Pan", 20.0, 4.8, 900, "Aldbrook")
    goods = {**GOODS, pan.product_id: pan}
    assert codes(a_pick(PAN), a_pick(pan), goods=goods, wants=(wanted("pan"),)) == [("not_wanted", "error")]


def test_a_want_left_out_of_a_cart_is_an_error_and_an_empty_cart_leaves_nothing_out() -> None:
    both = (wanted("kettle"), wanted("lawn mower"))
    assert codes(a_pick(KETTLE), wants=both) == [("want_left_out", "error")]
    assert codes(a_pick(KETTLE), wants=(wanted("kettle"), wanted("lawn mower", optional=True))) == []
    assert codes(wants=both) == []
    assert codes(a_pick(KETTLE), wants=both, known=False) == [("want_left_out", "warning")]


def test_quantities_are_of_listings_and_packs_are_open() -> None:
    two = (wanted("kitchen scale", quantity=2),)
    assert codes(a_pick(SCALE), wants=two) == [("quantity_wrong", "error")]
    assert codes(a_pick(SCALE, 2), wants=two) == []
    assert codes(a_pick(SCALE, 3), wants=two) == [("quantity_wrong", "error")]
    assert codes(a_pick(SCALE), wants=two, known=False) == []
    assert codes(a_pick(TOWELS), wants=(wanted("kitchen towel", quantity=6),)) == []
    assert codes(a_pick(MUGS), wants=(wanted("mug", quantity=4),)) == []
    assert codes(a_pick(MUGS, 5), wants=(wanted("mug", quantity=4),)) == []
    dozen = a_product("D", "Fennick Egg Cups, Dozen", 9.0, 4.5, 300, "Fennick")
    assert codes(a_pick(dozen), wants=(wanted("egg cup", quantity=12),), goods={**GOODS, dozen.product_id: dozen}) == []


def test_a_quantity_counts_on_the_want_that_it_belongs_to() -> None:
    rack = a_product("R", "Fennick Mug Rack Set, Wood", 19.0, 4.5, 300, "Fennick")
    goods, wants = {**GOODS, rack.product_id: rack}, (wanted("mug", quantity=2), wanted("mug rack"))
    assert codes(a_pick(MUGS, 2), a_pick(rack), wants=wants, goods=goods) == []
    assert codes(a_pick(MUGS, 2), a_pick(rack, 2), wants=wants, goods=goods) == [("quantity_wrong", "error")]


def test_of_an_untyped_query_only_what_holds_of_any_pick_is_said() -> None:
    ledger = read_ledger(EVIDENCE, products=GOODS)
    found = pick_findings([a_pick(KETTLE, 9)], report="", cited=[], wish=None, ledger=ledger, catalog=GOODS)
    assert [finding.code for finding in found] == ["pick_not_argued"]


def test_a_listing_that_says_it_is_unavailable() -> None:
    gone = KETTLE.model_copy(update={"details": {"Availability": "Currently unavailable"}})
    assert codes(a_pick(gone), goods={**GOODS, gone.product_id: gone}) == [("unavailable", "error")]


def test_sources_that_do_not_exist() -> None:
    report = f"Good {K}. Better [P:B0NOWHERE0]. Best [W:zzzzzzzz]."
    found = source_findings(report, EVIDENCE, GOODS)
    assert [(finding.code, finding.text) for finding in found] == [
        ("unresolved_citation", "[P:B0NOWHERE0]"),
        ("not_in_catalog", "[P:B0NOWHERE0]"),
        ("unresolved_citation", "[W:zzzzzzzz]"),
    ]
