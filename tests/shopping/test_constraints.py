"""Which products would do for a want, decided on records. ruling_on_options: tests/eval/test_offers.py."""

from typing import Any

from drretail.records.shop import Money, Product
from drretail.records.wish import Demand
from drretail.shopping.basket import Candidates
from drretail.shopping.constraints import decided_by_field
from drretail.shopping.listing import listing_of
from drretail.shopping.vocabulary import Vocabulary
from tests.goods import product, want


def thing(title: str, **details: str) -> Product:
    named = {name.replace("_", " "): value for name, value in details.items()}
    return Product(product_id="B0TEST0001", title=title, category="Pets", details=named)


COLORS, LINKS = ("Leather", "Cotton", "Polyester", "White", "Black"), ("Wired", "Wireless", "Remote")
SAID = [thing(value, Material=value, Color=value) for value in COLORS]
SAID.extend(thing(value, Connectivity_Technology=value, Special_Feature=value) for value in LINKS)
SHOP = Vocabulary(lambda: [*SAID, *SAID, *(thing("A rug", Color=value) for value in ("Multi", "Multi", "Geometrica"))])


def ruled(demand: Demand, title: str = "A thing", *, unwanted: bool = False, **details: str) -> str:
    return decided_by_field(demand, listing_of(thing(title, **details), SHOP), unwanted=unwanted).state


def test_a_color_excludes_another_only_if_both_are_words_of_the_field() -> None:
    white = Demand(say="white", field="Color", any_of=("White",))
    rows = {"White": "met", "Red/White": "met", "Black": "broken"}
    rows |= dict.fromkeys(("Multi", "Geometrica", "Power Strip", "Red", "_", "Off White"), "open")
    assert {value: ruled(white, Color=value) for value in rows} == rows
    assert ruled(white, "A lamp in white", Color="Black") == "open", "its title says otherwise"
    assert ruled(Demand(say="grey", field="Color", any_of=("Grey",)), Color="Gray") == "met"
    no_shop = decided_by_field(white, listing_of(thing("A lamp", Color="Black")))
    assert no_shop.state == "open", "the words of the shop are not known"


def test_a_floor_is_kept_by_more_and_denied_by_what_is_typed_to_deny() -> None:
    year = Demand(say="1-year warranty", field="Warranty", least=1, unit="year", none_of=("30-day returns",))
    rows = {"5-Year Warranty": "met", "1 year": "met", "30-Day Returns": "broken", "Lifetime": "open"}
    assert {value: ruled(year, Warranty=value) for value in rows} == rows
    long = Demand(say="an hour and a half", field="Battery Life", least=90, unit="minutes")
    assert (ruled(long, Battery_Life="120-Minute Battery"), ruled(long, Battery_Life="45 min")) == ("met", "broken")
    assert (
        ruled(Demand(say="30 settings", field="Grinds", least=30, unit="grind settings"), Grinds="60 Grind Settings")
        == "met"
    )


def test_brands_stars_ratings_and_prices_are_limits_and_what_is_unknown_keeps_only_those_of_a_price() -> None:
    shelf = (
        product("N", store="Nordlys"),
        product("T", details={"Brand": "Tallow"}),
        product("X", title="Nordlys Feeder, Green"),
        product("A", average_rating=3.9, rating_number=50),
        product("B", average_rating=4.0, rating_number=49),
        product("C", average_rating=4.5, rating_number=900),
        product("P", 20),
        product("D", 20.01),
        product("U", None),
        product("E", 99, currency="EUR"),
    )
    rows: dict[str, dict[str, Any]] = {
        "NX": {"brands_wanted": ("NORDLYS", "Ostrava")},
        "TABCPDUE": {"brands_unwanted": ("nordlys",)},
        "BC": {"rating_min": 4},
        "AC": {"ratings_min": 50},
        "NTXABCPUE": {"price_max": Money.of(20)},
    }
    for ids, limits in rows.items():
        keeping = Candidates(map(listing_of, shelf)).keeping(want(**limits))
        assert {*keeping.titles} == {*ids}, limits


def test_a_measure_is_compared_in_any_unit_of_its_kind_and_open_without_one_figure() -> None:
    rows = (
        ("5.3 gal", "L", "met"),
        ("3 Quarts", "liter", "broken"),
        ("10 x 30 litres", "litres", "open"),
    )
    for value, unit, state in rows:
        demand = Demand(say="at least 15 litres", field="Capacity", least=15, unit=unit)
        assert ruled(demand, Capacity=value) == state, value


ANY_LEATHER = Demand(
    say="leather", field="Material", any_of=("leather", "full grain leather"), none_of=("faux leather",)
)


def test_a_material_proves_what_is_absent_and_a_sort_of_it_is_open() -> None:
    rows = {
        "Leather": ("met", "broken"),
        "Cotton": ("broken", "met"),
        "Cotton, Polyester": ("broken", "met"),
        # Only a model that reads the record knows what these are.
        "PU Leather": ("open", "open"),
        "Cotton, bonded leather": ("open", "open"),
    }
    found = {
        value: (ruled(ANY_LEATHER, Material=value), ruled(ANY_LEATHER, unwanted=True, Material=value)) for value in rows
    }
    assert found == rows
    assert ruled(Demand(say="leather", field="Material"), Material="Leather") == "met", "by its own words"


def test_a_field_of_yes_or_no_proves_either_and_other_words_nothing() -> None:
    dry = Demand(say="waterproof", field="Is Waterproof", any_of=("yes", "true"))
    rows = {"Yes": "met", "true": "met", "No": "broken", "IP67": "open", "": "open"}
    assert {value: ruled(dry, Is_Waterproof=value) for value in rows} == rows
    for demand in (Demand(say="waterproof"), dry):
        assert (ruled(demand, "Waterproof bag"), ruled(demand, "Waterproof bag", unwanted=True)) == ("open", "open")
    untyped = Demand(say="waterproof", field="Is Waterproof")
    assert ruled(untyped, Is_Waterproof="Yes") == "open", "nobody has typed whether yes is what is wanted"


def test_a_single_value_excludes_the_others_and_features_exclude_nothing_but_what_denies() -> None:
    wired = Demand(say="wireless", field="Connectivity Technology", any_of=("wireless",))
    assert ruled(wired, unwanted=True, Connectivity_Technology="Wired") == "met"
    dim = Demand(say="dimmable", field="Special Feature", any_of=("dimmable",), none_of=("non dimmable",))
    assert ruled(dim, Special_Feature="Remote") == "open"
    assert ruled(dim, Special_Feature="Non-Dimmable") == "broken"
