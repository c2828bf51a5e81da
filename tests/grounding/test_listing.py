"""Whether a field says that a product is what is demanded."""

import pytest

from drretail.grounding.constraints import decided_by_field
from drretail.grounding.listing import listing_of
from drretail.records.shop import Product
from drretail.records.wish import Demand


def ruled(demand: Demand, title: str = "A thing", *, unwanted: bool = False, **details: str) -> str:
    named = {name.replace("_", " "): value for name, value in details.items()}
    thing = Product(product_id="B0TEST0001", title=title, category="Pets", details=named)
    return decided_by_field(demand, listing_of(thing), unwanted=unwanted).state


LEATHER = Demand(say="leather", field="Material", any_of=("leather", "full grain leather"), none_of=("faux leather",))


@pytest.mark.parametrize(
    ("value", "must", "must_not"),
    [
        ("Leather", "met", "broken"),
        ("80% Leather, 20% Cotton", "met", "broken"),
        ("Full-Grain Leather", "met", "broken"),
        ("Cotton", "broken", "met"),
        ("Cotton, Polyester", "broken", "met"),
        ("Faux leather", "broken", "met"),
        # Only a model that reads the record knows what these are.
        ("PU Leather", "open", "open"),
        ("Cotton, bonded leather", "open", "open"),
    ],
)
def test_a_material_proves_what_is_absent_and_a_sort_of_it_is_open(value: str, must: str, must_not: str) -> None:
    assert (ruled(LEATHER, Material=value), ruled(LEATHER, unwanted=True, Material=value)) == (must, must_not)


@pytest.mark.parametrize(
    ("value", "state"), [("Yes", "met"), ("true", "met"), ("No", "broken"), ("IP67", "open"), ("", "open")]
)
def test_a_field_of_yes_or_no_proves_either(value: str, state: str) -> None:
    assert ruled(Demand(say="waterproof", field="Is Waterproof", any_of=("yes", "true")), Is_Waterproof=value) == state


def test_a_single_value_excludes_the_others_and_features_exclude_nothing_but_what_denies() -> None:
    wired = Demand(say="wireless", field="Connectivity Technology", any_of=("wireless",))
    assert ruled(wired, unwanted=True, Connectivity_Technology="Wireless, Wired") == "broken"
    assert ruled(wired, unwanted=True, Connectivity_Technology="Wired") == "met"
    dim = Demand(say="dimmable", field="Special Feature", any_of=("dimmable",), none_of=("non dimmable",))
    assert ruled(dim, Special_Feature="Dimmable, Remote") == "met"
    assert ruled(dim, Special_Feature="Remote") == "open"
    assert ruled(dim, Special_Feature="Non-Dimmable") == "broken"


@pytest.mark.parametrize("title", ["Waterproof bag", "Bag (but not completely waterproof)", "Bag"])
def test_words_decide_nothing(title: str) -> None:
    for demand in (Demand(say="waterproof"), Demand(say="waterproof", field="Is Waterproof", any_of=("yes",))):
        assert (ruled(demand, title), ruled(demand, title, unwanted=True)) == ("open", "open")
