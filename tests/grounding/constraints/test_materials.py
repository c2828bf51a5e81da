import pytest

from drretail.grounding.constraints.affirmation import stance, stance_against
from drretail.grounding.constraints.listing import listing_of
from drretail.grounding.constraints.materials import made_of
from drretail.records.shop import Product

CLIP = Product(
    product_id="A",
    title="Claw Hair Clips – 4 Pack, Cellulose Acetate",
    features=("Cellulose acetate is made from cotton fiber and wood pulp, and is non slip",),
    details={"Material": "Cellulose Acetate", "Handle Material": "Bamboo"},
    category="Beauty",
)


@pytest.mark.parametrize("demand", ["cotton", "wood", "Bamboo"])
def test_what_prose_or_a_part_is_made_of_is_not_the_material_of_the_product(demand: str) -> None:
    assert stance(listing_of(CLIP).words, demand) != "kept"


def test_other_demands_are_still_read_out_of_the_prose() -> None:
    assert stance(listing_of(CLIP).words, "non slip") == "kept"
    assert stance_against(listing_of(CLIP).words, "cotton") == "broken"


@pytest.mark.parametrize(
    ("title", "details", "demand", "holds"),
    [
        ("Organic Cotton Swaddle Blanket", {}, "cotton", True),
        ("Swaddle Blanket", {"Fabric Type": "100% Cotton"}, "cotton", True),
        ("Swaddle Blanket", {"material_composition": "70% Bamboo"}, "bamboo", True),
        ("Pruning Shears", {"Blade Material": "Stainless Steel"}, "stainless steel", True),
        ("Food Containers with Bamboo Lids", {"Material": "Glass"}, "bamboo", False),
        ("Food Containers with Bamboo Lids", {"Material": "Glass"}, "glass", True),
        ("Mat for Wood Floors", {}, "wood", False),
        ("Wood-Look Organizer", {}, "wood", False),
        ("Leather Free Bag", {}, "leather", False),
    ],
)
def test_a_material_is_read_from_the_title_and_its_fields(
    title: str, details: dict[str, object], demand: str, holds: bool
) -> None:
    product = Product(product_id="B", title=title, details=details, category="Home")
    assert (stance(listing_of(product).words, demand) == "kept") is holds


def test_fields_of_numbers_and_lists_say_nothing() -> None:
    assert made_of("Hair Clips", {"Material": 3, "Fabric Type": ["cotton"]}) == "Hair Clips"
