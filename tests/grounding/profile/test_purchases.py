"""Price bands, what else of a product may be hit, and which purchases may be shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.profile.naming import may_be_shown
from drretail.grounding.profile.purchases import price_band, purchase_item_of
from drretail.records.shop import Product
from tests.shop import a_product


@pytest.mark.parametrize(
    ("price", "band"), [(0, "0-5"), (4.99, "0-5"), (5, "5-10"), (319.99, "160-320"), (640, "640+")]
)
def test_bands_double_and_begin_with_their_lower_end(price: float, band: str) -> None:
    assert price_band(price, "USD") == f"USD {band}"


@given(st.floats(5, 639.99))
def test_a_price_lies_in_its_band(price: float) -> None:
    lower, upper = price_band(price, "EUR").removeprefix("EUR ").split("-")
    assert int(lower) <= price < int(upper) == 2 * int(lower)


def test_goods_have_the_leaf_category_and_no_band_without_a_price() -> None:
    goods = purchase_item_of(a_product(1, "A feeder", None))
    assert (goods.category, goods.brand, goods.price_band) == ("Bird Feeders", "Tanagrove", None)
    for path in ((), ("Patio_Lawn_and_Garden",)):  # one that only repeats the department has no leaf
        product = a_product(1, "A feeder", None).model_copy(update={"categories": path})
        assert purchase_item_of(product).category is None


HEALTH = ("Health & Household", "Health Care")


def product(*categories: str) -> Product:
    return Product(product_id="B1", title="A thing", category="Health_and_Household", categories=categories)


@pytest.mark.parametrize(
    ("path", "naming"),
    [
        (("Health & Household", "Sexual Wellness", "Safer Sex", "Condoms"), "Which condoms are safest?"),
        (("Health & Household", "Sexual Wellness", "Sex Furniture", "Swings"), "What sex furniture is there?"),
        ((*HEALTH, "Over-the-Counter Medication", "Digestion", "Laxatives"), "A mild laxative."),
        ((*HEALTH, "Family Planning & Contraceptives", "Pregnancy Tests"), "How sure is a pregnancy test?"),
        (("Clothing", "Women", "Maternity", "Jeans"), "Maternity jeans under $40."),
    ],
)
def test_an_intimate_purchase_is_shown_to_a_question_that_names_it(path: tuple[str, ...], naming: str) -> None:
    assert not may_be_shown(product(*path))
    assert not may_be_shown(product(*path), "A porch swing, jeans and a test of my soil, please.")
    assert may_be_shown(product(*path), naming)


def test_ordinary_purchases_are_shown() -> None:
    assert may_be_shown(product())
    assert may_be_shown(product("Clothing", "Women", "Lingerie", "Bras"))
    assert may_be_shown(product("Baby Products", "Diapering", "Cloth Diapers"))
    assert may_be_shown(product("Health & Household", "Vitamins", "Alternative Medicine", "Aromatherapy"))
