"""Which products are of a kind and would do for a want, decided on records."""

from typing import Any

import pytest

from drretail.grounding.basket import Candidates
from drretail.grounding.constraints import UNDECIDED, Decisions, decided_by_field, priced_in, record_sha
from drretail.grounding.listing import is_of_kind, listing_of
from drretail.records.criteria import Decision, Gold, State
from drretail.records.shop import Money, Product
from drretail.records.wish import Demand, Want
from tests.grounding.goods import product, want


def fits(of: Want, *products: Product, state: State = "met") -> list[str]:
    return [*Candidates(map(listing_of, products)).keeping(of, UNDECIDED, state).titles]


WATERPROOF = product("W", details={"Waterproof": "Yes"})
LEAKY = product("L", details={"Waterproof": "No"})
SILENT = product("S", features=("Waterproof, says its text",))
DRY = Demand(say="waterproof", field="Waterproof", any_of=("yes",))
LEATHER = Demand(say="leather", field="Material")


def test_a_product_whose_record_is_silent_on_a_demand_does_not_do_and_is_undecided() -> None:
    demanded = want(must=(DRY,)), WATERPROOF, LEAKY, SILENT
    assert (fits(*demanded), fits(*demanded, state="open")) == (["W"], ["S"])
    untyped = want(must=(Demand(say="waterproof", field="Waterproof"),)), WATERPROOF, LEAKY
    assert fits(*untyped, state="open") == ["W", "L"], "nobody has typed whether yes is what is wanted"
    leather, free = product("H", details={"Material": "Leather"}), product("F", details={"Material": "Canvas"})
    unwanted = want(must_not=(LEATHER,)), leather, free, SILENT
    assert (fits(*unwanted), fits(*unwanted, state="open")) == (["F"], ["S"])


def test_a_decision_holds_at_any_price_and_dies_with_the_words_that_were_read() -> None:
    at_ten = product("S", 10, rating_number=5)
    met = Decision(
        want=want().name, demand="waterproof", product_id="S", record_sha=record_sha(at_ten), state="met", by="model:a"
    )
    decisions, of = Decisions(Gold(query_id="q", decisions=(met,))), want(must=("waterproof",))
    moved = product("S", 12, rating_number=9)
    assert decisions.state(of, listing_of(moved)) == "met"
    assert decisions.state(of, listing_of(product("S", 10, features=("Foldable",)))) == "open"


def test_brands_are_wanted_or_not() -> None:
    nordlys, tallow = product("N", store="Nordlys"), product("T", details={"Brand": "Tallow"})
    nameless = product("X", title="Nordlys Feeder, Green")
    assert fits(want(brands_wanted=("NORDLYS", "Ostrava")), nordlys, tallow, nameless, SILENT) == ["N", "X"]
    assert fits(want(brands_unwanted=("nordlys",)), nordlys, tallow, nameless, SILENT) == ["T", "S"]


@pytest.mark.parametrize(
    ("limits", "kept"),
    [({"rating_min": 4}, ["B", "C"]), ({"ratings_min": 50}, ["A", "C"]), ({"rating_min": 4, "ratings_min": 50}, ["C"])],
)
def test_fewer_stars_or_ratings_or_unknown_ones_do_not_do(limits: dict[str, Any], kept: list[str]) -> None:
    rated = (
        product("A", average_rating=3.9, rating_number=50),
        product("B", average_rating=4.0, rating_number=49),
        product("C", average_rating=4.5, rating_number=900),
        SILENT,
    )
    assert fits(want(**limits), *rated) == kept


def test_a_piece_may_cost_so_much_and_an_unknown_or_foreign_price_is_for_the_basket_to_mind() -> None:
    offers = (product("A", 20), product("B", 20.01), product("C", None), product("D", 99, currency="EUR"))
    assert fits(want(price_max=Money.of(20)), *offers) == ["A", "C", "D"]
    assert fits(want(price_max=Money.of(20), quantity=3), *offers) == ["A", "C", "D"]
    least, foreign = (listing_of(product("A", 5, **more)) for more in ({"price_from": True}, {"currency": "EUR"}))
    assert priced_in(least, least.offers[0], None) is None
    assert [priced_in(foreign, foreign.offers[0], currency) for currency in ("USD", None)] == [None, 5]


