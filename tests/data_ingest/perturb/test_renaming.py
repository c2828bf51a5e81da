"""Texts with other names in them: which names are found, and where."""

import pytest

from drretail.data_ingest.perturb.brand_names import NamesOfShop, name_of
from drretail.data_ingest.perturb.renaming import Renaming
from drretail.records.shop import Product


def product(number: int, title: str, store: str, *features: str, **details: object) -> Product:
    return Product(
        product_id=f"B0TEST000{number}", title=title, store=store, features=features, details=details, category="c"
    )


PRODUCTS = [
    product(1, "TANAGROVE Tube Feeder", "Tanagrove", "Tanagrove's best. Fits B0TEST0002.", Brand="Tanagrove"),
    product(2, "Home Bath Towel for Home", "Home", "A towel for your home", "Better than Tanagrove, at home"),
    product(3, "Dr. Elsey's Litter", "Dr. Elsey's", Manufacturer="Elsey & Sons", Note=["by Dr Elsey's", {"n": "Home"}]),
    product(4, "GMS Drops", "GMS", "Contains 4 gms of it, and tea tree oil, Home made"),
    product(5, "Tea Tree Soap", "Tea Tree", "With Tea Tree, and tea tree oil"),
]


@pytest.fixture
def renaming() -> Renaming:
    names = NamesOfShop()
    for each in PRODUCTS:
        names.take(each)
    ids = {each.product_id: f"B0NEW0000{at}" for at, each in enumerate(PRODUCTS)}
    new = {name: f"New{at}" for at, name in enumerate(sorted(names.renamed("1")))}
    return Renaming(new, names.spellings, names.ordinary(), ids)


def test_a_name_of_its_own_is_found_in_any_text_and_case(renaming: Renaming) -> None:
    tana = renaming.name("Tanagrove")
    assert renaming.product(PRODUCTS[0]).title == f"{tana} Tube Feeder"
    assert renaming.product(PRODUCTS[0]).features[0].startswith(f"{tana}'s best.")
    assert "Fits B0NEW00001." in renaming.product(PRODUCTS[0]).features[0], "ids of products, too"
    assert renaming.product(PRODUCTS[1]).features[1] == f"Better than {tana}, at home"


def test_a_name_of_an_ordinary_word_is_found_as_it_is_spelled_and_where_the_product_bears_it(
    renaming: Renaming,
) -> None:
    home = renaming.name("Home")
    towel, drops = renaming.product(PRODUCTS[1]), renaming.product(PRODUCTS[3])
    assert towel.title == f"{home} Bath Towel for {home}"
    assert towel.features[0] == "A towel for your home"
    assert drops.features[0].endswith("Home made")
    assert (drops.title, "4 gms of it" in drops.features[0]) == (f"{renaming.name('GMS')} Drops", True), "a unit"
    shouted = PRODUCTS[1].model_copy(update={"title": "HOME Bath Towel"})
    assert renaming.product(shouted).title == f"{home} Bath Towel", "where a title begins with it"


def test_words_of_a_name_may_be_joined_in_any_way_but_by_a_comma(renaming: Renaming) -> None:
    elsey = renaming.name("Dr. Elsey's")
    assert renaming.text("by DR ELSEY'S") == f"by {elsey}"
    assert renaming.text("ask Dr, Elsey's") == "ask Dr, Elsey's"


def test_fields_of_names_are_names_as_a_whole_and_other_details_are_texts(renaming: Renaming) -> None:
    details = renaming.product(PRODUCTS[2]).details
    assert details["Manufacturer"] == renaming.name("Elsey & Sons") != "Elsey & Sons"
    assert details["Note"] == [f"by {renaming.name('Dr. Elsey’s')}", {"n": "Home"}]


def test_made_up_names_are_no_words_of_the_shop_and_all_differ() -> None:
    names = NamesOfShop()
    for one in PRODUCTS:
        names.take(one)
    made = names.renamed("1")
    assert made == names.renamed("1") != names.renamed("2")
    assert len({each.casefold() for each in made.values()}) == len(made)
    assert not {name_of(each)[0] for each in made.values()} & {"towel", "litter", "home"}
