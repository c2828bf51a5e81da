"""Which products would do for a want, decided on records. ruling_on_options: tests/eval/test_offers.py."""

from drretail.grounding.basket import Candidates
from drretail.grounding.constraints import UNDECIDED, Decisions, decided_by_field, priced_in, record_sha
from drretail.grounding.listing import listing_of
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


def test_fewer_stars_or_ratings_or_unknown_ones_do_not_do() -> None:
    rated = [
        product(key, average_rating=stars, rating_number=count)
        for key, stars, count in (("A", 3.9, 50), ("B", 4.0, 49), ("C", 4.5, 900))
    ]
    assert fits(want(rating_min=4), *rated, SILENT) == ["B", "C"]
    assert fits(want(ratings_min=50), *rated, SILENT) == ["A", "C"]
    assert fits(want(rating_min=4, ratings_min=50), *rated, SILENT) == ["C"]


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


def ruled(demand: Demand, title: str = "A thing", *, unwanted: bool = False, **details: str) -> str:
    named = {name.replace("_", " "): value for name, value in details.items()}
    thing = Product(product_id="B0TEST0001", title=title, category="Pets", details=named)
    return decided_by_field(demand, listing_of(thing), unwanted=unwanted).state


ANY_LEATHER = Demand(
    say="leather", field="Material", any_of=("leather", "full grain leather"), none_of=("faux leather",)
)


def test_a_material_proves_what_is_absent_and_a_sort_of_it_is_open() -> None:
    rows = {
        "Leather": ("met", "broken"),
        "80% Leather, 20% Cotton": ("met", "broken"),
        "Full-Grain Leather": ("met", "broken"),
        "Cotton": ("broken", "met"),
        "Cotton, Polyester": ("broken", "met"),
        "Faux leather": ("broken", "met"),
        # Only a model that reads the record knows what these are.
        "PU Leather": ("open", "open"),
        "Cotton, bonded leather": ("open", "open"),
    }
    found = {
        value: (ruled(ANY_LEATHER, Material=value), ruled(ANY_LEATHER, unwanted=True, Material=value)) for value in rows
    }
    assert found == rows


def test_a_field_of_yes_or_no_proves_either_and_other_words_nothing() -> None:
    dry = Demand(say="waterproof", field="Is Waterproof", any_of=("yes", "true"))
    rows = {"Yes": "met", "true": "met", "No": "broken", "IP67": "open", "": "open"}
    assert {value: ruled(dry, Is_Waterproof=value) for value in rows} == rows
    for title in ("Waterproof bag", "Bag (but not completely waterproof)", "Bag"):
        for demand in (Demand(say="waterproof"), dry):
            assert (ruled(demand, title), ruled(demand, title, unwanted=True)) == ("open", "open")


def test_a_single_value_excludes_the_others_and_features_exclude_nothing_but_what_denies() -> None:
    wired = Demand(say="wireless", field="Connectivity Technology", any_of=("wireless",))
    assert ruled(wired, unwanted=True, Connectivity_Technology="Wireless, Wired") == "broken"
    assert ruled(wired, unwanted=True, Connectivity_Technology="Wired") == "met"
    dim = Demand(say="dimmable", field="Special Feature", any_of=("dimmable",), none_of=("non dimmable",))
    assert ruled(dim, Special_Feature="Dimmable, Remote") == "met"
    assert ruled(dim, Special_Feature="Remote") == "open"
    assert ruled(dim, Special_Feature="Non-Dimmable") == "broken"
