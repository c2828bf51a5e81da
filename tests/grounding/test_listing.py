"""Whether a record says that a product is what is demanded, in all the ways in which shops write."""

import pytest

from drretail.grounding.constraints import decided_by_code
from drretail.grounding.listing import listing_of
from drretail.records.shop import Product
from drretail.records.wish import Demand


def says(demand: str, title: str = "A thing", *features: str, **details: str) -> bool:
    named = {name.replace("_", " "): value for name, value in details.items()}
    product = Product(product_id="B0TEST0001", title=title, features=features, category="Pets", details=named)
    return listing_of(product).words.stance(demand) == "met"


AFFIRMED = {
    True: [
        ("dimmable", "LED Light Bulbs, 800 Lumens, Dimmable"),
        ("dimmable", "Not only bright but dimmable"),
        ("dishwasher safe", "Steel takes no smell, cannot be chewed and is dishwasher safe on both racks"),
        ("dishwasher safe", "Without lid, dishwasher safe"),
        ("gluten free", "Soy and Gluten-Free"),
        ("easy to clean", "Easy to fill and clean"),
        ("glass", "Jars of borosilicate glass"),
        ("BPA free", "Made without lead, BPA free"),
    ],
    False: [
        ("dimmable", "LED Light Bulbs, Non-Dimmable"),
        ("dimmable", "They aren’t dimmable"),
        ("quiet", "A strong motor, at 72 dB not a quiet one"),
        ("waterproof", "Semi-waterproof"),
        ("cotton", "Softer than cotton"),
        ("leather", "Faux leather cover"),
        ("machine washable", "Built by machine, and never washable"),
        ("microwave safe", "For the microwave. Safe edges"),
        ("microwave safe", "Steel must not go into the microwave"),
        ("pure", "From first purees to spaghetti"),
        ("gluten free", "Not gluten free"),
        ("fragrance free", "Fragrance of lavender, BPA free"),
        # The same in other words is left to those who read.
        ("dishwasher safe", "Dishwasher, microwave and oven safe"),
        ("fragrance free", "There is no fragrance in it"),
    ],
}
"""Demands and words of a record that affirms them, or denies them or speaks of something else."""


@pytest.mark.parametrize(
    ("demand", "words", "is_kept"), [(*row, is_kept) for is_kept, rows in AFFIRMED.items() for row in rows]
)
def test_a_demand_is_kept_where_the_record_affirms_it(demand: str, words: str, is_kept: bool) -> None:
    assert says(demand, words) is is_kept
    assert says(demand, "A thing", words) is is_kept


def test_material_title_and_details_go_before_prose() -> None:
    assert not says("glass", "Containers", "Fits our glass jars", Material="BPA-Free Plastic")
    assert not says("glass", "Plastic Container with Glass Lid", Material="Plastic")
    assert says("glass", "Containers", "Lids without any glass", Material="Borosilicate Glass")
    assert says("glass", "Glass Containers, 10 Pack", Material="Mixed")
    assert not says("dimmable", "Bulb, Non-Dimmable", "Dimmable bulbs are for living rooms")
    assert says("dimmable", "Dimmable Bulb", "Older switches are not dimmable")
    assert not says("dimmable", "Bulb", "Dimmable bulbs make evenings soft", Dimmable="No")
    assert says("dimmable", "Bulb", Dimmable="Yes")
    assert says("latex free", "Gloves", Material_Type_Free="Latex")
    assert not says("latex", "Gloves", Material_Type_Free="Latex")
    assert says("BPA free", "Bottle", Material_Type_Free="BPA Free")
    assert says("cotton", "Organic Cotton Swaddle Blanket")
    assert says("bamboo", "Swaddle Blanket", material_composition="70% Bamboo")
    assert says("stainless steel", "Pruning Shears", Blade_Material="Stainless Steel")
    assert not says("bamboo", "Food Containers with Bamboo Lids", Material="Glass")
    assert says("glass", "Food Containers with Bamboo Lids", Material="Glass")
    assert not says("wood", "Mat for Wood Floors")
    assert not says("leather", "Leather Free Bag")


@pytest.mark.parametrize(
    ("unwanted", "words", "ruled_out"),
    [
        ("plastic", "Do not microwave the plastic lids", True),
        ("plastic", "Folded in paper without any plastic", False),
        ("choke chains", "Comes with a choke chain", True),
        ("AAA batteries", "Needs one AAA battery", True),
        ("ink", "Printed with inks", True),
        # A burr grinder has this line in its table, too.
        ("blades", "Blade Material: Ceramic Conical Burr", False),
    ],
)
def test_what_is_unwanted_is_named_wherever_the_product_has_it(unwanted: str, words: str, ruled_out: bool) -> None:
    product = Product(product_id="B0TEST0001", title="A thing", features=(words,), category="Pets")
    assert (listing_of(product).words.stance(unwanted, unwanted=True) == "broken") is ruled_out


@pytest.mark.parametrize(
    ("words", "of_it", "against_it"),
    [("Fragrance", "open", "broken"), ("Fragrance free", "met", "met"), ("With a pump", "open", "open")],
)
def test_a_record_keeps_a_demand_breaks_it_or_leaves_it_open(words: str, of_it: str, against_it: str) -> None:
    record = listing_of(Product(product_id="B0TEST0001", title="Lotion", features=(words,), category="Beauty")).words
    assert (record.stance("fragrance free"), record.stance("fragrance", unwanted=True)) == (of_it, against_it)


def test_of_two_fields_whose_names_are_alike_the_first_decides() -> None:
    details = {"Item Color": "red", "item-color": "blue"}
    mug = listing_of(Product(product_id="B0TEST0001", title="A mug", category="Kitchen", details=details))
    ruled = [decided_by_code(Demand(say=color, field="ITEM COLOR"), mug).state for color in ("red", "blue")]
    assert ruled == ["met", "broken"]