def test_a_measure_is_compared_in_any_unit_of_its_kind_and_open_without_one_figure() -> None:
    table: tuple[tuple[str, str, State], ...] = (
        ("20 Liters", "litres", "met"),
        ("5.3 gal", "L", "met"),
        ("15,000 ml", "litres", "met"),
        ("3 Quarts", "liter", "broken"),
        ("20", "litres", "open"),
        ("20 pounds", "litres", "open"),
        ("10 x 30 litres", "litres", "open"),
    )
    for value, unit, state in table:
        listing = listing_of(product("A", 5, details={"Capacity": value}))
        demand = Demand(say="at least 15 litres", field="Capacity", least=15, unit=unit)
        assert decided_by_field(demand, listing).state == state, value


def titled(title: str, *path: str) -> Product:
    return Product(product_id="B1", title=title, category="Home_and_Kitchen", categories=("Home & Kitchen", *path))


COFFEE = titled("Brewhaven Caffettiera, 34 oz", "Coffee", "French Presses")
FEEDER = titled("Larkhall Window Bird Feeder for Small Birds, Clear", "Outdoor Decor")
FILTER = titled("French Press Replacement Filter, Stainless Steel")
PAD = titled("Ergonomic Mouse Pad with Wrist Rest for Desk Organizers")
BIB = titled("Silicone Bib, Grey", "Baby", "Bibs & Burp Cloths")
BAGS = map(titled, ("Thimbletot Diaper Bag, Black, 32 L", "Diaper Bag (Grey)", "Diaper Bag Set"))


@pytest.mark.parametrize(
    ("item", "kind", "is_one"),
    [
        # a leaf category and its noun, however they are written
        *((COFFEE, kind, True) for kind in ("French Presses", "french press", "FRENCH  PRESS", "presses")),
        # the noun of the title, where the category does not tell
        *((FEEDER, kind, True) for kind in ("bird feeder", "Feeder", "window bird feeders")),
        (FEEDER, "feeder for birds", False),
        # what holds the words and is another thing
        *((FILTER, "french press", False), (PAD, "desk organizer", False)),
        *((titled("Bird Bath, Stone"), "bird feeder", False), (titled("Dog Bed, Washable"), "bed for cats", False)),
        # number, color, packing and case make no other kind
        *((bag, "diaper bag", True) for bag in BAGS),
        (titled("Women's Rain Boots"), "women's rain boot", True),
        # what a thing is for is no kind, in whichever category it is
        (titled("Battery for JBL Charge 3 Speaker", "Portable Speakers"), "portable speaker", False),
        (titled("Hard Case Fits Sony Bluetooth Speaker (Red)", "Speakers"), "speaker", False),
        (titled("Decal for phone, laptop, water bottle"), "water bottle", False),
        (titled("Bluetooth Speaker for Pools", "Speakers"), "speaker", True),
        (titled("For JBL Charge 3: Battery", "Batteries"), "batteries", True),
        (titled("Skull Print Slim Fit Tee", "T-Shirts"), "t-shirt", True),
        (titled("Claw Hair Clips for Women", "Clips & Barrettes"), "Clips & Barrettes", True),
        # of two names of a leaf the title's
        *((BIB, "bib", True), (BIB, "burp cloth", False)),
        # a department, no word and an unknown word
        *((COFFEE, kind, False) for kind in ("Home & Kitchen", "", "…", "rocket")),
    ],
)
def test_a_kind_is_told_by_leaf_category_or_the_noun_of_the_title(item: Product, kind: str, is_one: bool) -> None:
    assert is_of_kind(item, kind) is is_one
