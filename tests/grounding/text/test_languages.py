"""What is known of languages, against the languages that a shop may be in."""

from typing import get_args

import pytest
from babel import Locale

from drretail.env.catalog.base import Language
from drretail.grounding.text.languages import labels, locale_codes, month_numbers


def test_each_language_of_a_shop_is_known() -> None:
    names = {str(Locale(code).get_language_name("en")).casefold() for code in locale_codes()}
    others = {"sesotho"}  # CLDR has no names of months for it
    assert set(get_args(Language)) - others - {name.replace("norwegian bokmål", "norwegian") for name in names} == set()


@pytest.mark.parametrize(("name", "month"), [("märz", 3), ("marca", 3), ("3月", 3), ("janvier", 1), ("ekim", 10)])
def test_months_are_known_by_their_names(name: str, month: int) -> None:
    assert month_numbers()[name] == month


def test_labels_of_other_languages_are_known_outside_english() -> None:
    assert "preis" not in labels(english=True)["price"]
    assert {"preis", "precio", "prix", "price"} <= labels(english=False)["price"]
