import pytest

from drretail.grounding.profile.naming import may_be_shown
from drretail.records.shop import Product

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


@pytest.mark.parametrize(
    "path",
    [
        ("Clothing", "Women", "Lingerie", "Bras"),
        ("Baby Products", "Diapering", "Cloth Diapers"),
        ("Health & Household", "Vitamins", "Alternative Medicine", "Aromatherapy"),
        (),
    ],
)
def test_ordinary_purchases_are_shown(path: tuple[str, ...]) -> None:
    assert may_be_shown(product(*path))
