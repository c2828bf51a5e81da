from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.report.mentions import find_mentions
from drretail.records.shop import Product


def product(product_id: str, title: str, brand: str | None = "Bruma") -> Product:
    return Product(product_id=product_id, title=title, store=brand, category="Pet_Supplies")


SHOP = [
    product("B1", "Bruma Plush Donut Dog Bed, 36 inch – Washable Cover | Grey"),
    product("B2", "Bruma Cat Scratching Post with Sisal Rope"),
    product("B3", "Bruma Solar Path Lights (8 Pack)"),
    product("B4", "Bruma Solar Path Lights (12 Pack)"),
    product("B5", "Stainless Steel Slow Feeder Bowl, 2 Cups", "Tallis"),
    product("B6", "Ann's Best Shampoo Bar - Lemon", "Ann's"),
    product("B7", "Grooming", None),
]


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        ("Take the Bruma Plush Donut Dog Bed, 36 inch – Washable Cover | Grey now.", [("B1", SHOP[0].title)]),
        ("The **Bruma Plush Donut Dog Bed** suits you.", [("B1", "Bruma Plush Donut Dog Bed")]),
        ("a bruma dog bed for her", [("B1", "bruma dog bed")]),
        ("the Bruma Plush Donut bed", [("B1", "Bruma Plush Donut")]),
        ("BRUMA CAT SCRATCHING POST!", [("B2", "BRUMA CAT SCRATCHING POST")]),
        ("Bruma Solar Path Lights (12 Pack)", [("B4", "Bruma Solar Path Lights (12 Pack")]),
        ("Bruma Solar Path Lights are bright", []),
        ("Slow Stainless Steel Slow Feeder Bowl", [("B5", "Stainless Steel Slow Feeder Bowl")]),
        ("Ann’s Best Shampoo Bar", [("B6", "Ann’s Best Shampoo Bar")]),
        ("I like Bruma. Bruma is good, and so is grooming.", []),
        ("A steel bowl, a dog bed, a scratching post", []),
        ("Bruma\nDog Bed", []),
        ("`Bruma Plush Donut Dog Bed` https://x.example/Bruma-Plush-Donut-Dog-Bed", []),
        ("[Bruma Plush Donut Dog Bed](http://ecommerce.com/B1)", [("B1", "Bruma Plush Donut Dog Bed")]),
    ],
)
def test_products_are_found_by_their_names(report: str, expected: list[tuple[str, str]]) -> None:
    mentions = find_mentions(report, SHOP)
    assert [(mention.product_id, mention.said) for mention in mentions] == expected
    assert all(report[mention.start : mention.end] == mention.said for mention in mentions)


def test_products_of_one_title_are_not_told_apart() -> None:
    twins = [product("B1", "Bruma Plush Donut Dog Bed"), product("B2", "Bruma Plush Donut Dog Bed")]
    assert find_mentions("The Bruma Plush Donut Dog Bed", twins) == []


def test_a_brand_of_two_words_is_still_a_bare_brand() -> None:
    assert find_mentions("I like Bruma Home.", [product("B1", "Bruma Home, Grey Dog Bed", "Bruma Home")]) == []


def test_a_reference_list_mentions_nothing() -> None:
    report = "See [1].\n\n## Sources\n1. Bruma Plush Donut Dog Bed — http://ecommerce.com/B1\n"
    assert find_mentions(report, SHOP) == []


@given(st.text(st.sampled_from("brumadogbedplsht ,.\n’()"), max_size=200))
def test_mentions_stand_apart_and_in_order(report: str) -> None:
    mentions = find_mentions(report, SHOP)
    assert all(one.end <= other.start for one, other in pairwise(mentions))
    assert all(report[mention.start : mention.end] == mention.said for mention in mentions)


def test_hundreds_of_products_are_found_in_a_long_report() -> None:
    many = [product(f"B{n}", f"Bruma Model{n} Dog Bed, Size {n} and a Long Tail of Words {n}") for n in range(500)]
    report = " ".join(f"Then comes the Bruma Model{n} Dog Bed, which is fine." for n in range(500)) * 2
    assert len(find_mentions(report, many)) == 1000
